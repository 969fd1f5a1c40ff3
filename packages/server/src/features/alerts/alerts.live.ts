/**
 * Live stream of new and repeated alerts. Bus messages within a moment are read once and shared by all viewers. Readers
 * resume a stream that ended for any reason: the cursor is the newest id in their scope, and a resumed stream starts
 * slightly before it, so readers ignore repeats. Stalled readers are dropped and resume.
 */
import { type AlertRow, alertsApi } from '@parapet/contract/alerts.ts';
import type { Bus } from '../../core/bus.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, systemScope } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { EventSink } from '../../core/http/event-stream.ts';
import { createLiveStreams, type LiveStream, retryMs, type StreamTimes, usualStreamTimes } from '../../core/http/live-streams.ts';
import type { Log } from '../../core/log.ts';
import type { Catalogue } from './alerts.catalogue.ts';
import { findCursor, listByIds, listSince } from './alerts.live.store.ts';
import { toAlertRows } from './alerts.rows.ts';

/** Per organisation and burst: no one reads more while it scrolls by, and the list has them all. */
const maxOfBurst = 500;

export interface LiveTimes extends StreamTimes {
  burstMs: number;
}
const usualTimes: LiveTimes = { burstMs: 250, ...usualStreamTimes };

export interface Following {
  actor: Actor;
  scope: Exclude<Scope, 'system'>;
  /** The reader’s newest id; undefined on a first visit. */
  after: number | undefined;
  /** Starts the response; called once access is verified. */
  open: () => EventSink;
  /** True if the same user still has the same access. */
  stillAllowed: () => Promise<boolean>;
}

interface Stream extends LiveStream {
  cursor: number;
  /** Messages received during the catch-up; undefined afterwards. */
  waiting: RaisedMessage[] | undefined;
}

interface RaisedMessage {
  id: number;
  organisationId: number;
  data: string;
}

const messageOf = (row: AlertRow): RaisedMessage => ({
  id: row.id,
  organisationId: row.clientOrganizationID,
  // Parsed by its schema like every response, so that nothing outside the contract can leave.
  data: JSON.stringify(alertsApi.live.answer.parse(row)),
});

export function createLiveAlerts(
  { db, bus, catalogue, log }: { db: Database; bus: Pick<Bus, 'on'>; catalogue: Catalogue; log: Log },
  times: LiveTimes = usualTimes,
) {
  const streams = createLiveStreams<Stream>('live alerts', times);
  const pending = new Map<number, Set<number>>();
  let burst: NodeJS.Timeout | undefined;
  let isReading = false;

  const send = (stream: Stream, { id, data }: RaisedMessage) => {
    stream.cursor = Math.max(stream.cursor, id);
    streams.write(stream, `id: ${stream.cursor}\ndata: ${data}\n\n`);
  };

  const deliver = (events: readonly RaisedMessage[]) => {
    for (const event of events) {
      for (const stream of streams.all()) {
        if (!stream.organisationIds.has(event.organisationId)) continue;
        if (stream.waiting) stream.waiting.push(event);
        else send(stream, event);
      }
    }
  };

  const readBurst = async () => {
    burst = undefined;
    if (isReading || pending.size === 0) return;
    isReading = true;
    const watched = [...pending].filter(([organisationId]) => streams.isWatched(organisationId));
    const organisationIds = watched.map(([organisationId]) => organisationId);
    const ids = watched.flatMap(([, raised]) => [...raised].sort((a, b) => a - b).slice(-maxOfBurst));
    pending.clear();
    try {
      for (let from = 0; from < ids.length; from += maxOfBurst) {
        const scope = { organisationIds };
        const part = ids.slice(from, from + maxOfBurst);
        const rows = await readScoped(db, scope, async (tx) => toAlertRows(tx, catalogue, await listByIds(tx, scope, part)));
        if (from === 0) await streams.recheckThoseOf(organisationIds);
        deliver(rows.map(messageOf));
      }
    } catch (error) {
      // These messages are lost here, but not for a resumed stream.
      log.warn({ err: error }, 'live alerts could not be read; their streams are resumed');
      for (const stream of streams.all()) if (organisationIds.some((id) => stream.organisationIds.has(id))) streams.end(stream);
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
      if (!streams.isWatched(organisationId)) return;
      const ids = pending.get(organisationId) ?? new Set();
      for (const id of alertIds) ids.add(id);
      pending.set(organisationId, ids);
      schedule();
    }),
    // Messages sent during the outage were missed.
    bus.on('bus.reconnected', streams.endAll),
  ];

  return {
    async follow({ actor, scope, after, open, stillAllowed }: Following): Promise<void> {
      // Registered before reading what was missed, so that nothing falls between.
      const stream = streams.add(actor.userId, () => ({
        userId: actor.userId,
        organisationIds: new Set(scope.organisationIds),
        sink: open(),
        cursor: 0,
        waiting: [],
        stillAllowed,
      }));
      try {
        const now = await readScoped(db, systemScope, (tx) => findCursor(tx, after));
        const missed = await readScoped(db, scope, async (tx) => toAlertRows(tx, catalogue, await listSince(tx, scope, now)));
        stream.sink.write(`retry: ${retryMs}\n\n`);
        stream.cursor = after ?? 0;
        const waiting = stream.waiting ?? [];
        stream.waiting = undefined;
        for (const event of [...missed.map(messageOf), ...waiting]) if (streams.has(stream)) send(stream, event);
        // Only now may a returning reader skip what was missed; without data this is no event, only a position.
        stream.cursor = Math.max(stream.cursor, now.newest);
        if (streams.has(stream)) stream.sink.write(`id: ${stream.cursor}\n\n`);
      } catch (error) {
        log.warn({ err: error }, 'a live stream could not catch up; its reader comes again');
        streams.end(stream);
      }
    },
    /** Called before the server stops listening, which waits for open responses. */
    closeStreams: streams.closeStreams,
    close() {
      streams.closeStreams();
      streams.stop();
      clearTimeout(burst);
      for (const off of offs) off();
    },
  };
}
