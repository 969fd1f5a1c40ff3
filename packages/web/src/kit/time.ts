/** Times as lists show them: relative at a glance, absolute in the viewer's zone on hover. */
import { dayMs, hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { wallClock } from '@parapet/contract/rules/zones.ts';

/** "now", "5 min", "3 h", "2 d", then the date (with the time of day in the present year); the future (a wrong clock) as "in 3 h". */
export function relativeTime(at: number, now: number, timeZone?: string): string {
  if (!Number.isFinite(at)) return '–';
  const past = now - at;
  const size = Math.abs(past);
  if (size < minuteMs) return past < -1000 ? 'in < 1 min' : 'now';
  if (size >= 7 * dayMs) return dayText(at, now, timeZone);
  const text =
    size < hourMs
      ? `${Math.floor(size / minuteMs)} min`
      : size < dayMs
        ? `${Math.floor(size / hourMs)} h`
        : `${Math.floor(size / dayMs)} d`;
  return past < 0 ? `in ${text}` : `${text} ago`;
}

export type HourCycle = 'h23' | 'h12';
let hourCycle: HourCycle = 'h23';

/** Clock format of the viewer: 14:03, or 2:03 pm. */
export function setHourCycle(next: HourCycle): void {
  hourCycle = next;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];
const twoDigits = (value: number) => String(value).padStart(2, '0');

/** Local fields of an instant, without a formatter of Intl: the first one takes a browser 20 to 40 ms. */
function fieldsOf(at: number, timeZone?: string) {
  const local = timeZone === undefined ? at - new Date(at).getTimezoneOffset() * minuteMs : wallClock(at, timeZone);
  const date = new Date(local);
  return {
    day: `${date.getUTCDate()} ${months[date.getUTCMonth()]}`,
    year: date.getUTCFullYear(),
    hour: date.getUTCHours(),
    minute: twoDigits(date.getUTCMinutes()),
    second: twoDigits(date.getUTCSeconds()),
  };
}
type Fields = ReturnType<typeof fieldsOf>;

const clockText = ({ hour, minute }: Fields, second = ''): string =>
  hourCycle === 'h23'
    ? `${twoDigits(hour)}:${minute}${second}`
    : `${twoDigits(hour % 12 || 12)}:${minute}${second} ${hour < 12 ? 'am' : 'pm'}`;

function dayText(at: number, now: number, timeZone?: string): string {
  const fields = fieldsOf(at, timeZone);
  return fields.year === fieldsOf(now, timeZone).year ? `${fields.day} ${clockText(fields)}` : `${fields.day} ${fields.year}`;
}

/** 12 Jul 2026. */
export function dateText(at: number, timeZone?: string): string {
  const { day, year } = fieldsOf(at, timeZone);
  return `${day} ${year}`;
}

const zoneFormats = new Map<string | undefined, Intl.DateTimeFormat>();
/** CEST, or GMT-5 where English has no name. */
function zoneName(at: number, timeZone?: string): string | undefined {
  if (timeZone === 'UTC') return timeZone;
  let format = zoneFormats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZoneName: 'short', timeZone });
    zoneFormats.set(timeZone, format);
  }
  return format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
}

/** 12 Jul 2026, 14:03:22 CEST. */
export function absoluteTime(at: number, timeZone?: string): string {
  if (!Number.isFinite(at)) return 'Unknown time';
  const fields = fieldsOf(at, timeZone);
  return `${fields.day} ${fields.year}, ${clockText(fields, `:${fields.second}`)} ${zoneName(at, timeZone)}`;
}

/** For axes: 14:03, or 12 Jul. */
export function shortTime(at: number, unit: 'minute' | 'day', timeZone?: string): string {
  const fields = fieldsOf(at, timeZone);
  return unit === 'minute' ? clockText(fields) : fields.day;
}
