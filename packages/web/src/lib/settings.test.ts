import { userData } from '@parapet/contract/auth.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSettings, mergeSettings, settingsOf, themeIds } from './settings.ts';

describe('settingsOf', () => {
  test('keeps valid values', () => {
    const stored = {
      lightTheme: 'light7',
      mode: 'dark',
      navbar: false,
      timeZone: 'Asia/Kathmandu',
      timeFormat: '12',
      density: 'compact',
    };
    expect(settingsOf(stored)).toEqual({ ...defaultSettings, ...stored });
  });

  test.each([
    ['lightTheme', ['dark1', 'light13', 'LIGHT1', '', null, 7, 'constructor']],
    ['darkTheme', ['light1', 'default', 'dark0', true]],
    ['mode', ['System', '', null, 1]],
    ['layoutStyle', ['above', {}, []]],
    ['layoutMode', ['wide', '__proto__']],
    ['toolbar', ['left', false]],
    ['navbar', ['false', 0, null]],
    ['animations', ['off']],
    ['timeZone', ['Mars/Olympus', '+02:00', 3, null, 'x'.repeat(200)]],
    ['timeFormat', [12, 24, 'h12']],
  ] as const)('%s: what makes no sense is as if not there', (name, values) => {
    for (const value of values) expect(settingsOf({ [name]: value })).toEqual(defaultSettings);
  });

  test('returns settings for any input', () => {
    fc.assert(
      fc.property(fc.anything(), (stored) => {
        const settings = settingsOf(stored);
        expect(Object.keys(settings)).toEqual(Object.keys(defaultSettings));
        expect(themeIds.light).toContain(settings.lightTheme);
        expect(themeIds.dark).toContain(settings.darkTheme);
      }),
    );
    expect(settingsOf(Object.create({ mode: 'dark' }))).toEqual(defaultSettings);
  });
});

test('fits all settings into the contract’s limit', () => {
  expect(userData.safeParse({ settings: { ...defaultSettings }, shortcuts: [] }).success).toBe(true);
});

test('keeps unknown keys within the limit', () => {
  expect(mergeSettings({ future: 1, mode: 'dark' }, { mode: 'light' })).toEqual({ future: 1, mode: 'light' });
  const full = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`future${index}`, index]));
  const next = mergeSettings(full, { mode: 'light', 'mail.x': false });
  expect(Object.keys(next)).toHaveLength(50);
  expect(next).toMatchObject({ mode: 'light', 'mail.x': false, future0: 0 });
  expect(userData.shape.settings.safeParse(next).success).toBe(true);
});
