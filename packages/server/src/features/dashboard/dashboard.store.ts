/** SQL of the dashboard: severities of many ranges at once, each as exact as the list, from a few rows of the rollups. */
import { sql } from 'kysely';
import { type Horizon, piecesOf } from '../../core/db/figures.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { dateOf, dayMs, hourMs, type Piece, type Range } from '../../core/ranges.ts';

/** Criticality (1…5) → alerts. */
export type Severities = Map<number, number>;

/** In the order of the ranges, which do not overlap. */
export async function countSeverities(tx: Tx, scope: Scope, ranges: readonly Range[], horizon: Horizon): Promise<Severities[]> {
  const pieces = ranges.map((range) => piecesOf('severity', range, horizon));
  const of = (unit: Piece['unit']) => pieces.flat().filter((piece) => piece.unit === unit);
  const edges = of('edge');
  const [days, hours, counted] = [
    await countDays(tx, scope, of('day')),
    await countHours(tx, scope, of('hour')),
    await countEdges(tx, scope, edges),
  ];
  return pieces.map((ofRange) => {
    const sum: Severities = new Map();
    const add = (severities: Severities | undefined, sign: 1 | -1) => {
      for (const [criticality, count] of severities ?? []) sum.set(criticality, (sum.get(criticality) ?? 0) + sign * count);
    };
    for (const piece of ofRange) {
      if (piece.unit === 'edge') add(counted[edges.indexOf(piece)], piece.sign);
      else for (const at of startsOf(piece)) add((piece.unit === 'day' ? days : hours).get(at), piece.sign);
    }
    return sum;
  });
}

/** The days or hours of a piece, by their start. */
function startsOf({ unit, from, to }: Piece): number[] {
  const step = unit === 'day' ? dayMs : hourMs;
  return Array.from({ length: (to - from) / step }, (_, index) => from + index * step);
}

interface Row {
  start: number;
  criticality: number;
  count: number;
}

function byStart(rows: readonly Row[]): Map<number, Severities> {
  const map = new Map<number, Severities>();
  for (const { start, criticality, count } of rows) {
    const severities = map.get(start) ?? new Map<number, number>();
    severities.set(criticality, count);
    map.set(start, severities);
  }
  return map;
}

async function countDays(tx: Tx, scope: Scope, pieces: readonly Piece[]): Promise<Map<number, Severities>> {
  if (pieces.length === 0) return new Map();
  const from = Math.min(...pieces.map((piece) => piece.from));
  const to = Math.max(...pieces.map((piece) => piece.to));
  const { rows } = await sql<Row>`
    select extract(epoch from day::timestamp)::bigint * 1000 as start, criticality, sum(count)::bigint as count from rollup_day_severity
    where ${within('organisation_id', scope)} and day >= ${dateOf(from)}::date and day < ${dateOf(to)}::date group by day, criticality`.execute(
    tx,
  );
  return byStart(rows);
}

/** Only those hours that lie between a zone's midnights and those of UTC. */
async function countHours(tx: Tx, scope: Scope, pieces: readonly Piece[]): Promise<Map<number, Severities>> {
  if (pieces.length === 0) return new Map();
  const hours = [...new Set(pieces.flatMap((piece) => [...startsOf(piece)]))].map((at) => new Date(at));
  const { rows } = await sql<Row>`
    select extract(epoch from hour)::bigint * 1000 as start, criticality, sum(count)::bigint as count from rollup_hour_severity
    where ${within('organisation_id', scope)} and hour = any(${hours}::timestamptz[]) group by hour, criticality`.execute(tx);
  return byStart(rows);
}

/** By the edge's place in the list. */
async function countEdges(tx: Tx, scope: Scope, edges: readonly Piece[]): Promise<Severities[]> {
  if (edges.length === 0) return [];
  const first = new Date(Math.min(...edges.map(({ from }) => from)));
  const last = new Date(Math.max(...edges.map(({ to }) => to)));
  const { rows } = await sql<Row>`
    select e.place - 1 as start, c.criticality, c.count
    from unnest(${edges.map(({ from }) => new Date(from))}::timestamptz[], ${edges.map(({ to }) => new Date(to))}::timestamptz[])
      with ordinality e (from_at, to_at, place)
    cross join lateral (
      select criticality, count(*) as count from alerts
      where ${within('organisation_id', scope)} and at >= e.from_at and at < e.to_at and at >= ${first} and at < ${last}
      group by criticality
    ) c`.execute(tx);
  const byPlace = byStart(rows);
  return edges.map((_, place) => byPlace.get(place) ?? new Map());
}
