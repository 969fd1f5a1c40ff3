/** Logs whose pages do not end as they should. */
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { expect, test } from 'vitest';
import { RequestError, UnavailableError } from './errors.ts';
import { createWindowedReader, type Page, type Stream } from './windowed.ts';

const to = Date.UTC(2026, 10, 20, 9);
const window = { from: to - 60 * minuteMs, to };
const streamOf = (read: (token: string | undefined) => Page): Stream => ({
  name: 'log',
  read: async (_from, token) => read(token),
});
const event = (id: number) => ({ id: String(id), raw: '{}', at: window.from + id });

test('refuses a page that names itself as the next one', async () => {
  const stream = streamOf(() => ({ events: [event(1)], next: 'a' }));
  await expect(createWindowedReader().pull([stream], window, undefined)).rejects.toThrow(UnavailableError);
});

test('reads a bounded number of pages of a circle, with a backlog and a cursor that does not grow', async () => {
  let pages = 0;
  const stream = streamOf((token) => ({ events: [event(++pages)], next: token === 'a' ? 'b' : 'a' }));
  const reader = createWindowedReader({ maxPages: 3 });
  let cursor: string | undefined;
  for (let pull = 1; pull <= 5; pull++) {
    const pulled = await reader.pull([stream], window, cursor);
    expect(pulled).toMatchObject({ hasMore: true, lag: expect.any(Number) });
    expect(pulled.lag).toBeGreaterThan(50 * minuteMs);
    expect(pages).toBe(3 * pull);
    cursor = pulled.nextCursor;
  }
  expect(cursor!.length).toBeLessThan(200);
});

test('begins the reading again where the vendor no longer knows the page', async () => {
  const tokens: (string | undefined)[] = [];
  const stream = streamOf((token) => {
    tokens.push(token);
    if (token === 'gone') throw new RequestError('Unknown page.', 400);
    return { events: [event(1)], next: undefined };
  });
  const cursor = JSON.stringify({ log: { from: window.from, token: 'gone' } });
  expect((await createWindowedReader().pull([stream], window, cursor)).hasMore).toBe(false);
  expect(tokens).toEqual(['gone', undefined]);
});
