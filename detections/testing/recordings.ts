/**
 * Recordings of techniques: small sequences of events, written by hand or recorded on the range, and the level of alert that an analyst
 * expects of each. Events run through the same normalisation and rules as those of test pairs.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import type { Correlation, SigmaRule } from '@parapet/sigma/rules.ts';
import { correlationStream } from '@parapet/sigma/stream.ts';
import { compiled, type Document, setTime, startedAt } from './pairs.ts';
import { documentOf } from './shapes.ts';

/** One event: a shape of `shapes/` with the values that matter. */
export interface RecordedEvent {
  /** Seconds after the start. */
  at: number;
  shape: string;
  fields: Record<string, unknown>;
}

export interface Recording {
  title: string;
  /** ATT&CK ids. */
  techniques: string[];
  /** Recorded on the range, or written from knowledge of the technique. */
  origin: 'range' | 'written';
  how: string;
  /** Least level of at least one alert; `none` for harmless activity, which raises nothing that opens a case. */
  expected: Level | 'none';
  /** Events, or the name of a file of raw documents (`.ndjson.gz`). */
  events: RecordedEvent[] | string;
}

export type Level = NonNullable<SigmaRule['level']>;

export interface Alert {
  rule: SigmaRule | Correlation;
  level: Level;
}

/** From least to most severe. */
export const levels: readonly Level[] = ['informational', 'low', 'medium', 'high', 'critical'];

const folder = fileURLToPath(new URL('../recordings', import.meta.url));

const isList = (file: string): boolean => /^(?:locked|missed)(?:-[a-z0-9]+)*\.json$/.test(file);

const filesOf = (extension: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .sort();

const read = <T>(file: string): T => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as T;

/** Every recording by its slug. */
export function recordings(): [slug: string, recording: Recording][] {
  return filesOf('.json')
    .filter((file) => !isList(file))
    .map((file) => [file.slice(0, -'.json'.length), read<Recording>(file)]);
}

/** Files of raw documents, each named by one recording. */
export const rawFiles = (): string[] => filesOf('.ndjson.gz');

/** File → SHA-256 in hexadecimal, of all `locked*.json`: recordings that were fixed before rules were tuned. */
export function locked(): [file: string, hash: string][] {
  return filesOf('.json')
    .filter((file) => file.startsWith('locked') && isList(file))
    .flatMap((file) => Object.entries(read<Record<string, string>>(file)));
}

export const hashOf = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(`${folder}/${basename(file)}`))
    .digest('hex');

/** Slugs, of all `missed*.json`, that the rules do not find yet. */
export function missed(): string[] {
  return filesOf('.json')
    .filter((file) => file.startsWith('missed') && isList(file))
    .flatMap((file) => read<string[]>(file));
}

/** Raw documents in the order shipped, as a shipper would post them. Throws for a shape or a field that does not exist. */
export function documentsOfRecording({ events }: Recording): Document[] {
  if (typeof events === 'string')
    return gunzipSync(readFileSync(`${folder}/${basename(events)}`))
      .toString('utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as Document);
  return events.map(({ at, shape, fields }) => {
    const document = documentOf(shape, fields);
    setTime(document, startedAt + at * 1_000);
    return document;
  });
}

/** Alerts of rules and correlations on a recording, one for each match, in order of time. */
export function alertsOf(recording: Recording): Alert[] {
  const { correlations, matcher } = compiled();
  const stream = correlationStream(correlations);
  const events = documentsOfRecording(recording).map((document) => {
    const { document: normal, claimedAt } = normalise(document, startedAt);
    return { normal, at: claimedAt ?? startedAt };
  });
  events.sort((a, b) => a.at - b.at);
  const matched: (SigmaRule | Correlation)[] = [];
  for (const [index, { normal, at }] of events.entries()) {
    const rules = matcher.match(normal);
    matched.push(...rules.filter(({ standalone }) => standalone));
    for (const { correlation } of stream.add(rules, normal, at, String(index)))
      if (correlation.standalone) matched.push(correlation);
  }
  for (const { correlation } of stream.end()) if (correlation.standalone) matched.push(correlation);
  return matched.map((rule) => ({ rule, level: rule.level ?? 'informational' }));
}

/** True if the alerts are as the recording expects: one of its level or above, or, for harmless activity, none above low. */
export function isAsExpected({ expected }: Recording, alerts: readonly Alert[]): boolean {
  const highest = Math.max(-1, ...alerts.map(({ level }) => levels.indexOf(level)));
  return expected === 'none' ? highest < levels.indexOf('medium') : highest >= levels.indexOf(expected);
}
