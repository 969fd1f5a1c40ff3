import { alertsApi } from '@parapet/contract/alerts.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { describe, expect, test, vi } from 'vitest';
import { createFollow } from './stream.ts';

describe('follow', () => {
  const input = { params: { client: 10 } };
  const bytes = (...chunks: Uint8Array[]) =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      }),
    );
  const body = (...pieces: string[]) => bytes(...pieces.map((piece) => new TextEncoder().encode(piece)));

  function follower(answers: (Response | Error | ((signal: AbortSignal) => Promise<Response>))[], silenceMs = 60_000) {
    const end = new AbortController();
    const headers: (Record<string, string> | undefined)[] = [];
    const waits: number[] = [];
    const send = vi.fn(
      async (_endpoint: unknown, _input: unknown, options: { headers?: Record<string, string>; signal?: AbortSignal } = {}) => {
        headers.push(options.headers);
        const answer = answers.shift();
        if (!answer) {
          end.abort();
          throw new DOMException('', 'AbortError');
        }
        if (answer instanceof Error) throw answer;
        return typeof answer === 'function' ? answer(options.signal!) : answer;
      },
    );
    const follow = createFollow({
      send: send as never,
      random: () => 0.5,
      wait: async (ms) => void waits.push(ms),
      silenceMs,
    });
    const events: unknown[] = [];
    const states: string[] = [];
    const done = follow(alertsApi.live, input, {
      signal: end.signal,
      onEvent: (data, id) => events.push([id, data]),
      onState: (state) => states.push(state),
    });
    return { done, events, states, headers, waits };
  }

  test('resumes after the last event', async () => {
    const { done, events, headers, states } = follower([
      body('id: 1\ndata: {"a":1}\n\n', 'id: 2\ndata: {"a":2}\n\n'),
      body('id: 3\ndata: {"a":3}\n\n'),
    ]);
    await done;
    expect(events).toEqual([
      ['1', { a: 1 }],
      ['2', { a: 2 }],
      ['3', { a: 3 }],
    ]);
    expect(headers).toEqual([{}, { 'Last-Event-ID': '2' }, { 'Last-Event-ID': '3' }]);
    expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open', 'waiting', 'connecting']);
  });

  test('grows the pause while nothing arrives and resets it afterwards', async () => {
    const away = () => new Problem('unavailable', '');
    const { done, waits } = follower([away(), away(), away(), body(': beat\n\n'), away()]);
    await done;
    expect(waits).toEqual([1000, 2000, 4000, 1000, 2000]);
  });

  test('respects the server’s retry pause', async () => {
    const { done, waits } = follower([new Problem('tooManyRequests', '', { retryAfterSeconds: 9 }), body('retry: 5000\n\n')]);
    await done;
    expect(waits).toEqual([9000, 5000]);
  });

  test.each(['signInNeeded', 'forbidden', 'notFound', 'invalid'] as const)('ends on %s', async (code) => {
    const { done, waits } = follower([new Problem(code, 'no')]);
    await expect(done).rejects.toMatchObject({ code });
    expect(waits).toEqual([]);
  });

  test('reconnects a silent connection', async () => {
    const silent = (signal: AbortSignal) =>
      new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))));
    const { done, waits } = follower([silent, body('id: 1\ndata: 1\n\n')], 10);
    await done;
    expect(waits).toEqual([1000, 1000]);
  });

  test('ends on 204', async () => {
    const { done, waits } = follower([new Response(null, { status: 204 })]);
    await done;
    expect(waits).toEqual([]);
  });

  test('ignores messages of other names', async () => {
    const { done, events } = follower([body('event: other\ndata: {"a":1}\n\nevent: alerts.live\ndata: {"a":2}\n\n')]);
    await done;
    expect(events).toEqual([['', { a: 2 }]]);
  });

  test.each(['\n', '\r\n', '\r'])('reads messages cut into single bytes, with line ends %j', async (end) => {
    const lines = ['id: 1', 'data: {"text":', 'data: "äöü 🛡"}', '', ': beat', '', 'id: 2', 'data: 2', '', 'data: unfinished'];
    const chunks = [...new TextEncoder().encode(lines.join(end))].map((byte) => Uint8Array.of(byte));
    const { done, events } = follower([bytes(...chunks)]);
    await done;
    expect(events).toEqual([
      ['1', { text: 'äöü 🛡' }],
      ['2', 2],
    ]);
  });

  test('reports the last id with messages that have none', async () => {
    const { done, events, headers } = follower([body('id: 7\ndata: 1\n\ndata: 2\n\n')]);
    await done;
    expect(events).toEqual([
      ['7', 1],
      ['7', 2],
    ]);
    expect(headers.at(-1)).toEqual({ 'Last-Event-ID': '7' });
  });

  test('ends a connection whose message is too long', async () => {
    const { done, events } = follower([body(`data: ${'x'.repeat(1_000_001)}`), body('data: 1\n\n')]);
    await done;
    expect(events).toEqual([['', 1]]);
  });
});
