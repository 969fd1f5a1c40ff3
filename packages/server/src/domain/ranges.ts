/**
 * A timeframe as a sum of whole months, days and hours (UTC) that rollups hold, and of ragged edges that only the alerts can answer. Pieces
 * may be subtracted: a day without its last two hours is that day less those two. So figures are exact in every time zone, and no edge
 * is much longer than half of its smallest unit. Times are milliseconds since 1970.
 */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';

export type Unit = 'month' | 'day' | 'hour';

export interface Range {
  start: number;
  /** Exclusive. */
  end: number;
}

/** From ISO 8601. */
export const rangeOf = (start: string, end: string): Range => ({ start: Date.parse(start), end: Date.parse(end) });

export interface Piece {
  /** `edge` begins and ends anywhere, the others on their unit's boundaries. */
  unit: Unit | 'edge';
  from: number;
  /** Exclusive. */
  to: number;
  sign: 1 | -1;
}

export interface Ladder {
  /** Units of the rollups, longest first. */
  units: readonly Unit[];
  /** Nothing much lies behind it, so edges there cost nothing. */
  now: number;
  /** From when on a unit's rollups are kept; before, shorter units or the alerts stand in. */
  since?: Partial<Record<Unit, number>>;
}

export function floorTo(unit: Unit, at: number): number {
  if (unit === 'hour') return Math.floor(at / hourMs) * hourMs;
  if (unit === 'day') return Math.floor(at / dayMs) * dayMs;
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** The boundary after the one that `at` is on or behind. */
export function next(unit: Unit, at: number): number {
  if (unit === 'hour') return floorTo(unit, at) + hourMs;
  if (unit === 'day') return floorTo(unit, at) + dayMs;
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

export function ceilTo(unit: Unit, at: number): number {
  const floor = floorTo(unit, at);
  return floor === at ? at : next(unit, at);
}

/** `2026-11-21`, as PostgreSQL's `date`. */
export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

export function splitRange(range: Range, ladder: Ladder): Piece[] {
  return joined(cover(range.start, range.end, ladder, 0));
}

function cover(from: number, to: number, ladder: Ladder, level: number): Piece[] {
  if (from >= to) return [];
  const unit = ladder.units[level];
  if (!unit) return [{ unit: 'edge', from, to, sign: 1 }];
  const since = ceilTo(unit, ladder.since?.[unit] ?? Number.MIN_SAFE_INTEGER / 4096);
  if (from < since) {
    const cut = Math.min(to, since);
    return [...cover(from, cut, ladder, level + 1), ...cover(cut, to, ladder, level)];
  }
  const first = ceilTo(unit, from);
  const last = floorTo(unit, to);
  if (first > last) return part(from, to, unit, ladder, level);
  const whole: Piece[] = first < last ? [{ unit, from: first, to: last, sign: 1 }] : [];
  return [...part(from, first, unit, ladder, level), ...whole, ...part(last, to, unit, ladder, level)];
}

/** A part of one bucket: added up from shorter units, or the bucket less what does not belong, whichever reads less. */
function part(from: number, to: number, unit: Unit, ladder: Ladder, level: number): Piece[] {
  if (from >= to) return [];
  const bucket = { from: floorTo(unit, from), to: next(unit, from) };
  const added = cover(from, to, ladder, level + 1);
  const others = [...cover(bucket.from, from, ladder, level + 1), ...cover(to, bucket.to, ladder, level + 1)];
  const subtracted: Piece[] = [
    { unit, ...bucket, sign: 1 },
    ...others.map((piece): Piece => ({ ...piece, sign: piece.sign === 1 ? -1 : 1 })),
  ];
  return costOf(subtracted, ladder.now) < costOf(added, ladder.now) ? subtracted : added;
}

/** Cost of counting an hour of alerts, in rows of a rollup. */
const edgeHourCost = 40;
const pieceCost = 1;

function costOf(pieces: readonly Piece[], now: number): number {
  let cost = 0;
  for (const { unit, from, to } of pieces) {
    const hours = Math.max(0, Math.min(to, now) - from) / hourMs;
    cost +=
      pieceCost + (unit === 'edge' ? hours * edgeHourCost : unit === 'hour' ? hours : unit === 'day' ? hours / 24 : hours / 720);
  }
  return cost;
}

function joined(pieces: Piece[]): Piece[] {
  const result: Piece[] = [];
  const sorted = [...pieces].sort((a, b) => (a.unit < b.unit ? -1 : a.unit > b.unit ? 1 : b.sign - a.sign || a.from - b.from));
  for (const piece of sorted) {
    const last = result.at(-1);
    if (last && last.unit === piece.unit && last.sign === piece.sign && last.to === piece.from) last.to = piece.to;
    else result.push({ ...piece });
  }
  return result;
}
