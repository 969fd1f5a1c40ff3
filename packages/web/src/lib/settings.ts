/**
 * What a user likes, as flat keys in `data.settings` (spec §2.2, §3). Whatever is kept there may come from an older or newer portal, or
 * from anybody's hands: a value that makes no sense is as if it were not there.
 */
import type { UserData } from '@parapet/contract/auth.ts';

export type Kept = UserData['settings'];

const numbered = (mode: string) => Array.from({ length: 12 }, (_, index) => `${mode}${index + 1}`);
/** As in `palettes.ts`. */
export const themeIds: Record<'light' | 'dark', readonly string[]> = {
  light: ['default', 'legacy', ...numbered('light')],
  dark: numbered('dark'),
};

export interface Settings {
  lightTheme: string;
  darkTheme: string;
  /** `system`: light or dark as the system is. */
  mode: 'system' | 'light' | 'dark';
  /** horizontal: the navigation beside the content; vertical: above it (decision 28c). */
  layoutStyle: 'horizontal' | 'vertical';
  layoutMode: 'container' | 'fullwidth' | 'boxed';
  toolbar: 'above' | 'below';
  navbar: boolean;
  navbarFolded: boolean;
  footer: 'static' | 'fixed';
  customScrollbars: boolean;
  animations: boolean;
  density: 'standard' | 'compact';
  /** IANA zone; empty: the browser's. */
  timeZone: string;
  timeFormat: '24' | '12';
}

export const defaultSettings: Settings = {
  lightTheme: 'default',
  darkTheme: 'dark1',
  mode: 'system',
  layoutStyle: 'horizontal',
  layoutMode: 'container',
  toolbar: 'above',
  navbar: true,
  navbarFolded: false,
  footer: 'static',
  customScrollbars: true,
  animations: true,
  density: 'standard',
  timeZone: '',
  timeFormat: '24',
};

export const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return !/^[+-]/.test(zone);
  } catch {
    return false;
  }
};

const words: { [Name in keyof Settings]?: readonly string[] } = {
  lightTheme: themeIds.light,
  darkTheme: themeIds.dark,
  mode: ['system', 'light', 'dark'],
  layoutStyle: ['horizontal', 'vertical'],
  layoutMode: ['container', 'fullwidth', 'boxed'],
  toolbar: ['above', 'below'],
  footer: ['static', 'fixed'],
  density: ['standard', 'compact'],
  timeFormat: ['24', '12'],
};

function isGood(name: keyof Settings, value: unknown): boolean {
  if (typeof value !== typeof defaultSettings[name]) return false;
  if (name === 'timeZone') return value === '' || isTimeZone(value as string);
  return words[name]?.includes(value as string) ?? true;
}

export function settingsOf(kept: unknown): Settings {
  const values = (typeof kept === 'object' && kept !== null ? kept : {}) as Record<string, unknown>;
  const names = Object.keys(defaultSettings) as (keyof Settings)[];
  const good = names.filter((name) => Object.hasOwn(values, name) && isGood(name, values[name]));
  return { ...defaultSettings, ...Object.fromEntries(good.map((name) => [name, values[name]])) };
}

const maxSettings = 50;

/**
 * What is kept after a change. Keys that this portal does not know stay, as long as there is room for its own.
 */
export function keptWith(kept: Kept, patch: Kept): Kept {
  const next = { ...kept, ...patch };
  const names = Object.keys(next);
  const isOurs = (name: string) => Object.hasOwn(defaultSettings, name) || name.startsWith('mail.');
  const strangers = names.filter((name) => !isOurs(name));
  const room = maxSettings - (names.length - strangers.length);
  for (const name of strangers.slice(Math.max(room, 0))) delete next[name];
  return next;
}
