/**
 * Reading of logs that are listed by time with a page token: from the newest event on, and every so often from some time before it, because events may
 * appear late. The order within a reading does not matter: the start moves only at its end.
 */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Pulled, VendorEvent, Window } from './connector.ts';
import { RequestError, UnavailableError } from './errors.ts';
import { latest, objectOf, readCursor, textOf, timeOf } from './values.ts';

export interface Page {
  events: readonly VendorEvent[];
  /** Token of the next page; undefined on the last one. */
  next: string | undefined;
}

/** A log of an account; its name stands in the cursor. */
export interface Stream {
  name: string;
  /** @param from milliseconds since 1970, inclusive */
  read(from: number, token: string | undefined): Promise<Page>;
}

interface Place {
  /** Start of the reading; everything before is stored. */
  from: number;
  /** Of the next page; undefined at the start of a reading. */
  token: string | undefined;
  newest: number | undefined;
  /** Time of the newest reading that began earlier. */
  checkedAt: number;
}

interface Options {
  /** Pages of one pull. */
  maxPages: number;
  /** Read again for late events, so often. */
  overlapMs: number;
  overlapEveryMs: number;
}

const defaults: Options = { maxPages: 10, overlapMs: 2 * hourMs, overlapEveryMs: 10 * 60_000 };

export function createWindowedReader(options: Partial<Options> = {}) {
  const { maxPages, overlapMs, overlapEveryMs } = { ...defaults, ...options };
  const recent = createRecentIds(2 * overlapMs);

  const placeOf = (stored: unknown, window: Window): Place => {
    const place = objectOf(stored);
    return {
      from: timeOf(place?.from) ?? window.from,
      token: textOf(place?.token),
      newest: timeOf(place?.newest),
      checkedAt: timeOf(place?.checkedAt) ?? 0,
    };
  };

  /** An unknown token starts the reading again. */
  const readPage = async (stream: Stream, { from, token }: Place): Promise<Page> => {
    try {
      return await stream.read(from, token);
    } catch (error) {
      if (!(error instanceof RequestError) || token === undefined) throw error;
      return stream.read(from, undefined);
    }
  };

  const atEnd = (place: Place, { to }: Window): Place => {
    const isChecking = to - place.checkedAt > overlapEveryMs;
    const newest = Math.min(place.newest ?? place.from, to);
    return {
      ...place,
      token: undefined,
      from: newest - (isChecking ? overlapMs : 0),
      checkedAt: isChecking ? to : place.checkedAt,
    };
  };

  /** Reads some pages of a stream. Adds what is new to `events`; returns the place after them. */
  const readPages = async (stream: Stream, start: Place, events: VendorEvent[]): Promise<{ place: Place; isEnd: boolean }> => {
    let place = start;
    let isEnd = false;
    for (let pages = 0; pages < maxPages && !isEnd; pages++) {
      const page = await readPage(stream, place);
      if (page.next !== undefined && page.next === place.token)
        throw new UnavailableError('The vendor returned the same page again.');
      for (const event of page.events) if (!recent.has(event.id)) events.push(event);
      place = { ...place, token: page.next, newest: latest(place.newest, ...page.events.map(({ at }) => at)) };
      isEnd = page.next === undefined;
    }
    return { place, isEnd };
  };

  return {
    /** Reads some pages of each stream. */
    async pull(streams: readonly Stream[], window: Window, cursor: string | undefined): Promise<Pulled> {
      recent.confirm(cursor, window.to);
      const stored = readCursor(cursor);
      const places: Record<string, Place> = {};
      const newest: number[] = [];
      const events: VendorEvent[] = [];
      let hasMore = false;
      for (const stream of streams) {
        const { place, isEnd } = await readPages(stream, placeOf(stored?.[stream.name], window), events);
        places[stream.name] = isEnd ? atEnd(place, window) : place;
        newest.push(place.newest ?? place.from);
        hasMore ||= !isEnd;
      }
      // Streams that are left out today keep their place.
      const nextCursor = JSON.stringify({ ...stored, ...places });
      recent.propose(events, nextCursor);
      return { events, nextCursor, hasMore, lag: hasMore ? Math.max(0, window.to - Math.min(...newest)) : 0 };
    },
  };
}

/** Ids of events that are stored for certain: a cursor that comes back was stored together with its events. */
function createRecentIds(keptMs: number) {
  let ids = new Map<string, number>();
  let proposed: { cursor: string; events: readonly VendorEvent[] } | undefined;
  return {
    has: (id: string | undefined): boolean => id !== undefined && ids.has(id),
    propose(events: readonly VendorEvent[], cursor: string): void {
      proposed = { cursor, events };
    },
    confirm(cursor: string | undefined, now: number): void {
      if (proposed && proposed.cursor === cursor)
        for (const { id, at } of proposed.events) if (id !== undefined) ids.set(id, at ?? now);
      proposed = undefined;
      if (ids.size > 10_000) ids = new Map([...ids].filter(([, at]) => now - at < keptMs).slice(-50_000));
    },
  };
}
