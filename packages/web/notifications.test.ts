/** The service worker of notifications, in a context with what a browser gives it. */
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { beforeEach, describe, expect, test, vi } from 'vitest';

const source = readFileSync(new URL('public/notifications.js', import.meta.url), 'utf8');
const origin = 'https://portal.example';

interface Shown {
  title: string;
  options: { body: string; tag: string; data: { page: string } };
}

let handlers: Record<string, (event: object) => void>;
let shown: Shown[];
let opened: string[];
let windows: { url: string; focus: () => void }[];
beforeEach(() => {
  [handlers, shown, opened, windows] = [{}, [], [], []];
  const self = {
    location: { origin },
    addEventListener: (name: string, handler: (event: object) => void) => {
      handlers[name] = handler;
    },
    registration: {
      showNotification: async (title: string, options: Shown['options']) => void shown.push({ title, options }),
    },
    clients: { matchAll: async () => windows, openWindow: async (page: string) => void opened.push(page) },
  };
  runInContext(source, createContext({ self, URL }));
});

async function fire(name: string, event: object): Promise<void> {
  const work: Promise<unknown>[] = [];
  handlers[name]!({ ...event, waitUntil: (given: Promise<unknown>) => void work.push(given) });
  await Promise.all(work);
}
const push = (text: string | null) => fire('push', { data: text === null ? null : { json: (): unknown => JSON.parse(text) } });
const click = (data: unknown) => {
  const close = vi.fn();
  return fire('notificationclick', { notification: { close, data } }).then(() => expect(close).toHaveBeenCalled());
};

describe('a push', () => {
  test('shows title and text, once for each id', async () => {
    await push(JSON.stringify({ id: 'a1', title: 'Case opened: <b>', body: 'Alder · high', path: '/apps/case/7?tab=notes' }));
    const data = { page: `${origin}/apps/case/7?tab=notes` };
    expect(shown).toEqual([{ title: 'Case opened: <b>', options: { body: 'Alder · high', tag: 'a1', data } }]);
  });

  test.each([null, 'no JSON', 'null', '{"title":7,"body":{},"path":[]}'])(
    'shows a notification without a text for %s',
    async (text) => {
      await push(text);
      expect(shown).toEqual([{ title: 'New notification', options: { body: '', tag: '', data: { page: `${origin}/` } } }]);
    },
  );

  test.each([
    'https://evil.example/apps/case/7',
    '//evil.example/',
    '\\\\evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://portal.example/apps',
    'https://[',
  ])('has the home page in place of %s', async (path) => {
    await push(JSON.stringify({ title: 'x', path }));
    expect(shown[0]!.options.data.page).toBe(`${origin}/`);
  });
});

describe('a click', () => {
  test('opens the page', async () => {
    await click({ page: `${origin}/apps/case/7` });
    expect(opened).toEqual([`${origin}/apps/case/7`]);
  });

  test('brings an open page to the front', async () => {
    const focus = vi.fn();
    windows = [{ url: `${origin}/apps/case/7`, focus }];
    await click({ page: `${origin}/apps/case/7` });
    expect([focus.mock.calls.length, opened]).toEqual([1, []]);
  });

  test.each([undefined, { page: 'https://evil.example/' }])('opens no page outside the portal (%j)', async (data) => {
    await click(data);
    expect(opened).toEqual([`${origin}/`]);
  });
});
