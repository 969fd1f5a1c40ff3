/**
 * Parses event times in every spelling that shippers use. Own code instead of `Date.parse`, which takes a text
 * without a zone for the server’s local time and finds dates in garbage. A text without a zone is UTC here.
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';

/** FILETIME counts 100 ns since 1601. */
const fileTimeEpoch = 11_644_473_600_000;
const earliest = -fileTimeEpoch;
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Returns milliseconds since 1970 UTC, or undefined for garbage. Accepts ISO 8601 with any offset and any number of decimals
 * (`T` or a space), epoch seconds, milliseconds, microseconds and nanoseconds, FILETIME, `/Date(…)/`, RFC 3164 (`Oct  7
 * 10:00:00`, its year chosen so that it is not more than a day after `now`), access-log time (`10/Oct/2000:13:55:36 -0700`)
 * and `10/27/2020 8:00:14 PM`.
 */
export function parseTime(value: unknown, now: number): number | undefined {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return undefined;
  const length = value.length;
  if (length < 8 || length > 64) return undefined;
  if (value.charCodeAt(4) === 45) {
    const quick = parseIso(value);
    if (quick !== undefined) return quick;
  }
  const trimmed = value.trim();
  if (/^\d{9,20}(?:\.\d+)?$/.test(trimmed)) return fromNumber(Number(trimmed));
  const net = /^\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\/$/.exec(trimmed);
  if (net) return within(Number(net[1]));
  return parseIso(trimmed) ?? parseMonthFirst(trimmed, now) ?? parseSlashes(trimmed);
}

function within(time: number): number | undefined {
  return time >= earliest && time <= latest ? time : undefined;
}

function fromNumber(value: number): number | undefined {
  if (!Number.isFinite(value) || value < 1e8) return undefined;
  if (value < 1e11) return Math.round(value * 1000);
  if (value < 1e14) return Math.floor(value);
  if (value < 1e17) return Math.floor(value / 1e3);
  if (value < 1e18) return Math.floor(value / 1e4) - fileTimeEpoch;
  return within(Math.floor(value / 1e6));
}

function digits(value: string, from: number, count: number): number {
  let result = 0;
  for (let at = from; at < from + count; at++) {
    const digit = value.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    result = result * 10 + digit;
  }
  return result;
}

/** T, t or a space, between date and time. */
const isBetween = (code: number): boolean => code === 84 || code === 32 || code === 116;

/** Parses ISO 8601 with a full date and at least hours and minutes; undefined when anything is out of range or left over. */
export function parseIso(value: string): number | undefined {
  const year = digits(value, 0, 4);
  const month = digits(value, 5, 2);
  const date = digits(value, 8, 2);
  const hour = digits(value, 11, 2);
  const minute = digits(value, 14, 2);
  if (!(month >= 1 && month <= 12 && date >= 1 && date <= 31 && hour <= 24 && minute <= 59 && year >= 1601)) return undefined;
  if (value.charCodeAt(4) !== 45 || value.charCodeAt(7) !== 45 || value.charCodeAt(13) !== 58) return undefined;
  if (!isBetween(value.charCodeAt(10))) return undefined;
  let second = 0;
  let millisecond = 0;
  let at = 16;
  if (value.charCodeAt(at) === 58) {
    second = digits(value, 17, 2);
    if (!(second <= 60)) return undefined;
    at = 19;
    const mark = value.charCodeAt(at);
    if (mark === 46 || mark === 44) {
      let weight = 100;
      for (at++; at < value.length; at++) {
        const digit = value.charCodeAt(at) - 48;
        if (!(digit >= 0 && digit <= 9)) break;
        millisecond += digit * weight;
        weight = weight > 1 ? weight / 10 : 0;
      }
    }
  }
  const offset = parseOffset(value, at);
  if (offset === undefined || !isDate(year, month - 1, date)) return undefined;
  return within(Date.UTC(year, month - 1, date, hour, minute, second, millisecond) - offset);
}

/**
 * Parses the zone at the end of a text into milliseconds; nothing, `Z`, `UTC` and `GMT` are 0; undefined for anything else.
 */
function parseOffset(value: string, from: number): number | undefined {
  let at = from;
  while (value.charCodeAt(at) === 32) at++;
  if (at >= value.length) return 0;
  const mark = value.charCodeAt(at);
  if (mark === 90 || mark === 122) return at + 1 === value.length ? 0 : undefined;
  if (mark === 43 || mark === 45) {
    const hours = digits(value, at + 1, 2);
    const colon = value.charCodeAt(at + 3) === 58 ? 1 : 0;
    const end = at + 3 + colon;
    const minutes = end === value.length && colon === 0 ? 0 : digits(value, end, 2);
    if (!(hours <= 15 && minutes <= 59) || value.length > end + 2) return undefined;
    return (mark === 43 ? 1 : -1) * (hours * 60 + minutes) * 60_000;
  }
  const name = value.slice(at);
  return name === 'UTC' || name === 'GMT' ? 0 : undefined;
}

function isDate(year: number, month: number, date: number): boolean {
  return date <= 28 || new Date(Date.UTC(year, month, date)).getUTCMonth() === month;
}

const monthFirst =
  /^([A-Za-z]{3})\s{1,2}(\d{1,2})\s(?:(\d{4})\s)?(\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?:\s(\d{4}))?(?:\s(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?$/;

/** RFC 3164 and its relatives: `Oct  7 10:00:00`, `Oct 7 2026 10:00:00`, with decimals or a zone. */
function parseMonthFirst(value: string, now: number): number | undefined {
  const found = monthFirst.exec(value);
  if (!found) return undefined;
  const month = months.indexOf(found[1]!.toLowerCase());
  const date = Number(found[2]);
  const hour = Number(found[4]);
  const minute = Number(found[5]);
  const second = Number(found[6]);
  if (month < 0 || date < 1 || date > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
  const millisecond = found[7] === undefined ? 0 : Math.floor(Number(`0.${found[7]}`) * 1000);
  const offset = found[9] === undefined ? 0 : parseOffset(found[9], 0);
  if (offset === undefined) return undefined;
  const at = (year: number) => Date.UTC(year, month, date, hour, minute, second, millisecond) - offset;
  const named = found[3] ?? found[8];
  if (named !== undefined) return isDate(Number(named), month, date) ? within(at(Number(named))) : undefined;
  const thisYear = new Date(now).getUTCFullYear();
  // From the next year (a clock slightly ahead on New Year's Eve) down to the last leap year that can have had a 29 February.
  for (let year = thisYear + 1; year > thisYear - 9; year--) {
    if (isDate(year, month, date) && at(year) <= now + dayMs) return at(year);
  }
  return undefined;
}

const accessLog = /^(\d{1,2})\/([A-Za-z]{3})\/(\d{4}):(\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?:\s([+-]\d{4}|Z))?$/;
const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})[ ,T]\s?(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d{1,9})?(?:\s?([AaPp])[Mm])?$/;

function parseSlashes(value: string): number | undefined {
  const access = accessLog.exec(value);
  if (access) {
    const month = months.indexOf(access[2]!.toLowerCase());
    const offset = access[8] === undefined ? 0 : parseOffset(access[8], 0);
    if (month < 0 || offset === undefined || !isDate(Number(access[3]), month, Number(access[1]))) return undefined;
    const [hour, minute, second] = [Number(access[4]), Number(access[5]), Number(access[6])];
    if (hour > 23 || minute > 59 || second > 60) return undefined;
    return within(Date.UTC(Number(access[3]), month, Number(access[1]), hour, minute, second) - offset);
  }
  const slashes = american.exec(value);
  if (!slashes) return undefined;
  const month = Number(slashes[1]) - 1;
  let hour = Number(slashes[4]);
  const half = slashes[7]?.toLowerCase();
  if (half !== undefined) hour = (hour % 12) + (half === 'p' ? 12 : 0);
  const minute = Number(slashes[5]);
  const second = Number(slashes[6] ?? 0);
  const date = Number(slashes[2]);
  if (month < 0 || month > 11 || date < 1 || date > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
  if (!isDate(Number(slashes[3]), month, date)) return undefined;
  return within(Date.UTC(Number(slashes[3]), month, date, hour, minute, second));
}
