/** Parses indicator lists: CSV, MISP JSON, STIX 2.1 bundles. Lists are untrusted: only expected fields are read, nothing recurses. */
import { type IndicatorKind, indicatorKinds, type intelligenceFormats } from '@parapet/contract/intelligence.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type Indicator, type Reputation, readIndicator, shorten, worse } from './intelligence.values.ts';

export interface ReadList {
  indicators: Indicator[];
  skipped: number;
  /** Reasons of the first skipped entries. */
  faults: string[];
}

const maxIndicators = 500_000;
const maxFaults = 20;

class Reader {
  readonly found = new Map<string, Indicator>();
  readonly faults: string[] = [];
  skipped = 0;

  skip(fault: string): void {
    this.skipped++;
    if (this.faults.length < maxFaults) this.faults.push(fault.slice(0, 500));
  }

  /** Duplicates are merged, keeping the worse reputation. */
  add(text: string, reputation: Reputation, expected?: IndicatorKind): void {
    const read = readIndicator(text, expected);
    if ('fault' in read) {
      this.skip(read.fault);
      return;
    }
    const key = `${read.kind} ${read.value}`;
    const known = this.found.get(key);
    this.found.set(key, { ...read, reputation: known ? worse(known.reputation, reputation) : reputation });
    if (this.found.size > maxIndicators)
      throw problem.tooLarge(
        `The list has more than ${maxIndicators.toLocaleString('en')} indicators. Split it into several lists.`,
      );
  }

  list(): ReadList {
    return { indicators: [...this.found.values()], skipped: this.skipped, faults: this.faults };
  }
}

const bad = (text: string) => problem.invalid({ file: [text] }, text);

/** Throws a Problem for unreadable files. */
export function readList(format: (typeof intelligenceFormats)[number], bytes: Buffer, now: number): ReadList {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bad('The file is not text in UTF-8. Save it as UTF-8 and import it again.');
  }
  if (text.trim() === '') throw bad('The file is empty.');
  const reader = new Reader();
  if (format === 'csv') readCsv(reader, text);
  else if (format === 'misp') readMisp(reader, parseJson(text));
  else readStix(reader, parseJson(text), now);
  return reader.list();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw bad('The file is not JSON. Export it again or select another format.');
  }
}

type Fields = Record<string, unknown>;
export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

// CSV

const reputationLabels: Record<string, Reputation> = {
  '': 'Malicious',
  malicious: 'Malicious',
  suspicious: 'Suspicious',
  benign: 'Benign',
  unknown: 'Unknown',
};

/** RFC 4180, row by row. An unclosed quote extends to the end of the file. */
function* csvRows(text: string): Generator<string[]> {
  const cell = /(?:"((?:[^"]|"")*)(?:"|$)[^,\r\n]*|([^,\r\n]*))(,|\r\n|\n|\r|$)/gy;
  let row: string[] = [];
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    row.push((match[1]?.replaceAll('""', '"') ?? match[2] ?? '').trim());
    if (match[3] === ',') continue;
    yield row;
    row = [];
    if (cell.lastIndex >= text.length) return;
  }
}

function readCsv(reader: Reader, text: string): void {
  let columns = ['value', 'reputation', 'kind'];
  let isFirst = true;
  for (const row of csvRows(text)) {
    const lower = row.map((cell) => cell.toLowerCase());
    if (isFirst && lower.includes('value')) {
      columns = lower;
      isFirst = false;
      continue;
    }
    isFirst = false;
    if (row.every((cell) => cell === '') || row[0]!.startsWith('#')) continue;
    const of = (column: string) => row[columns.indexOf(column)] ?? '';
    const reputation = Object.hasOwn(reputationLabels, of('reputation').toLowerCase())
      ? reputationLabels[of('reputation').toLowerCase()]
      : undefined;
    const kind = of('kind').toLowerCase();
    const expected = indicatorKinds.find((each) => each === kind);
    if (!reputation)
      reader.skip(
        `${shorten(of('value'))}: ${shorten(of('reputation'))} is not a reputation; use Malicious, Suspicious, Benign or Unknown.`,
      );
    else if (kind !== '' && !expected)
      reader.skip(`${shorten(of('value'))}: ${shorten(kind)} is not a kind; use ip, domain or hash.`);
    else reader.add(of('value'), reputation, expected);
  }
}

// MISP: https://www.misp-project.org/datamodels/

const hashTypes = new Set(['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']);
/** Indicators in an attribute’s value; undefined for other attribute types. */
export function mispParts(type: string, value: string): { text: string; kind: IndicatorKind }[] | undefined {
  const [first = '', second = ''] = value.split('|', 2);
  if (type === 'ip-src' || type === 'ip-dst' || type === 'ip-src|port' || type === 'ip-dst|port')
    return [{ text: first, kind: 'ip' }];
  if (type === 'domain' || type === 'hostname' || type === 'hostname|port') return [{ text: first, kind: 'domain' }];
  if (type === 'domain|ip')
    return [
      { text: first, kind: 'domain' },
      { text: second, kind: 'ip' },
    ];
  if (hashTypes.has(type)) return [{ text: value, kind: 'hash' }];
  if (type.startsWith('filename|') && hashTypes.has(type.slice(9)))
    return [{ text: value.slice(value.lastIndexOf('|') + 1), kind: 'hash' }];
  return undefined;
}

/** One event, several, or a MISP search response. */
function readMisp(reader: Reader, json: unknown): void {
  const whole = isFields(json) && json.response !== undefined ? json.response : json;
  const events = (Array.isArray(whole) ? whole : [whole]).map((each) =>
    isFields(each) && isFields(each.Event) ? each.Event : each,
  );
  const isEvent = (each: unknown): each is Fields =>
    isFields(each) && (Array.isArray(each.Attribute) || Array.isArray(each.Object));
  const found = events.filter(isEvent);
  if (found.length === 0) throw bad('Not a MISP event: it contains neither "Attribute" nor "Object".');
  for (const event of found) {
    const groups = [
      event.Attribute,
      ...listOf(event.Object).map((each) => (isFields(each) && each.deleted !== true ? each.Attribute : [])),
    ];
    for (const attribute of groups.flatMap(listOf)) {
      if (!isFields(attribute)) reader.skip('An attribute is not an object.');
      else if (attribute.deleted !== true) readMispAttribute(reader, attribute);
    }
  }
}

function readMispAttribute(reader: Reader, attribute: Fields): void {
  const [type, value] = [textOf(attribute.type), textOf(attribute.value)];
  const parts = type === undefined || value === undefined ? undefined : mispParts(type, value);
  if (!parts) {
    reader.skip(`${shorten(value ?? '')}: attributes of type ${shorten(type ?? '')} are not imported.`);
    return;
  }
  // Attributes not marked for detection are context.
  const reputation = attribute.to_ids === false || attribute.to_ids === '0' ? 'Suspicious' : 'Malicious';
  for (const { text, kind } of parts) reader.add(text, reputation, kind);
}

// STIX 2.1: https://docs.oasis-open.org/cti/stix/v2.1/

const kindOfPath = (path: string): IndicatorKind | undefined =>
  path === 'ipv4-addr:value' || path === 'ipv6-addr:value'
    ? 'ip'
    : path === 'domain-name:value'
      ? 'domain'
      : /^file:hashes\.(?:'[^']*'|"[^"]*"|[\w-]+)$/.test(path)
        ? 'hash'
        : undefined;

const stixToken =
  /\s*(?:'((?:[^'\\]|\\.)*)'|([\w-]+:[\w-]+(?:\.(?:[\w-]+|'[^']*')|\[\d+\])*)|(!=|<=|>=|[=<>()[\],])|([A-Za-z]+))\s*/gy;

/** Values of a pattern of alternatives; undefined when several conditions must hold together. */
export function stixValues(pattern: string): { text: string; kind: IndicatorKind }[] | undefined {
  const values: { text: string; kind: IndicatorKind }[] = [];
  let path = '';
  let isIn = false;
  let isEqual = false;
  let end = 0;
  for (const match of pattern.matchAll(stixToken)) {
    end = match.index + match[0].length;
    const [, quoted, object, sign, word] = match;
    if (object !== undefined) {
      path = object;
      isEqual = false;
      isIn = false;
    } else if (quoted !== undefined) {
      const kind = kindOfPath(path);
      if (!kind || !(isEqual || isIn)) return undefined;
      values.push({ text: quoted.replace(/\\(.)/g, '$1'), kind });
      isEqual = false;
    } else if (sign === '=') isEqual = true;
    else if (sign !== undefined && /[<>!]/.test(sign)) return undefined;
    else if (word?.toUpperCase() === 'IN') isIn = true;
    else if (word !== undefined && word.toUpperCase() !== 'OR') return undefined;
  }
  return end === pattern.length && values.length > 0 ? values : undefined;
}

export function stixReputation({ indicator_types: types, confidence }: Fields): Reputation {
  const named = listOf(types);
  if (named.includes('benign')) return 'Benign';
  const isWeak =
    named.length > 0 && !named.some((type) => type === 'malicious-activity' || type === 'compromised' || type === 'attribution');
  return isWeak || (typeof confidence === 'number' && confidence < 30) ? 'Suspicious' : 'Malicious';
}

function readStix(reader: Reader, json: unknown, now: number): void {
  if (!isFields(json) || json.type !== 'bundle' || !Array.isArray(json.objects))
    throw bad('Not a STIX bundle: "type": "bundle" with a list of "objects" is missing.');
  let indicators = 0;
  for (const object of json.objects) {
    if (!isFields(object) || object.type !== 'indicator') continue;
    indicators++;
    readStixIndicator(reader, object, now);
  }
  if (indicators === 0) throw bad('The bundle contains no indicators.');
}

function readStixIndicator(reader: Reader, object: Fields, now: number): void {
  const read = readStixPattern(object, now);
  if (typeof read === 'string') reader.skip(`${shorten(textOf(object.name) ?? textOf(object.id) ?? '')}: ${read}`);
  else for (const { text, kind } of read) reader.add(text, stixReputation(object), kind);
}

/** Values of an indicator’s pattern, or the reason why it is not imported. */
export function readStixPattern(object: Fields, now: number): { text: string; kind: IndicatorKind }[] | string {
  const pattern = textOf(object.pattern);
  const until = textOf(object.valid_until);
  if (object.revoked === true) return 'revoked.';
  if (until !== undefined && Date.parse(until) <= now) return 'no longer valid.';
  if (pattern === undefined || pattern.length > 20_000 || (object.pattern_type ?? 'stix') !== 'stix')
    return 'only STIX patterns are imported.';
  return stixValues(pattern.trim()) ?? 'the pattern needs more than one address, domain or hash.';
}
