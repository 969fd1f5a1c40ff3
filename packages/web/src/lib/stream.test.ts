import { alertsApi } from '@parapet/contract/alerts.ts';
import { Problem } from '@parapet/contract/problem.ts';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createFollow, createSseParser, type SseMessage } from './stream.ts';

function parsed(...pieces: string[]) {
  const messages: SseMessage[] = [];
  const retries: number[] = [];
  const parse = createSseParser(
    (message) => messages.push(message),
    (ms) => retries.push(ms),
  );
  for (const piece of pieces) parse(piece);
  return { messages, retries };
}

describe('createSseParser', () => {
  test.each<[string, string, Partial<SseMessage>[]]>([
    ['one message', 'id: 7\ndata: {"a":1}\n\n', [{ id: '7', data: '{"a":1}', event: 'message' }]],
    ['several lines of data', 'data: a\ndata: b\n\n', [{ data: 'a\nb' }]],
    ['CR LF', 'data: a\r\n\r\ndata: b\r\n\r\n', [{ data: 'a' }, { data: 'b' }]],
    ['CR alone', 'data: a\r\rdata: b\r\r', [{ data: 'a' }, { data: 'b' }]],
    ['a comment', ': beat\n\ndata: a\n\n', [{ data: 'a' }]],
    ['no data, no message', 'id: 9\nevent: x\n\ndata: a\n\n', [{ data: 'a', id: '9', event: 'message' }]],
    ['a named event', 'event: gone\ndata: a\n\n', [{ event: 'gone' }]],
    ['no space after the colon', 'data:a\n\n', [{ data: 'a' }]],
    ['only one space is taken', 'data:  a\n\n', [{ data: ' a' }]],
    ['a field without a colon', 'data\n\n', [{ data: '' }]],
    ['unknown fields', 'foo: bar\ndata: a\n\n', [{ data: 'a' }]],
    ['a byte order mark', '\uFEFFdata: a\n\n', [{ data: 'a' }]],
    ['an id with NUL is ignored', 'id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n', [{ id: '1' }, { id: '1' }]],
    ['an unfinished message', 'data: a\n\ndata: b\n', [{ data: 'a' }]],
  ])('%s', (_, text, expected) => {
    expect(parsed(text).messages).toMatchObject(expected);
    expect(parsed(text).messages).toHaveLength(expected.length);
  });

  test('reports retry', () => {
    expect(parsed('retry: 2500\nretry: soon\n\n').retries).toEqual([2500]);
  });

  test('accepts chunks cut anywhere', () => {
    const text = 'id: 1\r\ndata: äöü\r\n\r\n: beat\r\n\r\nevent: x\ndata: 2\ndata: 3\n\nid: 4\rdata: 5\r\r';
    const whole = parsed(text).messages;
    expect(whole).toHaveLength(3);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(parsed(...pieces).messages).toEqual(whole);
      }),
    );
  });
});

describe('follow', () => {
  const input = { params: { client: 10 } };
  const body = (...pieces: string[]) =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
          controller.close();
        },
      }),
    );

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
});
