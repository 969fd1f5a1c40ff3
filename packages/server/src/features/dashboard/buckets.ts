/** Days or months of the viewer’s zone covered by a timeframe. Pure; times are milliseconds since 1970. */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { startOfDay, wallClock } from '@parapet/contract/rules/zones.ts';
import type { Range } from '../../domain/ranges.ts';

export interface Bucket extends Range {
  /** First day of the bucket in the zone, YYYY-MM-DD; the bucket itself may start later, with the timeframe. */
  firstDay: string;
}

export interface Buckets {
  unit: 'day' | 'month';
  buckets: Bucket[];
}

const maxDays = 62;

const first = (wall: number, unit: 'day' | 'month', ahead: number): number => {
  const date = new Date(wall);
  return unit === 'day'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + ahead)
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead, 1);
};

/** Contiguous buckets in order; months beyond 62 days. Undefined when there would be more than `limit`. */
export function bucketsOf(range: Range, timeZone: string, limit: number): Buckets | undefined {
  // One more hour for timeframes across the end of summer time.
  const unit = range.end - range.start > maxDays * dayMs + hourMs ? 'month' : 'day';
  const begin = wallClock(range.start, timeZone);
  const buckets: Bucket[] = [];
  for (let index = 0, start = range.start; start < range.end; index++) {
    if (index === limit) return undefined;
    const end = Math.min(startOfDay(first(begin, unit, index + 1), timeZone), range.end);
    // A day the zone skipped at the date line is empty.
    if (end > start) buckets.push({ firstDay: new Date(first(begin, unit, index)).toISOString().slice(0, 10), start, end });
    start = Math.max(start, end);
  }
  return { unit, buckets };
}
