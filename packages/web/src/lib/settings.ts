/**
 * The user’s settings as flat keys in `data.settings` (spec §2.2, §3). Stored values may come from an older or newer portal or be edited by
 * hand: invalid ones are ignored.
 */
import type { UserData } from '@parapet/contract/auth.ts';

export type StoredSettings = UserData['settings'];

const numbered = (mode: string) => Array.from({ length: 12 }, (_, index) => `${mode}${index + 1}`);
/** The ids of `palettes.ts`. */
export const themeIds: Record<'light' | 'dark', readonly string[]> = {
  light: ['default', 'legacy', ...numbered('light')],
  dark: numbered('dark'),
};

export interface Settings {
  lightTheme: string;
  darkTheme: string;
  /** `system`: the operating system’s. */
  mode: 'system' | 'light' | 'dark';
  /** horizontal: the navigation beside the content; vertical: above it. */
  layoutStyle: 'horizontal' | 'vertical';
  layoutMode: 'container' | 'fullwidth' | 'boxed';
  toolbar: 'above' | 'below';
  navbar: boolean;
  navbarFolded: boolean;
  footer: 'static' | 'fixed';
  customScrollbars: boolean;
  animations: boolean;
  /** `auto`: compact for those who work in lists all day. */
  density: 'auto' | 'standard' | 'compact';
  /** IANA zone; empty: the browser’s. */
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
  density: 'auto',
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

const allowedValues: { [Name in keyof Settings]?: readonly string[] } = {
  lightTheme: themeIds.light,
  darkTheme: themeIds.dark,
  mode: ['system', 'light', 'dark'],
  layoutStyle: ['horizontal', 'vertical'],
  layoutMode: ['container', 'fullwidth', 'boxed'],
  toolbar: ['above', 'below'],
  footer: ['static', 'fixed'],
  density: ['auto', 'standard', 'compact'],
  timeFormat: ['24', '12'],
};

function isValid(name: keyof Settings, value: unknown): boolean {
  if (typeof value !== typeof defaultSettings[name]) return false;
  if (name === 'timeZone') return value === '' || isTimeZone(value as string);
  return allowedValues[name]?.includes(value as string) ?? true;
}

export function settingsOf(stored: unknown): Settings {
  const values = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>;
  const names = Object.keys(defaultSettings) as (keyof Settings)[];
  const valid = names.filter((name) => Object.hasOwn(values, name) && isValid(name, values[name]));
  return { ...defaultSettings, ...Object.fromEntries(valid.map((name) => [name, values[name]])) };
}

const maxSettings = 50;

/** Applies a change. Unknown keys of other versions stay while the limit leaves room for the portal’s own. */
export function mergeSettings(stored: StoredSettings, patch: StoredSettings): StoredSettings {
  const next = { ...stored, ...patch };
  const names = Object.keys(next);
  const isOwn = (name: string) => Object.hasOwn(defaultSettings, name) || name.startsWith('mail.');
  const unknown = names.filter((name) => !isOwn(name));
  const room = maxSettings - (names.length - unknown.length);
  for (const name of unknown.slice(Math.max(room, 0))) delete next[name];
  return next;
}
