import { contrast, grounds } from '@parapet/contract/rules/contrast.ts';
import { describe, expect, test } from 'vitest';
import { mixed } from '../../lib/oklch.ts';
import { paletteOf, palettes, standardOf } from '../../lib/palettes.ts';
import { themeIds } from '../../lib/settings.ts';
import { hoveredAccent } from './accent.ts';
import { distance, visions } from './contrast.ts';
import { deviceTypeColors, severityColors, severityKnockout } from './signals.ts';
import { hoverShare, selectedShare } from './theme.ts';

test('computes the WCAG contrast', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#ffffff', '#777777')).toBe(contrast('#777777', '#ffffff'));
  expect(() => contrast('red', '#ffffff')).toThrow('is not a colour');
});

test('lists the 26 themes of the specification under unique names', () => {
  const numbered = (mode: string) => Array.from({ length: 12 }, (_, index) => `${mode}${index + 1}`);
  expect(palettes.map(({ id }) => id)).toEqual(['default', 'legacy', ...numbered('light'), ...numbered('dark')]);
  expect(new Set(palettes.map(({ mode, name }) => `${mode} ${name}`)).size).toBe(26);
  expect([...themeIds.light, ...themeIds.dark]).toEqual(palettes.map(({ id }) => id));
  // No two look the same.
  expect(new Set(palettes.map(({ ground, accent }) => `${ground} ${accent}`)).size).toBe(26);
});

test.each(['light', 'dark'] as const)(
  '%s: the standard theme stands on the grounds that brands’ accents are judged by',
  (mode) => {
    const palette = paletteOf(mode, standardOf[mode]);
    expect([palette.ground, palette.surface]).toEqual(grounds[mode]);
  },
);

test('falls back to the default theme', () => {
  for (const id of ['', 'light99', 'constructor', 'dark3', undefined, {}, 7]) expect(paletteOf('light', id).id).toBe('default');
  expect(paletteOf('dark', 'light3').id).toBe('dark1');
  expect(paletteOf('dark', 'dark3').id).toBe('dark3');
});

describe.each(palettes)('theme $id', (palette) => {
  const surfaces = [palette.ground, palette.surface];
  // Rows under the pointer, chosen rows and the menu's open item.
  const touched = [hoverShare, selectedShare].map((share) => mixed(palette.text, share[palette.mode], palette.surface));

  test.each(['text', 'quietText', 'accent'] as const)('%s has contrast on every surface, hovered or not', (name) => {
    for (const surface of [...surfaces, ...touched]) expect(contrast(palette[name], surface)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(['error', 'warning', 'success', 'info'] as const)('%s has contrast on every surface and to its text', (name) => {
    for (const surface of surfaces) expect(contrast(palette[name], surface)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette.onSignal, palette[name])).toBeGreaterThanOrEqual(4.5);
  });

  test('keeps contrast of text on the accent, also hovered', () => {
    for (const accent of [palette.accent, hoveredAccent(palette)])
      expect(contrast(palette.onAccent, accent)).toBeGreaterThanOrEqual(4.5);
  });

  test('keeps contrast of text and icon in the open menu item', () => {
    const open = mixed(palette.accent, 0.1, palette.surface);
    expect(contrast(palette.text, open)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette.accent, open)).toBeGreaterThanOrEqual(3);
  });

  test('keeps contrast of control edges and the focus ring', () => {
    for (const surface of surfaces) {
      expect(contrast(palette.control, surface)).toBeGreaterThanOrEqual(3);
      expect(contrast(palette.accent, surface)).toBeGreaterThanOrEqual(3);
    }
  });

  test('keeps contrast of signals on every surface', () => {
    for (const color of [...Object.values(severityColors[palette.mode]), ...Object.values(deviceTypeColors[palette.mode])]) {
      for (const surface of surfaces) expect(contrast(color, surface), color).toBeGreaterThanOrEqual(3);
    }
    for (const color of Object.values(severityColors[palette.mode])) {
      expect(contrast(color, severityKnockout[palette.mode])).toBeGreaterThanOrEqual(3);
    }
  });
});

describe.each([
  ['severities, light', severityColors.light],
  ['severities, dark', severityColors.dark],
  ['device types, light', deviceTypeColors.light],
  ['device types, dark', deviceTypeColors.dark],
])('%s', (_, set) => {
  test.each(Object.entries(visions))('stay apart with %s vision', (_, vision) => {
    const colors = Object.values(set);
    for (const [index, one] of colors.entries()) {
      for (const other of colors.slice(index + 1)) expect(distance(one, other, vision), `${one} ${other}`).toBeGreaterThan(0.09);
    }
  });
});
