/**
 * Live tail of a search: each stream reads recent arrivals every two seconds, one stream after the other. Batches commit in another order than
 * they arrived, so each reading overlaps those before, and events that were sent are left out.
 */
import { type EventRow, eventsApi } from '@parapet/contract/events.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope } from '../../core/db/scope.ts';
import type { EventSink } from '../../core/http/event-stream.ts';
import { createLiveStreams, type LiveStream, retryMs, type StreamTimes, usualStreamTimes } from '../../core/http/live-streams.ts';
import type { Log } from '../../core/log.ts';
import type { EventsFilter } from './events.filter.ts';
import { readMatches, toEventRows } from './events.store.ts';

/** No transaction of the intake takes longer from arrival to commit. */
const overlapMs = 30_000;
const maxAtOnce = 200;
/** Of a process: they are read one after the other. */
const maxStreams = 50;

export interface LiveTimes extends StreamTimes {
  pollMs: number;
}
const usualTimes: LiveTimes = { pollMs: 2_000, ...usualStreamTimes };

export interface Following {
  userId: number;
  scope: Exclude<Scope, 'system'>;
  filter: EventsFilter;
  /** Starts the response; called once access is verified. */
  open: () => EventSink;
  stillAllowed: () => Promise<boolean>;
}

interface Stream extends LiveStream {
  scope: Exclude<Scope, 'system'>;
  filter: EventsFilter;
  /** Arrival from which events are sent. */
  since: number;
  /** Last reading. */
  readAt: number;
  /** Arrival of sent events by id, while the overlap may return them. */
  sent: Map<string, number>;
}

export type LiveEvents = ReturnType<typeof createLiveEvents>;

export function createLiveEvents({ db, clock, log }: { db: Database; clock: Clock; log: Log }, times: LiveTimes = usualTimes) {
  const streams = createLiveStreams<Stream>('live event searches', times);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** New matches, oldest first. */
  const read = async (stream: Stream): Promise<EventRow[]> => {
    const now = clock.now();
    const { scope, filter, sent } = stream;
    for (const [id, at] of sent) if (at < Math.min(stream.readAt, now) - 2 * overlapMs) sent.delete(id);
    // A round over other streams may have taken longer than the overlap.
    const range = { start: Math.max(stream.since, Math.min(stream.readAt, now) - overlapMs), end: now + 1 };
    const rows = await readScoped(
      db,
      scope,
      async (tx) => {
        const { events } = await readMatches(tx, scope, { range, by: 'arrived', filter }, maxAtOnce + sent.size);
        const fresh = events.filter(({ id }) => !sent.has(id)).slice(0, maxAtOnce);
        for (const { id, receivedAt } of events) sent.set(id, receivedAt);
        return (await toEventRows(tx, scope, fresh)).reverse();
      },
      { isolation: 'repeatable read' },
    );
    stream.readAt = now;
    return rows;
  };

  const poll = async () => {
    for (const stream of streams.all()) {
      if (isClosed || !streams.has(stream)) continue;
      try {
        const rows = await read(stream);
        if (rows.length === 0) continue;
        if (!(await stream.stillAllowed().catch(() => false))) streams.end(stream);
        for (const row of rows)
          if (streams.has(stream)) streams.write(stream, `data: ${JSON.stringify(eventsApi.live.answer.parse(row))}\n\n`);
      } catch (error) {
        log.warn({ err: error }, 'a live search of events could not be read; its reader comes again');
        streams.end(stream);
      }
    }
    timer = isClosed || streams.all().length === 0 ? undefined : setTimeout(() => void poll(), times.pollMs).unref();
  };

  return {
    follow({ userId, scope, filter, open, stillAllowed }: Following): void {
      if (streams.all().length >= maxStreams)
        throw problem.unavailable(
          `${maxStreams} live searches are open, the maximum. Close one, or search again in a while.`,
          30,
        );
      const stream = streams.add(userId, () => ({
        userId,
        organisationIds: new Set(scope.organisationIds),
        sink: open(),
        stillAllowed,
        scope,
        filter,
        since: clock.now(),
        readAt: clock.now(),
        sent: new Map(),
      }));
      streams.write(stream, `retry: ${retryMs}\n\n`);
      timer ??= setTimeout(() => void poll(), times.pollMs).unref();
    },
    /** Called before the server stops listening, which waits for open responses. */
    closeStreams: streams.closeStreams,
    close(): void {
      isClosed = true;
      streams.closeStreams();
      streams.stop();
      clearTimeout(timer);
    },
  };
}
