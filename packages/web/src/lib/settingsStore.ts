/**
 * What the portal keeps for the user, at hand. A copy in this browser paints the first picture; then what the server keeps counts
 * (another machine may have changed it), but for changes of one's own that it has not taken yet. A change shows at once and is saved a
 * moment later, several as one. Tabs of a user tell each other by the copy. A guest's choice stays in the browser.
 */
import type { UserData } from '@parapet/contract/auth.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { useSyncExternalStore } from 'react';
import { call } from './call.ts';
import { endpointDescriptors } from './endpointDescriptors.ts';
import { type Session, session } from './session.ts';
import { type Kept, keptWith, type Settings, settingsOf } from './settings.ts';
import { toast } from './toast.ts';
import { browserTimeZone } from './zone.ts';

export const copyKey = 'portal-settings';
const pauseMs = 600;

interface Pending {
  settings: Kept;
  shortcuts?: readonly string[] | undefined;
}
interface Copy {
  user: number | null;
  data: UserData;
  /** What the server has not taken yet. */
  pending: Pending | null;
}

export interface Preferences {
  settings: Settings;
  /** All that is kept, also what is no setting of the look. */
  kept: Kept;
  shortcuts: readonly string[];
}

interface Deps {
  session: Pick<Session, 'state' | 'subscribe'>;
  storage: () => Pick<Storage, 'getItem' | 'setItem'>;
  save: (data: UserData, isLast: boolean) => Promise<{ data: UserData }>;
  setTimer: (work: () => void, ms: number) => () => void;
  tell: { success: (text: string) => void; error: (text: string) => void };
}

const nothing: UserData = { settings: {}, shortcuts: [] };
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPlain = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
const keptIn = (value: unknown): Kept =>
  isRecord(value) ? (Object.fromEntries(Object.entries(value).filter(([, each]) => isPlain(each))) as Kept) : {};
const idsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : [];

/** A copy as it was stored; undefined for anything else. */
export function copyIn(text: string | null): Copy | undefined {
  try {
    const copy: unknown = JSON.parse(text ?? '');
    if (!isRecord(copy) || !isRecord(copy.data)) return undefined;
    const pending = isRecord(copy.pending)
      ? {
          settings: keptIn(copy.pending.settings),
          ...(Array.isArray(copy.pending.shortcuts) ? { shortcuts: idsIn(copy.pending.shortcuts) } : {}),
        }
      : null;
    return {
      user: typeof copy.user === 'number' ? copy.user : null,
      data: { settings: keptIn(copy.data.settings), shortcuts: idsIn(copy.data.shortcuts) },
      pending,
    };
  } catch {
    return undefined;
  }
}

export function createSettingsStore({ session, storage, save, setTimer, tell }: Deps) {
  const read = (): Copy | undefined => {
    try {
      return copyIn(storage().getItem(copyKey));
    } catch {
      return undefined;
    }
  };
  let { user, data, pending }: Copy = read() ?? { user: null, data: nothing, pending: null };
  /** What the session last said; the same object again is no news. */
  let heard: UserData | undefined;
  let stopTimer = () => {};
  let isSaving = false;
  const listeners = new Set<() => void>();

  const whole = (): UserData => ({
    settings: pending ? keptWith(data.settings, pending.settings) : data.settings,
    shortcuts: [...(pending?.shortcuts ?? data.shortcuts)],
  });
  const preferencesOf = ({ settings, shortcuts }: UserData): Preferences => ({
    settings: settingsOf(settings),
    kept: settings,
    shortcuts,
  });
  let shown = preferencesOf(whole());

  const become = ({ isCopied = true } = {}) => {
    const next = preferencesOf(whole());
    // Who looks at one part only is told only of that part's changes.
    if (JSON.stringify(next.settings) === JSON.stringify(shown.settings)) next.settings = shown.settings;
    if (JSON.stringify(next.shortcuts) === JSON.stringify(shown.shortcuts)) next.shortcuts = shown.shortcuts;
    shown = next;
    if (isCopied) {
      try {
        storage().setItem(copyKey, JSON.stringify({ user, data, pending }));
      } catch {
        // As long as this page, then.
      }
    }
    for (const listener of listeners) listener();
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
      tell.success('User data saved with api');
      become();
    } catch (error) {
      if (user !== whose) return;
      // What the server refuses is not asked again; what did not reach it is kept for the next time.
      if (error instanceof Problem && error.status < 500 && error.status !== 429 && pending === mine) pending = null;
      tell.error(error instanceof Error && error.message ? error.message : 'Your settings could not be saved.');
      become();
    } finally {
      isSaving = false;
      if (pending && pending !== mine) plan();
    }
  }

  const hear = () => {
    const state = session.state();
    if (state.status === 'guest') {
      // The next user of this browser begins with this look, not with what this one has not saved.
      if (user === null) return;
      stopTimer();
      [user, pending, heard] = [null, null, undefined];
      data = { settings: data.settings, shortcuts: [] };
      return become();
    }
    if (state.status !== 'signedIn' || state.user.data === heard) return;
    heard = state.user.data;
    const isSame = user === state.user.id;
    user = state.user.id;
    data = heard;
    if (!isSame) pending = null;
    become();
    if (pending && !isSaving) plan();
  };
  session.subscribe(hear);
  hear();

  const change = (patch: Pending) => {
    if (user === null) data = { ...data, settings: keptWith(data.settings, patch.settings) };
    else {
      pending = {
        settings: { ...pending?.settings, ...patch.settings },
        shortcuts: patch.shortcuts ?? pending?.shortcuts,
      };
      plan();
    }
    become();
  };

  return {
    preferences: () => shown,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change: (settings: Partial<Settings> | Kept) => change({ settings: settings as Kept }),
    changeShortcuts: (shortcuts: readonly string[]) => change({ settings: {}, shortcuts }),
    /** Saves at once: the page may be left for good. */
    flush,
    /** Another tab wrote the copy. */
    copyChanged(text: string | null) {
      const copy = copyIn(text);
      if (!copy || copy.user !== user) return;
      // What this tab still has to save it saves itself; the other tab does the same with its own.
      data = {
        settings: { ...copy.data.settings, ...copy.pending?.settings },
        shortcuts: [...(copy.pending?.shortcuts ?? copy.data.shortcuts)],
      };
      become({ isCopied: false });
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
  tell: toast,
});

/** Ties them to this browser. Called once, at the start. */
export function connectSettings(): void {
  window.addEventListener('storage', (event) => {
    if (event.key === copyKey) settingsStore.copyChanged(event.newValue);
  });
  window.addEventListener('pagehide', () => void settingsStore.flush(true));
  window.addEventListener('online', () => void settingsStore.flush());
}

export const changeSettings = settingsStore.change;

export const usePreferences = (): Preferences => useSyncExternalStore(settingsStore.subscribe, settingsStore.preferences);
export const useSettings = (): Settings =>
  useSyncExternalStore(settingsStore.subscribe, () => settingsStore.preferences().settings);
export const useShortcutIds = (): readonly string[] =>
  useSyncExternalStore(settingsStore.subscribe, () => settingsStore.preferences().shortcuts);

/** The IANA zone of the settings, else the browser’s. */
export const viewerTimeZone = (): string => settingsStore.preferences().settings.timeZone || browserTimeZone();
