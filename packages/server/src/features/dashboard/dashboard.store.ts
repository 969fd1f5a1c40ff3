/** SQL of the dashboard: severities of many ranges in one round trip, exact to the alert, from a few rows of the rollups. */
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within, withinWhole } from '../../core/db/within.ts';
import { type Horizon, piecesOf } from '../../domain/figures.ts';
import { dateOf, type Piece, type Range } from '../../domain/ranges.ts';

/** Criticality (1…5) → alerts. */
export type Severities = Map<number, number>;

interface Placed extends Piece {
  /** Index of its range. */
  place: number;
}

/** In the order of the ranges. */
export async function countSeverities(tx: Tx, scope: Scope, ranges: readonly Range[], horizon: Horizon): Promise<Severities[]> {
  const pieces = ranges.flatMap((range, place) =>
    piecesOf('severity', range, horizon).map((piece): Placed => ({ ...piece, place })),
  );
  const of = (unit: Piece['unit']) => pieces.filter((piece) => piece.unit === unit);
  const months = of('month').map((piece) => ({ ...piece, from: dateOf(piece.from), to: dateOf(piece.to) }));
  const parts = [
    ...wholeMonths(of('month'), scope),
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
  const add = (place: number, criticality: number, count: number) => {
    const severities = result[place] as Severities;
    severities.set(criticality, (severities.get(criticality) ?? 0) + count);
  };
  const { rows } = await sql<Row>`${sql.join(parts, sql` union all `)}`.execute(tx);
  for (const { month, place, criticality, count } of rows) {
    if (place !== null) add(place, criticality, count);
    else if (month !== null)
      for (const { from, to, sign, place } of months) if (month >= from && month < to) add(place, criticality, sign * count);
  }
  return result;
}

/** Month, or index of the range of a piece. */
interface Row {
  month: string | null;
  place: number | null;
  criticality: number;
  count: number;
}

/** Whole months are adjacent: all are read once, and each may belong to several pieces. */
function wholeMonths(pieces: readonly Placed[], scope: Scope): RawBuilder<unknown>[] {
  if (pieces.length === 0) return [];
  const { from, to } = placesOf(pieces);
  return [
    sql`select month::text as month, null::integer as place, criticality, sum(count)::bigint as count from rollup_month_severity
      where ${withinWhole('organisation_id', scope)} and month >= ${from} and month < ${to} group by rollup_month_severity.month, criticality`,
  ];
}

/** `count` per piece, added to or subtracted from its range. */
function summed(
  pieces: readonly Placed[],
  count: (between: (column: string) => RawBuilder<boolean>) => RawBuilder<unknown>,
): RawBuilder<unknown>[] {
  if (pieces.length === 0) return [];
  const { table, from, to } = placesOf(pieces);
  // The whole span besides each piece: the planner prunes partitions by constants only.
  const between = (column: string) => {
    const name = sql.ref(column);
    return sql<boolean>`${name} >= p.from_at and ${name} < p.to_at and ${name} >= ${from} and ${name} < ${to}`;
  };
  return [
    sql`select null::text as month, p.place, c.criticality, (p.sign * c.n)::bigint as count from ${table} cross join lateral (${count(between)}) c`,
  ];
}

/** CTE `p`: pieces of one unit, with the span from the first to the last. */
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
