/**
 * Indicators and vulnerabilities in the text of stored events, as verdicts read them in those of a case: whole addresses, names, hashes and CVE
 * numbers of any field, regardless of letter case. Pure.
 */
import { canonicalIp } from '../../domain/addresses.ts';
import type { StoredEvent } from '../../domain/events/eventStore.ts';
import { citedField, maxField, valuesOf } from '../../domain/field-places.ts';
import type { PastTerm } from '../../domain/pastSearches.ts';
import type { HitExample } from './pastSearches.store.ts';

export type TermKind = 'ip' | 'domain' | 'hash' | 'cve';

/** Escapes of JSON end a word: `\n` before a name is no letter of it. */
const escapes = /\\(?:u[\da-f]{4}|.)/g;
const words = /[\da-z_](?:[\da-z_.:-]*[\da-z_])?/g;
const cves = /cve-\d{4}-\d{4,7}/g;
const hashes = /^[\da-f]+$/;
const hashLengths = new Set([32, 40, 56, 64, 96, 128]);
const numbers = /^[\d.]+$/;

/** Fields by which a kind counts as searchable; names of rules, which each shape of event has somewhere. */
const fieldsOf: Record<Exclude<TermKind, 'cve'>, readonly string[]> = {
  ip: ['source.ip', 'destination.ip', 'client.ip', 'server.ip', 'SourceIp', 'DestinationIp', 'IpAddress', 'c-ip'],
  domain: [
    'dns.question.name',
    'url.domain',
    'destination.domain',
    'tls.client.server_name',
    'QueryName',
    'DestinationHostname',
    'cs-host',
  ],
  hash: [
    'process.hash.sha256',
    'process.hash.md5',
    'file.hash.sha256',
    'file.hash.sha1',
    'file.hash.md5',
    'dll.hash.sha256',
    'Hashes',
    'sha256',
    'md5',
  ],
};
/** Events of which one is examined for kinds that none had yet. */
const sampled = 10;

export interface TermMatcher {
  match(event: StoredEvent): PastTerm[];
  /** Kinds of values that the events matched so far had; those that are known need not be found again. */
  seen: Set<TermKind>;
}

export function createTermMatcher(terms: readonly PastTerm[], known: readonly string[] = []): TermMatcher {
  const byValue = new Map(terms.map((term) => [term.value, term]));
  const kinds = [...new Set(terms.map(({ kind }) => kind))] as TermKind[];
  const hasCve = kinds.includes('cve');
  const hasOthers = kinds.some((kind) => kind !== 'cve');
  const seen = new Set<TermKind>(kinds.filter((kind) => known.includes(kind)));
  let count = 0;

  const look = (word: string, found: Set<PastTerm>): void => {
    const term = byValue.get(word);
    if (term) found.add(term);
    if (!word.includes(':')) return;
    const ip = canonicalIp(word);
    const six = ip === undefined ? undefined : byValue.get(ip);
    if (six) found.add(six);
    // An address or a name with its port, an algorithm with its hash.
    for (const part of word.split(':')) {
      const other = byValue.get(part);
      if (other) found.add(other);
    }
  };

  const read = (text: string, found: Set<PastTerm>): void => {
    const lower = text.toLowerCase();
    const plain = lower.includes('\\') ? lower.replace(escapes, ' ') : lower;
    if (hasCve) for (const [cve] of plain.matchAll(cves)) look(cve, found);
    if (hasOthers) for (const [word] of plain.matchAll(words)) look(word, found);
  };

  return {
    seen,
    match(event) {
      const found = new Set<PastTerm>();
      read(event.json, found);
      if (event.text !== '') read(event.text, found);
      for (const { kind } of found) seen.add(kind as TermKind);
      if (seen.size < kinds.length && count++ % sampled === 0) for (const kind of kindsIn(event, kinds, seen)) seen.add(kind);
      return [...found];
    },
  };
}

function kindsIn(event: StoredEvent, kinds: readonly TermKind[], seen: ReadonlySet<TermKind>): TermKind[] {
  return kinds.filter((kind) => {
    if (seen.has(kind)) return false;
    if (kind === 'cve') return /cve-\d{4}-\d{4,7}/i.test(event.json);
    if (fieldsOf[kind].some((field) => citedField(event.document, field) !== undefined)) return true;
    if (kind === 'domain') return false;
    return (event.text.toLowerCase().match(words) ?? []).some((word) =>
      kind === 'ip' ? numbers.test(word) && canonicalIp(word) !== undefined : hashLengths.has(word.length) && hashes.test(word),
    );
  });
}

/** Example of a find, without text of the event. Shippers choose the names of fields, so they are bounded here. */
export const exampleOf = ({ at, deviceName, userName }: Omit<HitExample, 'field' | 'text'>, field = ''): HitExample => ({
  at,
  deviceName: deviceName?.slice(0, maxField) ?? null,
  userName: userName?.slice(0, maxField) ?? null,
  field: field.slice(0, maxField),
  text: '',
});

/** Path of the field whose whole value it is; empty where it stands in a longer text. */
export function fieldOf(document: unknown, value: string, path = '', depth = 0): string {
  if (typeof document !== 'object' || document === null || depth > 8) return '';
  for (const [key, at] of Object.entries(document)) {
    const name = Array.isArray(document) ? path : path === '' ? key : `${path}.${key}`;
    if (typeof at === 'object') {
      const inside = fieldOf(at, value, name, depth + 1);
      if (inside) return inside;
    } else if (valuesOf(at).some((text) => text.toLowerCase().replace(/\.$/, '') === value)) return name;
  }
  return '';
}
