/** Instants and the wall clocks of zones, which only Intl knows to relate. Pure; times are milliseconds since 1970. */
const dayMs = 86_400_000;

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

/** What the wall clock of a zone shows at an instant, as if it were UTC. */
export function wallClock(instant: number, timeZone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instant)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * The first instant of a day in a zone, the day given as its UTC midnight. Where clocks are put forward at midnight there is no 00:00 (the day
 * starts at 01:00), where they are put back there are two (the first counts). Zone offsets are taken a day before and after: no zone changes
 * twice in two days.
 */
export function startOfDay(wall: number, timeZone: string): number {
  const [before, after] = [wall - dayMs, wall + dayMs].map((at) => wall - (wallClock(at, timeZone) - at)) as [number, number];
  if (before === after) return before;
  const real = [before, after].filter((at) => wallClock(at, timeZone) === wall);
  return real.length > 0 ? Math.min(...real) : before;
}
