/**
 * Parses an event search from the address, pure. Addresses are edited by hand: invalid values are ignored, and ranges are limited to
 * what the server searches.
 */
import { eventFilters } from '@parapet/contract/events.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { maxSearchDays } from '@parapet/contract/rules/values.ts';
import { fieldName } from '../../kit/json.ts';
import type { Bucket } from '../../kit/StackedBars.tsx';
import { absoluteTime, shortTime } from '../../kit/time.ts';
import type { Search } from '../../lib/address.ts';

const dayMs = 86_400_000;
const maxFields = 20;
/** Separator of filters, as on the server: a comma counts only when another filter follows. */
const separator = /,(?=[\w.@-]{1,100}[=:])/u;

export interface EventSearch {
  text: string;
  device: string;
  user: string;
  /** `field=value` matches a whole value, `field:part` a part of one. */
  field: string[];
  /** Time field of the search: occurrence or arrival. */
  by: 'happened' | 'arrived';
  /** Range that overrides the timeframe. */
  narrowed: Range | undefined;
  /** Position of the page: the last event of the preceding one. */
  after: { before: string; beforeID?: string } | undefined;
}

const instantIn = (text: string | undefined): string | undefined => {
  const at = text && text.length <= 40 && /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) ? new Date(at).toISOString() : undefined;
};
const short = (text: string | undefined, maxLength: number) => (text && text.length <= maxLength ? text.trim() : '');

/** Validation error of a filter, or undefined. */
export function faultOfField(text: string): string | undefined {
  if (separator.test(text))
    return 'This would be read as several filters. Add them one by one, or search for a part with field:part.';
  return eventFilters.field.safeParse([text]).error?.issues[0]?.message;
}

export function eventSearchIn(search: Search): EventSearch {
  const [start, end] = [instantIn(search.from), instantIn(search.until)];
  return {
    text: (search.text ?? '').trim().slice(0, 200),
    device: short(search.device, 255),
    user: short(search.user, 255),
    field: [...new Set((search.field ?? '').split(separator))]
      .filter((text) => faultOfField(text) === undefined)
      .slice(0, maxFields),
    by: search.by === 'arrived' ? 'arrived' : 'happened',
    narrowed: start && end && start < end ? { start, end } : undefined,
    after: afterIn(search),
  };
}

const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Parses a page position. `ids` matches valid ids of the list. */
export function afterIn({ before, beforeID }: Search, ids = guid): EventSearch['after'] {
  const at = instantIn(before);
  if (!at) return undefined;
  return beforeID && ids.test(beforeID) ? { before: at, beforeID } : { before: at };
}

export const isFiltered = ({ text, device, user, field, narrowed, by }: EventSearch) =>
  text !== '' || device !== '' || user !== '' || field.length > 0 || narrowed !== undefined || by === 'arrived';

/** True when part of the range is older than the retention of raw events. */
export const isOverAge = ({ start }: Range, keptDays: number, now: number): boolean => Date.parse(start) < now - keptDays * dayMs;

/** Searched range: the narrowed one, else the timeframe, limited to its last 31 days. */
export function rangeOf(timeframe: Range, narrowed: Range | undefined): Range & { isCut: boolean } {
  const { start, end } = narrowed ?? timeframe;
  const earliest = Date.parse(end) - maxSearchDays * dayMs;
  return earliest > Date.parse(start)
    ? { start: new Date(earliest).toISOString(), end, isCut: true }
    : { start, end, isCut: false };
}

/** Filter for a value of an event; undefined where no filter can express it. `path` is a JSON pointer. */
export function filterOf(path: string, value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  // List elements are searched by the name of the list.
  const field = fieldName(path.replace(/(\/\d+)+(?=\/|$)/g, ''));
  const whole = `${field}=${text}`;
  if (text !== '' && faultOfField(whole) === undefined) return whole;
  // Values that don't fit a filter are searched by their longest part that does.
  const part = text
    .split(separator)
    .map((each) => each.slice(0, 280))
    .reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  const filter = `${field}:${part}`;
  return faultOfField(filter) === undefined ? filter : undefined;
}

interface Timeline {
  bucketMinutes: number;
  bars: readonly { at: string; count: number }[];
}

const maxBars = 1000;

/** Bars for every interval of the range, including empty ones. `key` is the start of the interval. */
export function barsOf({ bucketMinutes, bars }: Timeline, { start, end }: Range, timeZone: string): Bucket[] {
  const step = bucketMinutes * 60_000;
  const first = bars[0];
  if (!first || step <= 0) return [];
  const counts = new Map(bars.map(({ at, count }) => [Date.parse(at), count]));
  // Aligned to the server's intervals; the first may start before the requested range.
  const anchor = Date.parse(first.at);
  let at = anchor - Math.ceil((anchor - Date.parse(start)) / step) * step;
  if (at + step <= Date.parse(start)) at += step;
  const buckets: Bucket[] = [];
  for (; at < Date.parse(end) && buckets.length < maxBars; at += step) {
    buckets.push({
      key: new Date(at).toISOString(),
      label: shortTime(at, step < dayMs && Date.parse(end) - Date.parse(start) <= 2 * dayMs ? 'minute' : 'day', timeZone),
      title: absoluteTime(at, timeZone),
      values: [counts.get(at) ?? 0],
    });
  }
  return buckets;
}

/** Range of one bar, clipped to the searched range. */
export function rangeOfBar(key: string, bucketMinutes: number, { start, end }: Range): Range {
  const from = Date.parse(key);
  return {
    start: new Date(Math.max(from, Date.parse(start))).toISOString(),
    end: new Date(Math.min(from + bucketMinutes * 60_000, Date.parse(end))).toISOString(),
  };
}
