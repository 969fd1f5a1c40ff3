/** A foreign record as an ECS document, by a mapping that a person made. The whole record stays in its namespace. */
import { isIP } from 'node:net';
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import { type MappingForm, type MappingTargetPath, mappingTargets, valueAt } from '@parapet/contract/rules/eventMapping.ts';
import type { Document } from '../event.ts';
import { isObject, number, port, setOwn, text } from '../normalise/doc.ts';
import { parseTime } from '../normalise/time.ts';

export interface Mapped {
  document: Document;
  /** Mapped fields whose value is absent or can’t be read. */
  unread: MappingTargetPath[];
}

/** @param now milliseconds since 1970, for times without a year */
export function mapRecord(record: Document, { namespace, fields }: EventMapping, now: number): Mapped {
  const document: Document = {};
  const unread: MappingTargetPath[] = [];
  for (const { to, from, value } of fields) {
    const given = value ?? valueAt(record, from ?? []);
    const isFilled = given !== undefined && given !== null && put(document, to, given, now);
    if (!isFilled) unread.push(to);
  }
  const event = isObject(document.event) ? document.event : {};
  document.event = event;
  event.kind = 'event';
  event.module = namespace;
  event.dataset = `${namespace}.events`;
  document[namespace] = record;
  return { document, unread };
}

/** Returns false for a value that can’t be read; nothing is set then. */
function put(document: Document, to: MappingTargetPath, given: unknown, now: number): boolean {
  const { form }: { form: MappingForm } = mappingTargets[to];
  switch (form) {
    case 'time': {
      const time = parseTime(typeof given === 'string' ? given.trim() : given, now);
      return time !== undefined && set(document, to, new Date(time).toISOString());
    }
    case 'address':
      return putAddress(document, to, given);
    case 'port': {
      const found = port(given);
      return found !== undefined && set(document, to, found);
    }
    case 'outcome':
      return set(document, to, outcomeOf(given));
    case 'severity':
      return putSeverity(document, to, given);
    case 'words': {
      const words = (Array.isArray(given) ? given : String(given).split(/[\s,]+/)).map(text).filter((each) => each !== undefined);
      return words.length > 0 && set(document, to, words.slice(0, 10));
    }
    case 'text': {
      const found = textOf(given);
      return found !== undefined && set(document, to, found);
    }
  }
}

function set(document: Document, to: string, value: unknown): true {
  const steps = to.split('.');
  const last = steps.pop()!;
  let at = document;
  for (const step of steps) {
    if (!isObject(at[step])) at[step] = {};
    at = at[step] as Document;
  }
  setOwn(at, last, value);
  return true;
}

/** Texts, numbers and booleans; lists of these, joined; anything else as JSON. */
function textOf(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) return text(given);
  if (Array.isArray(given) && given.every((each) => typeof each !== 'object')) return text(given.map(String).join(', '));
  return JSON.stringify(given);
}

/** `192.0.2.7`, `192.0.2.7:443`, `[2001:db8::1]:443`, or the first of a list as in `X-Forwarded-For`. */
function putAddress(document: Document, to: MappingTargetPath, given: unknown): boolean {
  const raw = text(Array.isArray(given) ? given[0] : given)
    ?.split(',')[0]
    ?.trim();
  if (raw === undefined) return false;
  const [, bracketed, plain, portText] = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::(\d{1,5}))?$/i.exec(raw) ?? [];
  const address = isIP(raw) ? raw : (bracketed ?? plain);
  if (address === undefined || isIP(address) === 0) return false;
  const found = port(portText);
  const section = to.split('.')[0]!;
  const isFree = !isObject(document[section]) || document[section].port === undefined;
  if (found !== undefined && (section === 'source' || section === 'destination') && isFree)
    set(document, `${section}.port`, found);
  return set(document, to, to === 'host.ip' ? [address] : address);
}

const successes =
  /^(?:true|1|yes|ok|okay|pass(?:ed)?|success(?:ful|fully|eeded)?|succeed(?:ed)?|allow(?:ed)?|accept(?:ed)?|permit(?:ted)?|grant(?:ed)?|approved)$/i;
const failures =
  /^(?:false|0|no|fail(?:ed|ure)?|den(?:y|ied)|block(?:ed)?|reject(?:ed)?|refused|error|invalid|unauthori[sz]ed|forbidden|drop(?:ped)?|challenge_failed)$/i;

function outcomeOf(given: unknown): 'success' | 'failure' | 'unknown' {
  const word = (text(Array.isArray(given) ? given[0] : given) ?? '').trim();
  if (successes.test(word)) return 'success';
  if (failures.test(word)) return 'failure';
  // HTTP status.
  if (/^[23]\d\d$/.test(word)) return 'success';
  return /^[45]\d\d$/.test(word) ? 'failure' : 'unknown';
}

/** Numbers of words as Elastic’s rules have them. */
const severities: Readonly<Record<string, number>> = {
  informational: 0,
  information: 0,
  info: 0,
  low: 21,
  minor: 21,
  medium: 47,
  moderate: 47,
  warning: 47,
  high: 73,
  major: 73,
  critical: 99,
  severe: 99,
};

function putSeverity(document: Document, to: MappingTargetPath, given: unknown): boolean {
  const exact = number(given);
  if (exact !== undefined) return set(document, to, exact);
  const word = text(given)?.trim().toLowerCase() ?? '';
  const known = Object.hasOwn(severities, word) ? severities[word] : undefined;
  if (known === undefined) return false;
  if (!isObject(document.log) || document.log.level === undefined) set(document, 'log.level', word);
  return set(document, to, known);
}
