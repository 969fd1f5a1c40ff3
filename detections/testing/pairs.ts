/** Rules with their test pairs, and sequences of events played through correlations. README.md describes the files. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import { compileRules, type Matcher } from '@parapet/sigma/matcher.ts';
import { type Loaded, loadRules } from '@parapet/sigma/rules.ts';
import { correlationStream } from '@parapet/sigma/stream.ts';
import { documentOf, lay } from './shapes.ts';

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
  /** Instead of the pair's shape. */
  shape?: string;
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

/** What the events of a sequence share. */
export interface Shared {
  /** Of events that do not name another. */
  shape?: string;
  /** The whole document; with a shape, the values laid over it. */
  document?: Document;
}

/** As it stands in a file: whole documents, or a shape and the values that matter. */
interface WrittenPair extends Shared, Pair<Document> {
  /** Spelling → why the rule cannot find it. */
  evadedBy?: Record<string, string>;
}

const pairOf = (file: string): WrittenPair =>
  JSON.parse(readFileSync(`${folder}/${file.replace(/\.yml$/, '.test.json')}`, 'utf8')) as WrittenPair;

/** The pair beside a rule's file, as documents that its shipper would post. */
export function documentsOf(file: string): Pair<Document> & { evadedBy: Record<string, string> } {
  const { shape, matches, misses, evadedBy = {} } = pairOf(file);
  const complete = (document: Document): Document => {
    const { shape: own, ...values } = document;
    const name = typeof own === 'string' ? own : shape;
    return name === undefined ? document : documentOf(name, values);
  };
  return { matches: matches.map(complete), misses: misses.map(complete), evadedBy };
}

/** The sequences beside a correlation's file, and what their events share. */
export const sequencesOf = (file: string): Pair<Sequence> & Shared => pairOf(file) as unknown as Pair<Sequence> & Shared;

/** The documents of a sequence as they would be shipped, oldest first. */
export function played({ events }: Sequence, shared: Shared = {}): { document: Document; at: number }[] {
  const documents = events.flatMap((step) =>
    Array.from({ length: step.times ?? 1 }, (_, index) => {
      const at = startedAt + (step.at + index * (step.every ?? 0)) * 1_000;
      const set = Object.entries(step.set ?? {}).map(([path, value]) => [path, numbered(value, index + 1)] as const);
      const document = written(step, shared, Object.fromEntries(set));
      setTime(document, at);
      return { document, at };
    }),
  );
  return documents.sort((a, b) => a.at - b.at);
}

function written(step: Step, shared: Shared, set: Readonly<Record<string, unknown>>): Document {
  const shape = step.shape ?? (step.document ? undefined : shared.shape);
  if (shape !== undefined) return documentOf(shape, { ...(step.shape ? {} : shared.document), ...set });
  const document = structuredClone(step.document ?? shared.document ?? {});
  for (const [path, value] of Object.entries(set)) lay(document, path, value);
  return document;
}

/** Ids of all correlations that fire on a sequence. */
export function firedBy(sequence: Sequence, shared?: Shared): Set<string> {
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

/** Sets the time of an event, in milliseconds since 1970, in the field where its shape has it. */
export function setTime(document: Document, at: number): void {
  const iso = new Date(at).toISOString();
  if ('createdDateTime' in document) document.createdDateTime = iso;
  else if ('CreationTime' in document) document.CreationTime = iso.slice(0, 19);
  else document['@timestamp'] = iso;
}
