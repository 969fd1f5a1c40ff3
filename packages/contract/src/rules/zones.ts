/** Conversion between instants and local times, by Temporal where the engine has it, else by Intl. Pure; times are milliseconds since 1970. */
import { dayMs } from './duration.ts';

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  return format;
}

interface Zoned {
  Instant: { fromEpochMilliseconds(ms: number): { toZonedDateTimeISO(zone: string): { offsetNanoseconds: number } } };
}
/** Without the tables of a formatter, which take a browser 20 to 40 ms to load. */
const { Temporal } = globalThis as { Temporal?: Zoned };

/** Local time in a time zone at an instant, to the second, encoded as if it were UTC. */
export function wallClock(instant: number, timeZone: string): number {
  if (Temporal) {
    const seconds = Math.floor(instant / 1000);
    const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(timeZone);
    return seconds * 1000 + offsetNanoseconds / 1e6;
  }
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instant)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** First instant at which the clocks of a time zone show a local time (`2026-03-29T02:30`); where they leave it out, as far after their jump. */
export function instantOfLocal(local: string, timeZone: string): number {
  const wall = Date.parse(`${local}Z`);
  return Number.isNaN(wall) ? Number.NaN : startOfDay(wall, timeZone);
}

/**
 * First instant of a day in a time zone; the day is given as its UTC midnight. Where clocks go forward at midnight, 00:00 does not exist (the day
 * starts at 01:00); where they go back, it occurs twice (the first counts). Offsets are sampled a day before and after: no time zone changes
 * twice in two days.
 */
export function startOfDay(wall: number, timeZone: string): number {
  const [before, after] = [wall - dayMs, wall + dayMs].map((at) => wall - (wallClock(at, timeZone) - at)) as [number, number];
  if (before === after) return before;
  const real = [before, after].filter((at) => wallClock(at, timeZone) === wall);
  return real.length > 0 ? Math.min(...real) : before;
}
