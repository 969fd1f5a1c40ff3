/**
 * An event search as its address says it, pure. Addresses are typed, mailed and edited by people: what makes no sense is as if it were not
 * there, and nothing asks for more than the server searches.
 */
import { eventFilters } from '@parapet/contract/events.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { maxSearchDays } from '@parapet/contract/rules/values.ts';
import { fieldName } from '../../kit/json.ts';
import type { Bucket } from '../../kit/StackedBars.tsx';
import { absoluteTime, shortTime } from '../../kit/time.ts';
import { field, instant, type ListState, listSchema, match, search, text, word } from '../../lib/listSchema.ts';

const dayMs = 86_400_000;
const maxFields = 20;
/** As the server takes a list apart: a comma parts two filters only where another one begins behind it. */
const between = /,(?=[\w.@-]{1,100}[=:])/u;

export interface EventSearch {
  text: string;
  device: string;
  user: string;
  /** field=value for a whole value, field:part for a part of one. */
  field: string[];
  /** What the time is of, whichever it is: when events happened, or when they arrived. */
  by: 'happened' | 'arrived';
  /** Narrowed to this, whatever the timeframe says. */
  narrowed: Range | undefined;
  /** Behind this event: the last one of the page before. */
  after: { before: string; beforeID?: string } | undefined;
}

/** Why it is no filter; undefined when it is one. */
export function faultOfField(text: string): string | undefined {
  if (between.test(text)) return 'This is read as several filters. Add them one by one, or look for a part, field:part.';
  return eventFilters.field.safeParse([text]).error?.issues[0]?.message;
}

const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
export const eventList = listSchema({
  text: search(),
  device: text(255),
  user: text(255),
  field: field((text) =>
    [...new Set(text.split(between))].filter((each) => faultOfField(each) === undefined).slice(0, maxFields),
  ),
  by: word(['happened', 'arrived'], 'happened'),
  from: instant(),
  until: instant(),
  before: instant(),
  beforeID: match(guid),
  peek: field((text) => text || undefined),
});

/** The position behind a row: the last one of the previous page. */
export const afterOf = ({ before, beforeID }: { before?: string | undefined; beforeID?: string | undefined }) =>
  before === undefined ? undefined : beforeID ? { before, beforeID } : { before };

export const eventSearchOf = ({
  text,
  device,
  user,
  field,
  by,
  from,
  until,
  ...place
}: ListState<typeof eventList>): EventSearch => ({
  text,
  device,
  user,
  field,
  by,
  narrowed: from && until && from < until ? { start: from, end: until } : undefined,
  after: afterOf(place),
});

/** Whether of a time some raw events are gone. */
export const isOverAge = ({ start }: Range, keptDays: number, now: number): boolean => Date.parse(start) < now - keptDays * dayMs;

/** What is searched: the narrowed time, else the timeframe; of a longer one its last 31 days. */
export function rangeOf(timeframe: Range, narrowed: Range | undefined): Range & { isCut: boolean } {
  const { start, end } = narrowed ?? timeframe;
  const earliest = Date.parse(end) - maxSearchDays * dayMs;
  return earliest > Date.parse(start)
    ? { start: new Date(earliest).toISOString(), end, isCut: true }
    : { start, end, isCut: false };
}

/** The filter for a value that was pointed at in an event; undefined where none can say it. `path` is a JSON pointer. */
export function filterOf(path: string, value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  // The elements of a list are found by the list's own name.
  const field = fieldName(path.replace(/(\/\d+)+(?=\/|$)/g, ''));
  const whole = `${field}=${text}`;
  if (text !== '' && faultOfField(whole) === undefined) return whole;
  // Of what cannot stand in a filter whole, its longest part that can.
  const part = text
    .split(between)
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

/** A bar for every piece of the time, also those without events. `key` is its start. */
export function barsOf({ bucketMinutes, bars }: Timeline, { start, end }: Range, timeZone: string): Bucket[] {
  const step = bucketMinutes * 60_000;
  const first = bars[0];
  if (!first || step <= 0) return [];
  const counts = new Map(bars.map(({ at, count }) => [Date.parse(at), count]));
  // The server says where its pieces begin; the first may begin before what was asked for.
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

/** The time of one bar, within what was searched. */
export function rangeOfBar(key: string, bucketMinutes: number, { start, end }: Range): Range {
  const from = Date.parse(key);
  return {
    start: new Date(Math.max(from, Date.parse(start))).toISOString(),
    end: new Date(Math.min(from + bucketMinutes * 60_000, Date.parse(end))).toISOString(),
  };
}
