/** Times as lists show them: relative at a glance, absolute in the viewer's zone on hover. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "now", "5 min", "3 h", "2 d", then the date (with the time of day in the present year); the future (a wrong clock) as "in 3 h". */
export function relativeTime(at: number, now: number, timeZone?: string): string {
  if (!Number.isFinite(at)) return '–';
  const past = now - at;
  const size = Math.abs(past);
  if (size < minute) return past < -1000 ? 'in < 1 min' : 'now';
  if (size >= 7 * day) return dayText(at, now, timeZone);
  const text =
    size < hour
      ? `${Math.floor(size / minute)} min`
      : size < day
        ? `${Math.floor(size / hour)} h`
        : `${Math.floor(size / day)} d`;
  return past < 0 ? `in ${text}` : `${text} ago`;
}

export type HourCycle = 'h23' | 'h12';
let hourCycle: HourCycle = 'h23';

/** Clock format of the viewer: 14:03, or 2:03 pm. */
export function setHourCycle(next: HourCycle): void {
  if (next !== hourCycle) formats.clear();
  hourCycle = next;
}

const formats = new Map<string, Intl.DateTimeFormat>();
function format(key: string, options: Intl.DateTimeFormatOptions, timeZone?: string): Intl.DateTimeFormat {
  const name = `${key}|${timeZone ?? ''}`;
  let made = formats.get(name);
  if (!made) {
    made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone });
    formats.set(name, made);
  }
  return made;
}

function dayText(at: number, now: number, timeZone?: string): string {
  const year = format('year', { year: 'numeric' }, timeZone);
  return year.format(at) === year.format(now)
    ? format('minute', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle }, timeZone)
        .format(at)
        .replace(',', '')
    : dateText(at, timeZone);
}

/** 12 Jul 2026. */
export const dateText = (at: number, timeZone?: string): string =>
  format('date', { day: 'numeric', month: 'short', year: 'numeric' }, timeZone).format(at);

/** 12 Jul 2026, 14:03:22 CEST. */
export function absoluteTime(at: number, timeZone?: string): string {
  if (!Number.isFinite(at)) return 'Unknown time';
  return format(
    'absolute',
    {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle,
      timeZoneName: 'short',
    },
    timeZone,
  ).format(at);
}

/** For axes: 14:03, or 12 Jul. */
export const shortTime = (at: number, unit: 'minute' | 'day', timeZone?: string): string =>
  unit === 'minute'
    ? format('clock', { hour: '2-digit', minute: '2-digit', hourCycle }, timeZone).format(at)
    : format('day', { day: 'numeric', month: 'short' }, timeZone).format(at);
