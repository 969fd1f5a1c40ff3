/**
 * Server-sent event streams: bounds their number per user, re-checks permissions while they last, and drops readers that fall behind, which then
 * reconnect.
 */

import { type Allow, may } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { FastifyRequest } from 'fastify';
import { type Actor, scopeFor } from './actor.ts';
import type { EventSink } from './event-stream.ts';
import type { Identify } from './serve.ts';

const maxStreamsOfUser = 10;
const maxBacklogBytes = 1024 * 1024;
/** Reconnection delay of a reader whose stream ended. */
export const retryMs = 3_000;

export interface LiveStream {
  userId: number;
  organisationIds: ReadonlySet<number>;
  sink: EventSink;
  /** True while the user has the same access. */
  stillAllowed: () => Promise<boolean>;
}

export interface StreamTimes {
  heartbeatMs: number;
  recheckMs: number;
}
export const usualStreamTimes: StreamTimes = { heartbeatMs: 20_000, recheckMs: 60_000 };

/** Re-checks the caller’s permission and tenant scope during a stream. */
export const hasSameAccess =
  (identify: Identify, request: FastifyRequest, allow: Allow, actor: Actor, client: number) => async (): Promise<boolean> => {
    const now = await identify(request);
    if (!now || !may(now, allow)) return false;
    const [before, after] = [actor, now].map((who) => JSON.stringify(scopeFor(who, client)));
    return before === after;
  };

/** `what` is followed: live alerts. */
export function createLiveStreams<S extends LiveStream>(what: string, times: StreamTimes = usualStreamTimes) {
  const streams = new Map<S, { checkedAt: number }>();
  let isClosed = false;

  const end = (stream: S, how: 'end' | 'drop' = 'end') => {
    if (streams.delete(stream)) stream.sink[how]();
  };
  const endAll = () => {
    for (const stream of [...streams.keys()]) end(stream);
  };
  const dropIfSlow = (stream: S) => {
    if (stream.sink.backlog() > maxBacklogBytes) end(stream, 'drop');
  };
  const recheck = async (stream: S) => {
    const isAllowed = await stream.stillAllowed().catch(() => false);
    if (!isAllowed) end(stream);
  };

  const heartbeat = setInterval(() => {
    for (const [stream, state] of [...streams]) {
      stream.sink.write(': still here\n\n');
      dropIfSlow(stream);
      if (streams.has(stream) && performance.now() - state.checkedAt >= times.recheckMs) {
        state.checkedAt = performance.now();
        void recheck(stream);
      }
    }
  }, times.heartbeatMs);
  heartbeat.unref();

  return {
    all: (): S[] => [...streams.keys()],
    has: (stream: S): boolean => streams.has(stream),
    isWatched: (organisationId: number): boolean =>
      [...streams.keys()].some((stream) => stream.organisationIds.has(organisationId)),

    /** Throws above the maximum of streams; `begin` starts the response once the stream is allowed. */
    add(userId: number, begin: () => S): S {
      if (isClosed) throw problem.unavailable('The portal is being restarted. Please try again in a moment.');
      if ([...streams.keys()].filter((stream) => stream.userId === userId).length >= maxStreamsOfUser) {
        throw problem.tooManyRequests(
          `You follow ${what} in ${maxStreamsOfUser} places already. Close one of them and try again.`,
          30,
        );
      }
      const stream = begin();
      streams.set(stream, { checkedAt: performance.now() });
      stream.sink.onClose(() => streams.delete(stream));
      return stream;
    },

    write(stream: S, text: string): void {
      stream.sink.write(text);
      dropIfSlow(stream);
    },

    /** Ends streams of callers who signed out, moved or lost their role; call it before sending. One query for all. */
    recheckThoseOf: async (organisationIds: readonly number[]): Promise<void> => {
      const concerned = [...streams.keys()].filter((stream) => organisationIds.some((id) => stream.organisationIds.has(id)));
      await Promise.all(concerned.map(recheck));
    },

    end,
    endAll,
    /** Call before the server stops listening, which waits for open responses. */
    closeStreams(): void {
      isClosed = true;
      endAll();
    },
    stop: () => clearInterval(heartbeat),
  };
}
