/** Rules with their test pairs, and sequences of events played through correlations. README.md describes the files. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import { compileRules, type Matcher } from '@parapet/sigma/matcher.ts';
import { type Loaded, loadRules } from '@parapet/sigma/rules.ts';
import { correlationStream } from '@parapet/sigma/stream.ts';

export type Document = Record<string, unknown>;

/** One line of a sequence; it stands for `times` events, `every` seconds apart. */
export interface Step {
  /** Seconds after the start. */
  at: number;
  times?: number;
  every?: number;
  /** Path → value, laid over the document; `{n}` in a text is the number of the event, from 1, with four digits at least. */
  set?: Record<string, unknown>;
  /** Instead of the document that the pair's events share. */
  document?: Document;
}

export interface Sequence {
  events: Step[];
}

export interface Pair<T> {
  matches: T[];
  misses: T[];
}

/** When sequences start, and the time that undated lines are read at. */
export const startedAt = Date.UTC(2026, 10, 20, 9, 0, 0);

const folder = fileURLToPath(new URL('..', import.meta.url));

export function compiled(): Loaded & { matcher: Matcher } {
  known ??= load();
  return known;
}

let known: (Loaded & { matcher: Matcher }) | undefined;

function load(): Loaded & { matcher: Matcher } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yml'));
  const loaded = loadRules(files.sort().map((file) => ({ file, text: readFileSync(`${folder}/${file}`, 'utf8') })));
  return { ...loaded, matcher: compileRules(loaded.rules) };
}

/** The pair beside a rule's file; of a correlation also the document that its events share. */
export function encodeEvent<T>(file: string): Pair<T> & { document?: Document } {
  return JSON.parse(readFileSync(`${folder}/${file.replace(/\.yml$/, '.test.json')}`, 'utf8')) as Pair<T> & {
    document?: Document;
  };
}

/** The documents of a sequence as they would be shipped, oldest first. */
export function played({ events }: Sequence, shared: Document = {}): { document: Document; at: number }[] {
  const documents = events.flatMap((step) =>
    Array.from({ length: step.times ?? 1 }, (_, index) => {
      const at = startedAt + (step.at + index * (step.every ?? 0)) * 1_000;
      const document = structuredClone(step.document ?? shared);
      for (const [path, value] of Object.entries(step.set ?? {})) lay(document, path, numbered(value, index + 1));
      setTime(document, at);
      return { document, at };
    }),
  );
  return documents.sort((a, b) => a.at - b.at);
}

/** Ids of all correlations that fire on a sequence. */
export function firedBy(sequence: Sequence, shared?: Document): Set<string> {
  const { correlations, matcher } = compiled();
  const stream = correlationStream(correlations);
  const fired = new Set<string>();
  for (const [index, { document, at }] of played(sequence, shared).entries()) {
    const { document: normal } = normalise(document, at);
    for (const { correlation } of stream.add(matcher.match(normal), normal, at, String(index))) fired.add(correlation.id);
  }
  for (const { correlation } of stream.end()) fired.add(correlation.id);
  return fired;
}

const numbered = (value: unknown, n: number): unknown => (typeof value === 'string' ? value.replaceAll('{n}', String(n)) : value);

function lay(document: Document, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop()!;
  let place = document;
  for (const key of keys) {
    place[key] ??= {};
    place = place[key] as Document;
  }
  place[last] = value;
}

/** Each shape has its own field for the time of the event. */
function setTime(document: Document, at: number): void {
  const iso = new Date(at).toISOString();
  if ('createdDateTime' in document) document.createdDateTime = iso;
  else if ('CreationTime' in document) document.CreationTime = iso.slice(0, 19);
  else document['@timestamp'] = iso;
}
