/**
 * Labelled cases of `detections/cases`: telemetry with the conclusion of an experienced analyst. A third of them, chosen by the hash of the name, is
 * locked: their texts are pinned in `locked.json`, and their facts never leave the harness.
 */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Document } from '../../../../detections/testing/pairs.ts';
import { documentOf, lay } from '../../../../detections/testing/shapes.ts';

export const casesFolder = fileURLToPath(new URL('../../../../detections/cases', import.meta.url));
/** Cases of another client, written and locked as a whole before the weights of model 2.2: only their totals are ever printed. */
export const holdoutFolder = join(casesFolder, 'holdout');

export type Label = 'malicious' | 'benign';

/** One line of telemetry; it stands for `times` events, `every` seconds apart. `{n}` in a value becomes 1, 2, 3 … */
export interface CaseEvent {
  /** Seconds after the start. */
  at: number;
  times?: number;
  every?: number;
  shape: string;
  fields?: Record<string, unknown>;
}

/** Ordinary activity of the time before the case. */
export interface Prelude {
  /** Days before the start of the case: one, or the first and the last of a run. */
  days: [first: number, last: number];
  events: CaseEvent[];
  /** Reviewer's decision on the cases that each day opened. */
  review?: Label;
}

export interface LabelledCase {
  name: string;
  label: Label;
  /** Rule family, for figures by family. */
  family: string;
  by: 'written' | 'range' | 'world';
  /** Reason for the label in one sentence. */
  why: string;
  /** ISO time of second 0; a Wednesday at 10:00 by default. */
  begin?: string;
  history?: Prelude[];
  events: CaseEvent[];
  /** Instead of events, whole documents with their own times. */
  documents?: TimedDocument[];
}

export const defaultBegin = '2026-11-18T10:00:00Z';

/** All labelled cases, by name. */
export function readCases(folder: string = casesFolder): LabelledCase[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== 'locked.json')
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as LabelledCase[]);
}

/** True for the third (the half of everyday cases) that no one tunes on, and for the hold-out. Never locked: stories of the world and recordings, which change with their source, and cases added to learn from. */
export const isLocked = (name: string): boolean =>
  name.startsWith('holdout: ') ||
  (!/^(?:world|range|added)\b/.test(name) &&
    Number.parseInt(hash('sha256', name, 'hex').slice(0, 8), 16) % (name.startsWith('everyday: ') ? 2 : 3) === 0);

export const hashOfCase = (labelled: LabelledCase): string => hash('sha256', JSON.stringify(labelled), 'hex');

/** Locked cases and their hashes, by name. */
export const lockOf = (cases: readonly LabelledCase[]): Record<string, string> =>
  Object.fromEntries(
    cases
      .filter(({ name }) => isLocked(name))
      .map((labelled) => [labelled.name, hashOfCase(labelled)])
      .sort(([a], [b]) => (a! < b! ? -1 : 1)),
  );

export interface TimedDocument {
  at: number;
  document: Document;
}

/** Documents as their shippers post them, oldest first. */
export function documentsOf(events: readonly CaseEvent[], startedAt: number, salt: string): TimedDocument[] {
  return events
    .flatMap(({ at, times = 1, every = 0, shape, fields = {} }, line) =>
      Array.from({ length: times }, (_, index): TimedDocument => {
        const time = startedAt + (at + index * every) * 1_000;
        const document = documentOf(shape, numbered(fields, index + 1) as Record<string, unknown>);
        setTimes(document, time);
        setIdentity(document, `${salt} ${line} ${index}`);
        return { at: time, document };
      }),
    )
    .sort((a, b) => a.at - b.at);
}

export const beginOf = ({ begin = defaultBegin }: LabelledCase): number => Date.parse(begin);

/** Documents of each day of the preludes, oldest day first. */
export function preludeOf(labelled: LabelledCase): { documents: TimedDocument[]; review: Label | undefined }[] {
  return (labelled.history ?? [])
    .flatMap(({ days: [first, last], events, review }, line) =>
      Array.from({ length: Math.abs(first - last) + 1 }, (_, index) => {
        const day = Math.max(first, last) - index;
        return {
          day,
          documents: documentsOf(events, beginOf(labelled) - day * dayMs, `${labelled.name} ${line} -${day}`),
          review,
        };
      }),
    )
    .sort((a, b) => b.day - a.day);
}

function numbered(value: unknown, n: number): unknown {
  if (typeof value === 'string') return value.replaceAll('{n}', String(n));
  if (Array.isArray(value)) return value.map((each) => numbered(each, n));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, numbered(inner, n)]));
}

/** Sets the time wherever the document's source writes it. */
function setTimes(document: Document, at: number): void {
  const iso = new Date(at).toISOString();
  if ('createdDateTime' in document) document.createdDateTime = iso;
  else if ('activityDateTime' in document) document.activityDateTime = iso;
  else if ('CreationTime' in document) document.CreationTime = iso.slice(0, 19);
  else if ('eventTime' in document) document.eventTime = iso;
  else document['@timestamp'] = iso;
  const { event, winlog, message, process } = document as Record<string, Record<string, unknown> | string | undefined>;
  if (typeof event === 'object' && event.start !== undefined) event.start = iso;
  if (typeof event === 'object' && event.end !== undefined) event.end = iso;
  if (typeof process === 'object' && process.start !== undefined) process.start = iso;
  const data = typeof winlog === 'object' ? (winlog.event_data as Record<string, unknown>) : undefined;
  if (data?.UtcTime !== undefined) data.UtcTime = iso.replace('T', ' ').slice(0, 23);
  if (typeof message === 'string') document.message = message.replace(accessTime, `[${accessTimeOf(at)}]`);
}

const accessTime = /\[\d{2}\/[A-Z][a-z]{2}\/\d{4}:[\d:]{8} [+-]\d{4}\]/;
/** `20/Nov/2026:09:14:05 +0000` */
function accessTimeOf(at: number): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(at).toUTCString())!;
  return `${day}/${month}/${year}:${time} +0000`;
}

/** Gives records their own number or id, as their sources do. */
function setIdentity(document: Document, salt: string): void {
  const hex = hash('sha256', salt, 'hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-9${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  if ('CreationTime' in document) document.Id = id;
  else if ('createdDateTime' in document || 'activityDateTime' in document) document.id = id;
  if ('eventTime' in document) document.eventID = id;
  if ('winlog' in document) lay(document, 'winlog.record_id', Number.parseInt(hex.slice(0, 7), 16));
}
