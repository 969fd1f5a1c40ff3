/**
 * The user’s settings and shortcuts. A copy in this browser styles the first paint; then the server’s data applies, as another machine may
 * have changed it, except for changes that it has not accepted yet. A change applies immediately and is saved after a pause, several at
 * once. Tabs of a user are synchronised by the copy. A guest’s settings stay in the browser.
 */
import type { UserData } from '@parapet/contract/auth.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { call } from './call.ts';
import { endpointDescriptors } from './endpointDescriptors.ts';
import { type Session, session } from './session.ts';
import { mergeSettings, type Settings, type StoredSettings, settingsOf } from './settings.ts';
import { createStore, useStore } from './store.ts';
import { toast } from './toast.ts';
import { browserTimeZone } from './zone.ts';

export const copyKey = 'portal-settings';
const pauseMs = 600;

interface Pending {
  settings: StoredSettings;
  shortcuts?: readonly string[] | undefined;
}
interface Copy {
  user: number | null;
  data: UserData;
  /** Changes that the server has not accepted yet. */
  pending: Pending | null;
}

export interface Preferences {
  settings: Settings;
  /** All stored values, also those that are no setting of the appearance. */
  stored: StoredSettings;
  shortcuts: readonly string[];
}

interface Deps {
  session: Pick<Session, 'state' | 'subscribe'>;
  storage: () => Pick<Storage, 'getItem' | 'setItem'>;
  save: (data: UserData, isLast: boolean) => Promise<{ data: UserData }>;
  setTimer: (work: () => void, ms: number) => () => void;
  toast: { success: (text: string) => void; error: (text: string) => void };
}

const nothing: UserData = { settings: {}, shortcuts: [] };
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPlain = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
const storedIn = (value: unknown): StoredSettings =>
  isRecord(value) ? (Object.fromEntries(Object.entries(value).filter(([, each]) => isPlain(each))) as StoredSettings) : {};
const idsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : [];

/** Parses a stored copy; undefined for anything else. */
export function copyIn(text: string | null): Copy | undefined {
  try {
    const copy: unknown = JSON.parse(text ?? '');
    if (!isRecord(copy) || !isRecord(copy.data)) return undefined;
    const pending = isRecord(copy.pending)
      ? {
          settings: storedIn(copy.pending.settings),
          ...(Array.isArray(copy.pending.shortcuts) ? { shortcuts: idsIn(copy.pending.shortcuts) } : {}),
        }
      : null;
    return {
      user: typeof copy.user === 'number' ? copy.user : null,
      data: { settings: storedIn(copy.data.settings), shortcuts: idsIn(copy.data.shortcuts) },
      pending,
    };
  } catch {
    return undefined;
  }
}

function readCopy(storage: Deps['storage']): Copy | undefined {
  try {
    return copyIn(storage().getItem(copyKey));
  } catch {
    return undefined;
  }
}

function writeCopy(storage: Deps['storage'], copy: Copy): void {
  try {
    storage().setItem(copyKey, JSON.stringify(copy));
  } catch {
    // Without storage the settings last as long as the page.
  }
}

/** The stored data with the pending changes. */
const wholeOf = (data: UserData, pending: Pending | null): UserData => ({
  settings: pending ? mergeSettings(data.settings, pending.settings) : data.settings,
  shortcuts: [...(pending?.shortcuts ?? data.shortcuts)],
});

const preferencesOf = ({ settings, shortcuts }: UserData): Preferences => ({
  settings: settingsOf(settings),
  stored: settings,
  shortcuts,
});

/** An unchanged part stays the same object, so that its subscribers are not drawn again. */
function withUnchanged(next: Preferences, shown: Preferences): Preferences {
  const isSame = (part: 'settings' | 'shortcuts') => JSON.stringify(next[part]) === JSON.stringify(shown[part]);
  return {
    ...next,
    ...(isSame('settings') ? { settings: shown.settings } : {}),
    ...(isSame('shortcuts') ? { shortcuts: shown.shortcuts } : {}),
  };
}

export function createSettingsStore({ session, storage, save, setTimer, toast }: Deps) {
  let { user, data, pending }: Copy = readCopy(storage) ?? { user: null, data: nothing, pending: null };
  /** The session’s data that was applied last. */
  let applied: UserData | undefined;
  let stopTimer = () => {};
  let isSaving = false;

  const whole = () => wholeOf(data, pending);
  const store = createStore(preferencesOf(whole()));
  const { get: preferences, subscribe } = store;

  const update = ({ isCopied = true } = {}) => {
    if (isCopied) writeCopy(storage, { user, data, pending });
    store.set(withUnchanged(preferencesOf(whole()), preferences()));
  };

  const plan = () => {
    stopTimer();
    stopTimer = setTimer(() => void flush(), pauseMs);
  };

  async function flush(isLast = false): Promise<void> {
    stopTimer();
    if (!pending || isSaving || user === null) return;
    const [mine, whose] = [pending, user];
    isSaving = true;
    try {
      const saved = await save(whole(), isLast);
      if (user !== whose) return;
      data = saved.data;
      if (pending === mine) pending = null;
      toast.success('User data saved with api');
      update();
    } catch (error) {
      if (user !== whose) return;
      // Refused changes are dropped; unsent ones stay pending.
      if (error instanceof Problem && error.status < 500 && error.status !== 429 && pending === mine) pending = null;
      toast.error(error instanceof Error && error.message ? error.message : 'Couldn’t save your settings.');
      update();
    } finally {
      isSaving = false;
      if (pending && pending !== mine) plan();
    }
  }

  const followSession = () => {
    const state = session.state();
    if (state.status === 'guest') {
      // The next user of this browser starts with this appearance, without unsaved changes.
      if (user === null) return;
      stopTimer();
      [user, pending, applied] = [null, null, undefined];
      data = { settings: data.settings, shortcuts: [] };
      return update();
    }
    if (state.status !== 'signedIn' || state.user.data === applied) return;
    applied = state.user.data;
    const isSame = user === state.user.id;
    user = state.user.id;
    data = applied;
    if (!isSame) pending = null;
    update();
    if (pending && !isSaving) plan();
  };
  session.subscribe(followSession);
  followSession();

  const change = (patch: Pending) => {
    if (user === null) data = { ...data, settings: mergeSettings(data.settings, patch.settings) };
    else {
      pending = { settings: { ...pending?.settings, ...patch.settings }, shortcuts: patch.shortcuts ?? pending?.shortcuts };
      plan();
    }
    update();
  };

  return {
    preferences,
    subscribe,
    change: (settings: Partial<Settings> | StoredSettings) => change({ settings: settings as StoredSettings }),
    changeShortcuts: (shortcuts: readonly string[]) => change({ settings: {}, shortcuts }),
    /** Saves immediately, before the page is left. */
    flush,
    /** Applies the copy that another tab wrote. */
    copyChanged(text: string | null) {
      const copy = copyIn(text);
      if (!copy || copy.user !== user) return;
      // Each tab saves its own pending changes.
      data = wholeOf(copy.data, copy.pending);
      update({ isCopied: false });
    },
  };
}

export const settingsStore = createSettingsStore({
  session,
  storage: () => localStorage,
  save: (data, isLast) => call(endpointDescriptors.updateUserData, { body: { user: { data } } }, { keepalive: isLast }),
  setTimer: (work, ms) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
  toast,
});

/** Connects the store to this browser. Called once, at start-up. */
export function connectSettings(): void {
  window.addEventListener('storage', (event) => {
    if (event.key === copyKey) settingsStore.copyChanged(event.newValue);
  });
  window.addEventListener('pagehide', () => void settingsStore.flush(true));
  window.addEventListener('online', () => void settingsStore.flush());
}

export const changeSettings = settingsStore.change;

const { subscribe, preferences } = settingsStore;
export const useSettings = (): Settings => useStore({ subscribe, get: () => preferences().settings });
/** A value that is stored with the settings and is none of the appearance. */
export const useStoredSetting = (name: string): StoredSettings[string] | undefined =>
  useStore({ subscribe, get: () => preferences().stored[name] });
export const useShortcutIds = (): readonly string[] => useStore({ subscribe, get: () => preferences().shortcuts });

/** The IANA zone of the settings, else the browser’s. */
export const viewerTimeZone = (): string => preferences().settings.timeZone || browserTimeZone();
