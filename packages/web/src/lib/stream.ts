/**
 * Follows an endpoint that responds with server-sent events. Uses fetch, because the browser’s EventSource cannot send a bearer token.
 * Reconnects with Last-Event-ID after a growing pause; ends when the server refuses.
 */
import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { createParser, type ParserCallbacks } from 'eventsource-parser';
import { isAbort, type LooseInput, send as sendCall } from './call.ts';

export type StreamState = 'connecting' | 'open' | 'waiting';

interface FollowOptions<E extends Endpoint> {
  signal: AbortSignal;
  onEvent: (data: AnswerOf<E>, id: string) => void;
  /** waiting: disconnected, before the next attempt. */
  onState?: (state: StreamState) => void;
}

/** Timeout of a silent connection in ms; the server sends at least a comment more often. */
const silenceMs = 70_000;
const firstPauseMs = 1000;
const longestPauseMs = 30_000;
/** Maximum message size; a longer one ends the connection to protect memory. */
const maxMessageChars = 1_000_000;

interface Deps {
  send: typeof sendCall;
  random: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  silenceMs: number;
}

/** Parses a stream of server-sent events to its end; `onChunk` runs before each chunk. */
async function readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>, callbacks: ParserCallbacks, onChunk: () => void) {
  const parser = createParser({
    ...callbacks,
    maxBufferSize: maxMessageChars,
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new Problem('unavailable', 'Couldn’t read live updates.');
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onChunk();
    parser.feed(value);
  }
}

/** Minimum pause in ms after a failed attempt. Rethrows what a further attempt cannot change. */
function pauseAfter(error: unknown): number {
  if (error instanceof Problem) {
    if (error.status < 500 && error.status !== 429) throw error;
    return Math.min((error.retryAfterSeconds ?? 0) * 1000, 60_000);
  }
  if (!isAbort(error)) console.warn('Live updates were interrupted; reconnecting.', error);
  return 0;
}

export function createFollow({ send, random, wait, silenceMs }: Deps) {
  /** Resolves when the signal aborts; rejects with a Problem when the server refuses (400, 401, 403, 404). */
  return async function follow<E extends Endpoint>(
    endpoint: E,
    input: InputOf<E>,
    { signal, onEvent, onState = () => {} }: FollowOptions<E>,
  ): Promise<void> {
    let lastId = '';
    let pauseMs = firstPauseMs;
    let requestedPauseMs = 0;
    const callbacks: ParserCallbacks = {
      onId: (id) => {
        lastId = id;
      },
      onEvent: ({ event, data }) => {
        if (event === undefined || event === 'message' || event === endpoint.id) onEvent(JSON.parse(data) as AnswerOf<E>, lastId);
      },
      onRetry: (ms) => {
        requestedPauseMs = Math.min(ms, longestPauseMs);
      },
    };

    while (!signal.aborted) {
      onState('connecting');
      // Each attempt has its own controller, so that a silent connection can be closed alone.
      const attempt = new AbortController();
      const abort = () => attempt.abort();
      signal.addEventListener('abort', abort, { once: true });
      let silence = setTimeout(abort, silenceMs);
      let minPauseMs = 0;
      try {
        const response = await send(endpoint, input as LooseInput, {
          signal: attempt.signal,
          headers: lastId ? { 'Last-Event-ID': lastId } : {},
        });
        if (response.status === 204 || !response.body) return;
        onState('open');
        await readEvents(response.body, callbacks, () => {
          clearTimeout(silence);
          silence = setTimeout(abort, silenceMs);
          pauseMs = firstPauseMs;
        });
      } catch (error) {
        if (signal.aborted) return;
        minPauseMs = pauseAfter(error);
      } finally {
        clearTimeout(silence);
        signal.removeEventListener('abort', abort);
        attempt.abort();
      }
      if (signal.aborted) return;
      onState('waiting');
      await wait(Math.max(pauseMs * (0.5 + random()), minPauseMs, requestedPauseMs), signal);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  };
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
}

export const follow = createFollow({ send: sendCall, random: Math.random, wait: pause, silenceMs });
