/** The days or months of a viewer's zone that a timeframe touches. Pure; times are milliseconds since 1970. */
import { dayMs, hourMs, type Range } from '../../core/ranges.ts';

export interface Bucket extends Range {
  /** First day of the bucket in the zone, YYYY-MM-DD; the bucket itself may begin later, where the timeframe does. */
  firstDay: string;
}

export interface Buckets {
  unit: 'day' | 'month';
  buckets: Bucket[];
}

const mostDays = 62;

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    const numeric = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    } as const;
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      ...numeric,
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** What the wall clock shows at an instant, as if it were UTC. */
function wallClock(at: number, timeZone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * The first instant of a day, given as its UTC midnight. Where clocks go forward at midnight the day begins at 01:00, where they go back there
 * are two midnights and the first counts. No zone changes twice within two days.
 */
function startOfDay(wall: number, timeZone: string): number {
  const [before, after] = [wall - dayMs, wall + dayMs].map((at) => wall - (wallClock(at, timeZone) - at)) as [number, number];
  if (before === after) return before;
  const real = [before, after].filter((at) => wallClock(at, timeZone) === wall);
  return real.length > 0 ? Math.min(...real) : before;
}

const first = (wall: number, unit: 'day' | 'month', ahead: number): number => {
  const date = new Date(wall);
  return unit === 'day'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + ahead)
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead, 1);
};

/** In order and without gaps; by month beyond 62 days. Undefined when there would be more than `limit`. */
export function bucketsOf(range: Range, timeZone: string, limit: number): Buckets | undefined {
  // An hour more where the timeframe crosses the end of summer time.
  const unit = range.end - range.start > mostDays * dayMs + hourMs ? 'month' : 'day';
  const begin = wallClock(range.start, timeZone);
  const buckets: Bucket[] = [];
  for (let index = 0, start = range.start; start < range.end; index++) {
    if (index === limit) return undefined;
    const end = Math.min(startOfDay(first(begin, unit, index + 1), timeZone), range.end);
    // A day that a zone skipped when it crossed the date line is empty.
    if (end > start) buckets.push({ firstDay: new Date(first(begin, unit, index)).toISOString().slice(0, 10), start, end });
    start = Math.max(start, end);
  }
  return { unit, buckets };
}
