/**
 * Parses an event search from the address, pure. Users edit addresses: invalid values are ignored, and ranges are limited to
 * what the server searches.
 */
import { type EventRow, eventFilters } from '@parapet/contract/events.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { KqlError, Span } from '@parapet/contract/rules/kql/ast.ts';
import type { Condition } from '@parapet/contract/rules/kql/edit.ts';
import { valuesOf } from '@parapet/contract/rules/kql/fields.ts';
import { parseKql } from '@parapet/contract/rules/kql/parse.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { maxSearchDays } from '@parapet/contract/rules/values.ts';
import type { Bucket } from '../../kit/bars.ts';
import { fieldName } from '../../kit/json.ts';
import { absoluteTime, shortTime } from '../../kit/time.ts';
import { answerRows, field, flag, instant, type ListState, listSchema, match, search, text, word } from '../../lib/listSchema.ts';
import type { Query } from '../../lib/paths.ts';

const maxFields = 20;
/** Separator of filters, as on the server: a comma counts only when another filter follows. */
const separator = /,(?=[\w.@-]{1,100}[=:])/u;

export interface EventSearch {
  /** In Kibana’s query language. */
  search: string;
  text: string;
  device: string;
  user: string;
  /** `field=value` matches a whole value, `field:part` a part of one. */
  field: string[];
  /** Time field of the search: occurrence or arrival. */
  by: 'happened' | 'arrived';
  order: 'newest' | 'oldest';
  query: string | undefined;
  /** Range that overrides the timeframe. */
  narrowed: Range | undefined;
  /** Position of the page: the last event of the preceding one. */
  after: { before: string; beforeID?: string } | undefined;
}

/** Validation error of a filter, or undefined. */
export function faultOfField(text: string): string | undefined {
  if (separator.test(text))
    return 'This would be read as several filters. Add them one by one, or search for a part with field:part.';
  return eventFilters.field.safeParse([text]).error?.issues[0]?.message;
}

/** Syntax error of a search, or undefined. */
export function errorOfSearch(text: string): KqlError | undefined {
  const parsed = parseKql(text);
  return parsed.ok ? undefined : parsed.error;
}

/** Advice on a search without hits, from the places of its conditions that match no event on their own. */
export function unmatchedText(search: string, unmatched: readonly Span[]): string {
  if (unmatched.length === 0) return '';
  const parts = unmatched.map(({ at, length }) => `“${search.slice(at, at + length)}”`);
  return `No event in this time matches ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(parts)}. `;
}

const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const maxColumns = 10;
const columnName = /^[^\s,]{1,100}$/;
export const eventList = listSchema(
  {
    search: field((text) => (errorOfSearch(text) ? '' : text)),
    text: search(),
    device: text(255),
    user: text(255),
    field: field((text) =>
      [...new Set(text.split(separator))].filter((each) => faultOfField(each) === undefined).slice(0, maxFields),
    ),
    by: word(['happened', 'arrived'], 'happened'),
    sort: word(['at'], 'at'),
    order: word(['desc', 'asc'], 'desc'),
    from: instant(),
    until: instant(),
    query: answerRows(),
    before: instant(),
    beforeID: match(guid),
    peek: field((text) => text || undefined),
    /** Fields shown as columns. */
    columns: field((text) => [...new Set(text.split(','))].filter((name) => columnName.test(name)).slice(0, maxColumns)),
    /** The side list of fields is open. */
    fields: flag(),
    /** New matches appear. */
    live: flag(),
  },
  ['columns', 'fields', 'live'],
);

/** The position behind a row: the last one of the previous page. */
export const afterOf = ({ before, beforeID }: { before?: string | undefined; beforeID?: string | undefined }) =>
  before === undefined ? undefined : beforeID ? { before, beforeID } : { before };

export const eventSearchOf = ({
  search,
  text,
  device,
  user,
  field,
  by,
  order,
  from,
  until,
  query,
  before,
  beforeID,
}: ListState<typeof eventList>): EventSearch => ({
  search,
  text,
  device,
  user,
  field,
  by,
  order: order === 'asc' ? 'oldest' : 'newest',
  query,
  narrowed: from && until && from < until ? { start: from, end: until } : undefined,
  after: afterOf({ before, beforeID }),
});

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

/** Condition on a value of an event; undefined for an empty one. `path` is a JSON pointer: list elements are searched by the name of the list. */
export function conditionOf(path: string, value: unknown, isExcluded: boolean): Condition | undefined {
  const field = fieldName(path.replace(/(\/\d+)+(?=\/|$)/g, ''));
  const text = typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  return text.trim() === '' || field === '' ? undefined : { field, value: text, isExcluded };
}

/** Minutes around an event, as a search for the events of its device. */
export const aroundOf = ({ at, deviceName }: Pick<EventRow, 'at' | 'deviceName'>, minutes: number): Query => ({
  search: undefined,
  text: undefined,
  user: undefined,
  field: undefined,
  query: undefined,
  by: undefined,
  device: deviceName ?? undefined,
  from: new Date(Date.parse(at) - minutes * 60_000).toISOString(),
  until: new Date(Date.parse(at) + minutes * 60_000).toISOString(),
});

/** Texts of a field in an event, at most five. */
export function textsOf(row: EventRow, field: string): string[] {
  const found = new Set<string>();
  valuesOf(row, [field], (value) => {
    found.add(String(value));
    return found.size >= 5;
  });
  return [...found];
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
