/**
 * Follows an endpoint that responds with server-sent events. Uses fetch, because the browser’s EventSource cannot send a bearer token.
 * Reconnects with Last-Event-ID after a growing pause; ends when the server refuses.
 */
import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { isAbort, type LooseInput, send as sendCall } from './call.ts';

export interface SseMessage {
  event: string;
  data: string;
  /** The last id so far, '' before the first. */
  id: string;
}

/** Parses server-sent events incrementally (WHATWG HTML standard); chunks may end anywhere. */
export function createSseParser(onMessage: (message: SseMessage) => void, onRetry: (ms: number) => void = () => {}) {
  let rest = '';
  let isFirst = true;
  let endedWithCarriageReturn = false;
  let data: string[] = [];
  let event = '';
  let id = '';

  const line = (text: string) => {
    if (text === '') {
      if (data.length > 0) onMessage({ event: event || 'message', data: data.join('\n'), id });
      data = [];
      event = '';
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) onRetry(Number(value));
  };

  return (piece: string) => {
    let text = piece;
    if (text === '') return;
    if (isFirst && text.startsWith('\uFEFF')) text = text.slice(1);
    isFirst = false;
    if (endedWithCarriageReturn && text.startsWith('\n')) text = text.slice(1);
    endedWithCarriageReturn = piece.endsWith('\r');
    const lines = (rest + text).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    for (const each of lines) line(each);
  };
}

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

export function createFollow({ send, random, wait, silenceMs }: Deps) {
  /** Resolves when the signal aborts; rejects with a Problem when the server refuses (400, 401, 403, 404). */
  return async function follow<E extends Endpoint>(
    endpoint: E,
    input: InputOf<E>,
    { signal, onEvent, onState = () => {} }: FollowOptions<E>,
  ): Promise<void> {
    let lastId = '';
    let pauseMs = firstPauseMs;
    let askedPauseMs = 0;
    const parserOf = () =>
      createSseParser(
        (message) => {
          lastId = message.id;
          if (message.event !== 'message' && message.event !== endpoint.id) return;
          onEvent(JSON.parse(message.data) as AnswerOf<E>, message.id);
        },
        (ms) => {
          askedPauseMs = Math.min(ms, longestPauseMs);
        },
      );

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
        const parse = parserOf();
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let sinceLine = 0;
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          clearTimeout(silence);
          silence = setTimeout(abort, silenceMs);
          pauseMs = firstPauseMs;
          sinceLine = /[\r\n]/.test(value) ? 0 : sinceLine + value.length;
          if (sinceLine > maxMessageChars) throw new Problem('unavailable', 'Couldn’t read live updates.');
          parse(value);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Problem && error.status < 500 && error.status !== 429) throw error;
        if (error instanceof Problem) minPauseMs = Math.min((error.retryAfterSeconds ?? 0) * 1000, 60_000);
        else if (!isAbort(error)) console.warn('Live updates were interrupted; reconnecting.', error);
      } finally {
        clearTimeout(silence);
        signal.removeEventListener('abort', abort);
        attempt.abort();
      }
      if (signal.aborted) return;
      onState('waiting');
      await wait(Math.max(pauseMs * (0.5 + random()), minPauseMs, askedPauseMs), signal);
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
