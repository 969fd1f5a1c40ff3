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
  const all = pieces.flat();
  const known: Record<Piece['unit'], Map<number, Severities>> = {
    month: new Map(),
    day: await countDays(
      tx,
      scope,
      all.filter(({ unit }) => unit === 'day'),
    ),
    hour: await countHours(
      tx,
      scope,
      all.filter(({ unit }) => unit === 'hour'),
    ),
    edge: await countEdges(
      tx,
      scope,
      all.filter(({ unit }) => unit === 'edge'),
    ),
  };
  return pieces.map((ofRange) => {
    const sum: Severities = new Map();
    for (const piece of ofRange) {
      for (const at of startsOf(piece)) {
        for (const [criticality, count] of known[piece.unit].get(at) ?? []) {
          sum.set(criticality, (sum.get(criticality) ?? 0) + piece.sign * count);
        }
      }
    }
    return sum;
  });
}

/** The days or hours of a piece by their start; an edge by its own. */
function* startsOf({ unit, from, to }: Piece): Iterable<number> {
  const step = unit === 'day' ? dayMs : unit === 'hour' ? hourMs : to - from;
  for (let at = from; at < to; at += step) yield at;
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

async function countEdges(tx: Tx, scope: Scope, pieces: readonly Piece[]): Promise<Map<number, Severities>> {
  if (pieces.length === 0) return new Map();
  const edges = [...new Map(pieces.map((piece) => [piece.from, piece])).values()];
  const { rows } = await sql<Row>`
    select extract(epoch from e.from_at)::bigint * 1000 as start, c.criticality, c.count
    from unnest(${edges.map(({ from }) => new Date(from))}::timestamptz[], ${edges.map(({ to }) => new Date(to))}::timestamptz[]) e (from_at, to_at)
    cross join lateral (
      select criticality, count(*) as count from alerts where ${within('organisation_id', scope)} and at >= e.from_at and at < e.to_at
        and at >= ${new Date(Math.min(...edges.map(({ from }) => from)))} and at < ${new Date(Math.max(...edges.map(({ to }) => to)))}
      group by criticality
    ) c`.execute(tx);
  return byStart(rows);
}
