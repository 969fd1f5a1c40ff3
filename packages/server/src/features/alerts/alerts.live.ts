/**
 * New and repeated alerts, told to those who watch. What the bus tells within a moment is read once and shared by all who may see it. A
 * stream that ends, whyever, is resumed by its reader: the cursor is the newest alert's id that it may know, and a resumed stream starts a
 * little before it, so readers ignore repeats. Nobody's slowness is borne: whoever does not read is dropped and resumes.
 */
import { type AlertRow, alertsApi } from '@parapet/contract/alerts.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Bus } from '../../core/bus.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, systemScope } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { EventSink } from '../../core/http/event-stream.ts';
import type { Log } from '../../core/log.ts';
import type { Catalogue } from './alerts.catalogue.ts';
import { findCursor, listByIds, listSince } from './alerts.live.store.ts';
import { toAlertRows } from './alerts.rows.ts';

const retryMs = 3_000;
const maxStreamsOfUser = 10;
const maxBacklogBytes = 1024 * 1024;
/** Of one organisation in one burst: nobody reads more while it scrolls by, and the list has them all. */
const maxOfBurst = 500;

export interface LiveTimes {
  burstMs: number;
  heartbeatMs: number;
  recheckMs: number;
}
const usualTimes: LiveTimes = { burstMs: 250, heartbeatMs: 20_000, recheckMs: 60_000 };

export interface Following {
  actor: Actor;
  scope: Exclude<Scope, 'system'>;
  /** The newest id that the reader knows; undefined on a first visit. */
  after: number | undefined;
  /** Begins the answer; called once everything is known to be allowed. */
  open: () => EventSink;
  /** Whether the same person may still see the same. */
  stillAllowed: () => Promise<boolean>;
}

interface Stream {
  userId: number;
  organisationIds: ReadonlySet<number>;
  sink: EventSink;
  cursor: number;
  /** What was told while it catches up; undefined afterwards. */
  waiting: Told[] | undefined;
  stillAllowed: () => Promise<boolean>;
  checkedAt: number;
}

interface Told {
  id: number;
  organisationId: number;
  data: string;
}

const told = (row: AlertRow): Told => ({
  id: row.id,
  organisationId: row.clientOrganizationID,
  // As every answer: parsed by its schema, so that nothing outside the contract can leave.
  data: JSON.stringify(alertsApi.live.answer.parse(row)),
});

export function createLiveAlerts(
  { db, bus, catalogue, log }: { db: Database; bus: Pick<Bus, 'on'>; catalogue: Catalogue; log: Log },
  times: LiveTimes = usualTimes,
) {
  const streams = new Set<Stream>();
  const pending = new Map<number, Set<number>>();
  let burst: NodeJS.Timeout | undefined;
  let isReading = false;
  let isClosed = false;

  const isWatched = (organisationId: number) => [...streams].some((stream) => stream.organisationIds.has(organisationId));

  const end = (stream: Stream, how: 'end' | 'drop' = 'end') => {
    if (streams.delete(stream)) stream.sink[how]();
  };

  const tell = (stream: Stream, { id, data }: Told) => {
    stream.cursor = Math.max(stream.cursor, id);
    stream.sink.write(`id: ${stream.cursor}\ndata: ${data}\n\n`);
    if (stream.sink.backlog() > maxBacklogBytes) end(stream, 'drop');
  };

  const deliver = (events: readonly Told[]) => {
    for (const event of events) {
      for (const stream of [...streams]) {
        if (!stream.organisationIds.has(event.organisationId)) continue;
        if (stream.waiting) stream.waiting.push(event);
        else tell(stream, event);
      }
    }
  };

  const recheck = async (stream: Stream) => {
    const isAllowed = await stream.stillAllowed().catch(() => false);
    if (!isAllowed) end(stream);
  };
  /** Before anything is told: whoever signed out, was moved or lost the role since gets no more. Costs one question for all. */
  const recheckThoseOf = (organisationIds: readonly number[]) =>
    Promise.all([...streams].filter((stream) => organisationIds.some((id) => stream.organisationIds.has(id))).map(recheck));

  const readBurst = async () => {
    burst = undefined;
    if (isReading || pending.size === 0) return;
    isReading = true;
    const ids: number[] = [];
    const organisationIds: number[] = [];
    for (const [organisationId, raised] of pending) {
      if (!isWatched(organisationId)) continue;
      organisationIds.push(organisationId);
      ids.push(...[...raised].sort((a, b) => a - b).slice(-maxOfBurst));
    }
    pending.clear();
    try {
      for (let from = 0; from < ids.length; from += maxOfBurst) {
        const scope = { organisationIds };
        const part = ids.slice(from, from + maxOfBurst);
        const rows = await scoped(db, scope, async (tx) => toAlertRows(tx, catalogue, await listByIds(tx, scope, part)), {
          readOnly: true,
        });
        if (from === 0) await recheckThoseOf(organisationIds);
        deliver(rows.map(told));
      }
    } catch (error) {
      // What was told is lost here, but not for a stream that resumes.
      log.warn({ err: error }, 'live alerts could not be read; their streams are resumed');
      for (const stream of [...streams]) if (organisationIds.some((id) => stream.organisationIds.has(id))) end(stream);
    } finally {
      isReading = false;
      if (pending.size > 0) schedule();
    }
  };
  const schedule = () => {
    burst ??= setTimeout(() => void readBurst(), times.burstMs);
  };

  const offs = [
    bus.on('alert.raised', ({ organisationId, alertIds }) => {
      if (!isWatched(organisationId)) return;
      const ids = pending.get(organisationId) ?? new Set();
      for (const id of alertIds) ids.add(id);
      pending.set(organisationId, ids);
      schedule();
    }),
    // What was told meanwhile was missed.
    bus.on('bus.reconnected', () => {
      for (const stream of [...streams]) end(stream);
    }),
  ];

  const heartbeat = setInterval(() => {
    for (const stream of [...streams]) {
      stream.sink.write(': still here\n\n');
      if (stream.sink.backlog() > maxBacklogBytes) end(stream, 'drop');
      else if (Date.now() - stream.checkedAt >= times.recheckMs) {
        stream.checkedAt = Date.now();
        void recheck(stream);
      }
    }
  }, times.heartbeatMs);
  heartbeat.unref();

  const closeStreams = () => {
    isClosed = true;
    for (const stream of [...streams]) end(stream);
  };

  return {
    async follow({ actor, scope, after, open, stillAllowed }: Following): Promise<void> {
      if (isClosed) throw problem.unavailable('The portal is being restarted. Please try again in a moment.');
      if ([...streams].filter((stream) => stream.userId === actor.userId).length >= maxStreamsOfUser) {
        throw problem.tooManyRequests(
          `You follow live alerts in ${maxStreamsOfUser} places already. Close one of them and try again.`,
          30,
        );
      }
      const stream: Stream = {
        userId: actor.userId,
        organisationIds: new Set(scope.organisationIds),
        sink: open(),
        cursor: 0,
        waiting: [],
        stillAllowed,
        checkedAt: Date.now(),
      };
      // First among the listeners, then what was missed: nothing falls between.
      streams.add(stream);
      stream.sink.onClose(() => streams.delete(stream));
      try {
        const now = await scoped(db, systemScope, (tx) => findCursor(tx, after), { readOnly: true });
        const missed = await scoped(db, scope, async (tx) => toAlertRows(tx, catalogue, await listSince(tx, scope, now)), {
          readOnly: true,
        });
        stream.sink.write(`retry: ${retryMs}\n\n`);
        stream.cursor = after ?? 0;
        const waiting = stream.waiting ?? [];
        stream.waiting = undefined;
        for (const event of [...missed.map(told), ...waiting]) if (streams.has(stream)) tell(stream, event);
        // Only now may a reader that comes again skip what was missed; without data this is no event, just where it stands.
        stream.cursor = Math.max(stream.cursor, now.newest);
        if (streams.has(stream)) stream.sink.write(`id: ${stream.cursor}\n\n`);
      } catch (error) {
        log.warn({ err: error }, 'a live stream could not catch up; its reader comes again');
        end(stream);
      }
    },
    /** Before the server stops listening, which waits for open answers. */
    closeStreams,
    close() {
      closeStreams();
      clearInterval(heartbeat);
      clearTimeout(burst);
      for (const off of offs) off();
    },
  };
}
