import { endpoint } from '@parapet/contract/endpoint.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { addressOf, createCall, problemOf, unreachable } from './call.ts';

const thing = endpoint({
  id: 'things.list',
  route: 'GET /things/:client/:start',
  allow: 'alerts:read',
  freshness: 'none',
  summary: '',
  params: z.object({ client: z.number(), start: z.string() }),
  query: z.object({ severity: z.array(z.string()).optional(), text: z.string().optional(), page: z.number().optional() }),
  answer: z.object({ ok: z.boolean() }),
});
const save = endpoint({
  id: 'things.save',
  route: 'POST /things',
  allow: 'tags:write',
  freshness: 'none',
  summary: '',
  body: z.object({ name: z.string() }),
  answer: z.object({}),
});
const open = endpoint({
  id: 'auth.open',
  route: 'POST /auth/open',
  allow: 'anyone',
  freshness: 'none',
  summary: '',
  body: z.object({ a: z.number() }),
  answer: z.object({}),
});
const params = { client: 10, start: '2026-11-01T00:00:00.000Z' };

describe('addressOf', () => {
  test.each([
    [{ params }, '/api/v1/things/10/2026-11-01T00%3A00%3A00.000Z'],
    [{ params: { client: 0, start: 'a/b?c#d%' } }, '/api/v1/things/0/a%2Fb%3Fc%23d%25'],
    [
      { params, query: { severity: ['high', 'low'], text: 'a b&c' } },
      '/api/v1/things/10/2026-11-01T00%3A00%3A00.000Z?severity=high%2Clow&text=a+b%26c',
    ],
    [{ params, query: { severity: [], text: '', page: undefined } }, '/api/v1/things/10/2026-11-01T00%3A00%3A00.000Z'],
    [{ params, query: { page: 0 } }, '/api/v1/things/10/2026-11-01T00%3A00%3A00.000Z?page=0'],
  ])('%j', (input, address) => {
    expect(addressOf(thing, input)).toBe(address);
  });

  test.each(['', '.', '..'])('rejects the parameter %j, which would be another address', (start) => {
    expect(() => addressOf(thing, { params: { client: 1, start } })).toThrow('cannot be called');
  });
});

/** Status, body and Retry-After, with the text shown for them. */
describe('text of an error', () => {
  const errors = { name: ['A tag needs a name.', 'second'], other: ['third'] };
  test.each<[string, number, unknown, string | null, string, string]>([
    [
      '400 with an errors map: first message of the first field',
      400,
      { code: 'invalid', error: 'Not valid.', errors },
      null,
      'A tag needs a name.',
      'invalid',
    ],
    ['400 whose errors are single texts', 400, { errors: { name: 'Too short' } }, null, 'Too short', 'invalid'],
    ['400 without errors', 400, { error: 'Not valid.' }, null, 'Not valid.', 'invalid'],
    ['400 with an empty map', 400, { error: 'Not valid.', errors: {} }, null, 'Not valid.', 'invalid'],
    [
      '404 with data: its error',
      404,
      { code: 'notFound', error: 'Couldn’t find alert 7, or you don’t have access to it.' },
      null,
      'Couldn’t find alert 7, or you don’t have access to it.',
      'notFound',
    ],
    ['404 without data', 404, undefined, null, 'Not found, or you don’t have access to it.', 'notFound'],
    ['403', 403, { error: 'Only hosts may.' }, null, 'Only hosts may.', 'forbidden'],
    [
      '409 with an errors map shows the error',
      409,
      { error: 'The case was changed before.', errors },
      null,
      'The case was changed before.',
      'conflict',
    ],
    ['429 with a text', 429, { error: 'Too many sign-ins.' }, '30', 'Too many sign-ins.', 'tooManyRequests'],
    ['429 of a proxy', 429, undefined, '30', 'Too many requests. Please try again in 30 s.', 'tooManyRequests'],
    ['429 without Retry-After', 429, undefined, null, 'Too many requests. Please try again in a moment.', 'tooManyRequests'],
    ['503', 503, undefined, '5', 'The portal is busy or restarting. Try again in a moment.', 'unavailable'],
    ['502 of a proxy', 502, '<html>', null, 'The portal is busy or restarting. Try again in a moment.', 'unavailable'],
    ['500', 500, { error: 'Something went wrong.' }, null, 'Something went wrong.', 'unexpected'],
    ['an unknown 5xx', 599, undefined, null, 'The portal answered with an error (599). Please try again.', 'unexpected'],
    ['an unknown 4xx', 418, null, null, 'The portal answered with an error (418). Please try again.', 'invalid'],
  ])('%s', (_, status, body, retryAfter, text, code) => {
    const problem = problemOf(status, body, retryAfter);
    expect(problem.message).toBe(text);
    expect(problem.code).toBe(code);
  });

  test('keeps fields, request id and retry pause', () => {
    const problem = problemOf(400, { errors, error: 'x', requestId: 'r1' }, '7');
    expect(problem.errors).toEqual(errors);
    expect(problem.requestId).toBe('r1');
    expect(problem.retryAfterSeconds).toBe(7);
  });
});

describe('call', () => {
  const fetch = vi.fn<typeof globalThis.fetch>();
  const onInvalidToken = vi.fn();
  const onStepUpNeeded = vi.fn<(methods: readonly string[]) => Promise<boolean>>();
  let current: string | undefined;
  let stored: string | undefined;
  const call = createCall({
    fetch,
    onInvalidToken,
    onStepUpNeeded,
    tokens: {
      current: () => current,
      stored: () => stored,
      adopt: (token) => {
        current = token;
      },
    },
  });
  const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
  const authorizations = () => fetch.mock.calls.map(([, init]) => (init!.headers as Record<string, string>).Authorization);

  beforeEach(() => {
    fetch.mockReset();
    onInvalidToken.mockReset();
    onStepUpNeeded.mockReset();
    current = stored = 'one';
  });

  test('sends the token and returns the response', async () => {
    fetch.mockResolvedValueOnce(json(200, { ok: true }));
    expect(await call(thing, { params })).toEqual({ ok: true });
    expect(authorizations()).toEqual(['Bearer one']);
    expect(fetch.mock.calls[0]![1]).toMatchObject({ method: 'GET', credentials: 'same-origin' });
    expect(fetch.mock.calls[0]![1]).not.toHaveProperty('body');
  });

  test('sends its body as JSON', async () => {
    fetch.mockResolvedValueOnce(json(200, {}));
    await call(save, { body: { name: 'Branch' } });
    expect(fetch.mock.calls[0]![1]).toMatchObject({ method: 'POST', body: '{"name":"Branch"}' });
  });

  test('returns an empty object for an empty response', async () => {
    fetch.mockResolvedValueOnce(new Response(null, { status: 204 }));
    expect(await call(save, { body: { name: 'x' } })).toEqual({});
  });

  test('throws a problem for a response that is no JSON', async () => {
    fetch.mockResolvedValueOnce(new Response('<html>', { status: 200 }));
    await expect(call(thing, { params })).rejects.toMatchObject({ code: 'unexpected' });
  });

  test('retries a 401 once with the stored token', async () => {
    stored = 'two';
    fetch.mockResolvedValueOnce(json(401, {})).mockResolvedValueOnce(json(200, { ok: true }));
    expect(await call(thing, { params })).toEqual({ ok: true });
    expect(authorizations()).toEqual(['Bearer one', 'Bearer two']);
    expect(current).toBe('two');
    expect(onInvalidToken).not.toHaveBeenCalled();
  });

  test('ends the session after two 401, without a third try', async () => {
    fetch.mockImplementation(async () => json(401, { error: 'Please sign in.' }));
    await expect(call(thing, { params })).rejects.toMatchObject({ code: 'signInNeeded', message: 'Please sign in.' });
    expect(fetch).toHaveBeenCalledTimes(2);
    expect(onInvalidToken).toHaveBeenCalledTimes(1);
  });

  test('fires immediately on a 401 without a stored token', async () => {
    stored = undefined;
    fetch.mockImplementation(async () => json(401, {}));
    await expect(call(thing, { params })).rejects.toMatchObject({ code: 'signInNeeded' });
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(onInvalidToken).toHaveBeenCalledTimes(1);
  });

  const stale = () => json(403, { code: 'forbidden', error: 'Please sign in again to continue', stepUp: ['password', 'other'] });

  test('repeats the call after a step-up', async () => {
    fetch.mockResolvedValueOnce(stale()).mockResolvedValueOnce(stale()).mockResolvedValueOnce(json(200, {}));
    onStepUpNeeded.mockImplementation(async () => {
      current = 'renewed';
      return true;
    });
    await call(save, { body: { name: 'Branch' } });
    expect(onStepUpNeeded.mock.calls).toEqual([[['password']], [['password']]]);
    expect(fetch.mock.calls.map(([, init]) => init!.body)).toEqual(Array(3).fill('{"name":"Branch"}'));
    expect(authorizations()).toEqual(['Bearer one', 'Bearer renewed', 'Bearer renewed']);
  });

  test('keeps the server’s text when the step-up is cancelled', async () => {
    fetch.mockResolvedValueOnce(stale());
    onStepUpNeeded.mockResolvedValue(false);
    await expect(call(save, { body: { name: 'x' } })).rejects.toMatchObject({ message: 'Please sign in again to continue' });
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  test('requests no step-up for other refusals', async () => {
    fetch.mockResolvedValueOnce(json(403, { code: 'forbidden', error: 'No.' }));
    await expect(call(save, { body: { name: 'x' } })).rejects.toThrow('No.');
    expect(onStepUpNeeded).not.toHaveBeenCalled();
  });

  test('treats a refused sign-in as a response: no token, no second try, no event', async () => {
    fetch.mockImplementation(async () => json(401, { error: 'Email or password is not right.' }));
    await expect(call(open, { body: { a: 1 } })).rejects.toThrow('Email or password is not right.');
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(authorizations()).toEqual([undefined]);
    expect(onInvalidToken).not.toHaveBeenCalled();
  });

  test('keeps the session on 403', async () => {
    fetch.mockImplementation(async () => json(403, { error: 'no' }));
    await expect(call(thing, { params })).rejects.toMatchObject({ code: 'forbidden' });
    expect(onInvalidToken).not.toHaveBeenCalled();
  });

  test('reports a lost connection', async () => {
    fetch.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    const failure = call(thing, { params });
    await expect(failure).rejects.toThrow(unreachable);
    await expect(failure).rejects.toBeInstanceOf(Problem);
  });

  test('throws AbortError for an aborted call', async () => {
    const end = new AbortController();
    fetch.mockImplementationOnce(async (_, init) => {
      end.abort();
      throw init?.signal?.reason;
    });
    await expect(call(thing, { params }, { signal: end.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });
});
