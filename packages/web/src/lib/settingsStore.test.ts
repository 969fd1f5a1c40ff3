import type { SessionUser, UserData } from '@parapet/contract/auth.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { describe, expect, test } from 'vitest';
import type { SessionState } from './session.ts';
import { copyIn, copyKey, createSettingsStore } from './settingsStore.ts';

const data = (settings: UserData['settings'] = {}, shortcuts: string[] = []): UserData => ({ settings, shortcuts });

/** A browser with one tab: its storage, its session, its timer, and a server that can be away. */
function browser(copy?: unknown) {
  const stored = new Map<string, string>(
    copy === undefined ? [] : [[copyKey, typeof copy === 'string' ? copy : JSON.stringify(copy)]],
  );
  const listeners = new Set<() => void>();
  const saved: UserData[] = [];
  const notices: string[] = [];
  let state: SessionState = { status: 'checking' };
  let timer: (() => void) | undefined;
  let fault: Error | undefined;
  const store = createSettingsStore({
    session: { state: () => state, subscribe: (listener) => listeners.add(listener) as never },
    storage: () => ({ getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => void stored.set(key, value) }),
    save: async (sent) => {
      if (fault) throw fault;
      saved.push(sent);
      return { data: structuredClone(sent) };
    },
    setTimer: (work) => {
      timer = work;
      return () => (timer = undefined);
    },
    toast: { success: (text) => notices.push(text), error: (text) => notices.push(text) },
  });
  const set = (next: SessionState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  return {
    store,
    saved,
    notices,
    stored,
    set: set,
    signIn: (id: number, settings: UserData) => set({ status: 'signedIn', user: { id, data: settings } as SessionUser }),
    fail: (error?: Error) => (fault = error),
    isWaiting: () => timer !== undefined,
    wait: async () => {
      const work = timer;
      timer = undefined;
      work?.();
      await new Promise((resolve) => setTimeout(resolve));
    },
    settings: () => store.preferences().settings,
  };
}

test('starts with the copy, then applies the server’s data', () => {
  const b = browser({ user: 5, data: data({ lightTheme: 'light3' }), pending: null });
  expect(b.settings().lightTheme).toBe('light3');
  b.signIn(5, data({ lightTheme: 'light4' }, ['alerts']));
  expect(b.settings().lightTheme).toBe('light4');
  expect(b.store.preferences().shortcuts).toEqual(['alerts']);
  expect(copyIn(b.stored.get(copyKey)!)?.data.settings.lightTheme).toBe('light4');
});

test('applies changes immediately and saves them together with all other values', async () => {
  const b = browser();
  b.signIn(5, data({ future: 'x' }, ['alerts']));
  b.store.change({ mode: 'dark' });
  b.store.change({ navbarFolded: true });
  expect(b.settings()).toMatchObject({ mode: 'dark', navbarFolded: true });
  expect(b.saved).toEqual([]);
  await b.wait();
  expect(b.saved).toEqual([data({ future: 'x', mode: 'dark', navbarFolded: true }, ['alerts'])]);
  expect(b.notices).toEqual(['User data saved with api']);
  expect(b.isWaiting()).toBe(false);
});

test('keeps unsent changes pending', async () => {
  const b = browser();
  b.signIn(5, data());
  b.fail(new Problem('unavailable', 'The portal could not be reached.'));
  b.store.change({ mode: 'dark' });
  await b.wait();
  expect(b.notices).toEqual(['The portal could not be reached.']);
  expect(b.settings().mode).toBe('dark');
  const later = browser(b.stored.get(copyKey));
  later.signIn(5, data({ density: 'compact' }));
  expect(later.settings()).toMatchObject({ mode: 'dark', density: 'compact' });
  await later.wait();
  expect(later.saved).toEqual([data({ density: 'compact', mode: 'dark' })]);
});

test('reverts refused changes with an error', async () => {
  const b = browser();
  b.signIn(5, data({ mode: 'light' }));
  b.fail(new Problem('invalid', 'There are at most 50 settings.'));
  b.store.change({ mode: 'dark' });
  await b.wait();
  expect(b.notices).toEqual(['There are at most 50 settings.']);
  expect(b.settings().mode).toBe('light');
});

test('drops unsaved changes of another user', async () => {
  const b = browser({ user: 5, data: data(), pending: { settings: { mode: 'dark' } } });
  b.signIn(6, data());
  expect(b.settings().mode).toBe('system');
  expect(b.isWaiting()).toBe(false);
  b.store.change({ mode: 'dark' });
  b.set({ status: 'guest' });
  await b.wait();
  expect(b.saved).toEqual([]);
});

test('keeps a guest’s settings in the browser', () => {
  const b = browser();
  b.set({ status: 'guest' });
  b.store.change({ mode: 'dark' });
  expect(b.settings().mode).toBe('dark');
  expect(b.isWaiting()).toBe(false);
  expect(browser(b.stored.get(copyKey)).settings().mode).toBe('dark');
});

test('ignores a renewed session with the same data and follows other tabs', async () => {
  const b = browser();
  const settings = data({ mode: 'light' });
  b.signIn(5, settings);
  b.store.change({ mode: 'dark' });
  await b.wait();
  b.signIn(5, settings);
  expect(b.settings().mode).toBe('dark');
  b.store.copyChanged(JSON.stringify({ user: 5, data: data({ mode: 'light' }), pending: { settings: { density: 'compact' } } }));
  expect(b.settings()).toMatchObject({ mode: 'light', density: 'compact' });
  b.store.copyChanged(JSON.stringify({ user: 9, data: data({ mode: 'dark' }), pending: null }));
  expect(b.settings().mode).toBe('light');
});

describe('copyIn', () => {
  test.each(['', 'null', '[]', '7', '{', '{"data":null}', '{"data":[]}'])('rejects %s', (text) => {
    expect(copyIn(text)).toBeUndefined();
    expect(browser(text).settings().mode).toBe('system');
  });

  test('drops invalid parts', () => {
    const text = '{"user":"x","data":{"settings":{"mode":"dark","deep":{"a":1}},"shortcuts":["alerts",3,null]},"pending":[]}';
    expect(copyIn(text)).toEqual({ user: null, data: data({ mode: 'dark' }, ['alerts']), pending: null });
  });
});
