/** SQL of the dashboard: severities of many ranges at once, each as exact as the list, from a few rows of the rollups, in one round trip. */
import { type RawBuilder, sql } from 'kysely';
import { type Horizon, piecesOf } from '../../core/db/figures.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { dateOf, type Piece, type Range } from '../../core/ranges.ts';

/** Criticality (1…5) → alerts. */
export type Severities = Map<number, number>;

interface Placed extends Piece {
  /** Of the range that it belongs to. */
  place: number;
}

/** In the order of the ranges. */
export async function countSeverities(tx: Tx, scope: Scope, ranges: readonly Range[], horizon: Horizon): Promise<Severities[]> {
  const pieces = ranges.flatMap((range, place) =>
    piecesOf('severity', range, horizon).map((piece): Placed => ({ ...piece, place })),
  );
  const of = (unit: Piece['unit']) => pieces.filter((piece) => piece.unit === unit);
  const parts = [
    ...summedMonths(of('month'), scope),
    ...summed(
      of('day'),
      (place) =>
        sql`select criticality, sum(count) as n from rollup_day_severity where ${within('organisation_id', scope)} and ${place('day')} group by criticality`,
    ),
    ...summed(
      of('hour'),
      (place) =>
        sql`select criticality, sum(count) as n from rollup_hour_severity where ${within('organisation_id', scope)} and ${place('hour')} group by criticality`,
    ),
    ...summed(
      of('edge'),
      (place) =>
        sql`select criticality, count(*) as n from alerts where ${within('organisation_id', scope)} and ${place('at')} group by criticality`,
    ),
  ];
  const result = ranges.map((): Severities => new Map());
  if (parts.length === 0) return result;
  const { rows } = await sql<{ place: number; criticality: number; count: number }>`
    select place, criticality, sum(n)::bigint as count from (${sql.join(parts, sql` union all `)}) counted group by place, criticality`.execute(
    tx,
  );
  for (const { place, criticality, count } of rows) result[place]!.set(criticality, count);
  return result;
}

/** Whole months lie close: all are read once, and then belong to several pieces. */
function summedMonths(pieces: readonly Placed[], scope: Scope): RawBuilder<unknown>[] {
  if (pieces.length === 0) return [];
  const { table, from, to } = placesOf(pieces);
  return [
    sql`select p.place, c.criticality, p.sign * c.n as n from ${table} join (
      select month, criticality, sum(count) as n from rollup_month_severity
      where ${within('organisation_id', scope)} and month >= ${from} and month < ${to} group by month, criticality
    ) c on c.month >= p.from_at and c.month < p.to_at`,
  ];
}

/** `count` for each piece, added to or subtracted from the range at its place. */
function summed(
  pieces: readonly Placed[],
  count: (between: (column: string) => RawBuilder<boolean>) => RawBuilder<unknown>,
): RawBuilder<unknown>[] {
  if (pieces.length === 0) return [];
  const { table, from, to } = placesOf(pieces);
  // The whole span besides each piece: only constants tell the planner which months it lies in.
  const between = (column: string) => {
    const name = sql.ref(column);
    return sql<boolean>`${name} >= p.from_at and ${name} < p.to_at and ${name} >= ${from} and ${name} < ${to}`;
  };
  return [sql`select p.place, c.criticality, p.sign * c.n as n from ${table} cross join lateral (${count(between)}) c`];
}

/** Pieces of one unit as a table `p`, and the span from the first to the last. */
function placesOf(pieces: readonly Placed[]): Record<'table' | 'from' | 'to', RawBuilder<unknown>> {
  const isDay = pieces[0]?.unit === 'day' || pieces[0]?.unit === 'month';
  const bound = (at: number): string => (isDay ? dateOf(at) : new Date(at).toISOString());
  const type = sql.raw(isDay ? 'date' : 'timestamptz');
  return {
    table: sql`unnest(${pieces.map((piece) => piece.place)}::integer[], ${pieces.map((piece) => piece.sign)}::integer[],
      ${pieces.map((piece) => bound(piece.from))}::${type}[], ${pieces.map((piece) => bound(piece.to))}::${type}[]) p (place, sign, from_at, to_at)`,
    from: sql`${bound(Math.min(...pieces.map((piece) => piece.from)))}::${type}`,
    to: sql`${bound(Math.max(...pieces.map((piece) => piece.to)))}::${type}`,
  };
}
