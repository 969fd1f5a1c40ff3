/**
 * Fields that events of a kind arrive with. A field is missing on evidence only: after as many sampled events and hours without it, and never while
 * a gap is no longer than three times the longest one before.
 */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';

/** One field of a kind. Times in seconds since 1970. */
export interface FieldSighting {
  field: string;
  /** Newest event with it; null if it was never seen. */
  at: number | null;
  /** Sampled events since. */
  missed: number;
  /** Time of the event from which it is followed. */
  since: number;
  /** Most sampled events between two with it. */
  gap: number;
}

/** Sampled events of a kind since the last write. Times in seconds since 1970. */
export interface Sample {
  fields: readonly string[];
  /** Newest event with each field that was seen. */
  seen: ReadonlyMap<string, number>;
  sampled: number;
  firstAt: number;
  lastAt: number;
}

export const enoughEvents = 100;
export const enoughHours = 6;
/** Days that a kind counts after its newest event, as for log sources. */
const liveDays = 7;
/** Days that rows are kept after the newest event. */
export const sightingDays = 30;
const maxGap = 2_000;
const maxCount = 1_000_000_000;

/** Fields of the sample, each with what was stored of it; fields that rules read no longer are dropped. */
export function mergeSightings(stored: readonly FieldSighting[], sample: Sample): FieldSighting[] {
  const known = new Map(stored.map((each) => [each.field, each]));
  return sample.fields.map((field) => {
    const before = known.get(field) ?? { field, at: null, missed: 0, since: sample.firstAt, gap: 0 };
    const at = sample.seen.get(field);
    if (at === undefined) return { ...before, missed: Math.min(maxCount, before.missed + sample.sampled) };
    const gap = before.at === null ? 0 : Math.min(maxGap, Math.max(before.gap, before.missed));
    return { ...before, at: Math.max(before.at ?? at, at), missed: 0, gap };
  });
}

/** @param lastAt newest event of the kind, in seconds since 1970 */
export function stateOf({ at, missed, since, gap }: FieldSighting, lastAt: number): 'seen' | 'missing' | 'unknown' {
  const isLong = lastAt - (at ?? since) >= (enoughHours * hourMs) / 1000;
  if (isLong && missed >= Math.max(enoughEvents, 3 * gap)) return 'missing';
  return at === null ? 'unknown' : 'seen';
}

type Row = [field: string, at: number | null, missed: number, since: number, gap: number];
export const rowsOf = (sightings: readonly FieldSighting[]): string =>
  JSON.stringify(sightings.map(({ field, at, missed, since, gap }): Row => [field, at, missed, since, gap]));
export const sightingsOf = (rows: readonly Row[]): FieldSighting[] =>
  rows.map(([field, at, missed, since, gap]) => ({ field, at, missed, since, gap }));

/** Kinds that arrive with the same fields, and the organisations that send them. */
export interface SightedKind {
  source: string;
  codeField: string;
  code: string;
  missing: string[];
  unknown: string[];
  organisationIds: number[];
}

export async function listKinds(tx: Tx, scope: Scope, now: number): Promise<SightedKind[]> {
  const { rows } = await sql<SightedKind>`
    select k.source, k.code_field as "codeField", k.code, f.missing, f.unknown, k.ids as "organisationIds"
    from (select source, code_field, code, state, array_agg(organisation_id) as ids
      from field_sightings where ${within('organisation_id', scope)} and last_at >= ${new Date(now - liveDays * dayMs)}
      group by source, code_field, code, state) k
    join field_sightings f on (f.organisation_id, f.source, f.code_field, f.code) = (k.ids[1], k.source, k.code_field, k.code)
    order by 1, 2, 3`.execute(tx);
  return rows;
}

export interface FieldEvidence {
  field: string;
  lastSeenAt: Date | null;
  /** Sampled events without it. */
  events: number;
  firstAt: Date;
}

/** Evidence about the fields of a kind, over the organisations of the scope in which they are missing. */
export async function readEvidence(
  tx: Tx,
  scope: Scope,
  { source, codeField, code }: Pick<SightedKind, 'source' | 'codeField' | 'code'>,
  fields: readonly string[],
): Promise<FieldEvidence[]> {
  const { rows } = await sql<FieldEvidence>`
    select f ->> 0 as field, to_timestamp(max((f ->> 1)::float8)) as "lastSeenAt", sum((f ->> 2)::bigint)::float8 as events,
      to_timestamp(min((f ->> 3)::float8)) as "firstAt"
    from field_sightings s, jsonb_array_elements(s.fields) f
    where ${within('s.organisation_id', scope)} and (s.source, s.code_field, s.code) = (${source}, ${codeField}, ${code})
      and f ->> 0 = any(${[...fields]}::text[]) and f ->> 0 = any(s.missing)
    group by 1`.execute(tx);
  return rows;
}
