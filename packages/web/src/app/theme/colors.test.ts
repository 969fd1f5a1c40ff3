import { describe, expect, test } from 'vitest';
import { contrast, distance, visions } from './contrast.ts';
import { palettes } from './palettes.ts';
import { deviceTypeColors, severityColors, severityKnockout } from './signals.ts';

test('contrast is WCAG’s', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#ffffff', '#777777')).toBe(contrast('#777777', '#ffffff'));
  expect(() => contrast('red', '#ffffff')).toThrow('is not a colour');
});

describe.each(palettes)('palette $id', (palette) => {
  const surfaces = [palette.ground, palette.surface];

  test.each(['text', 'quietText', 'accent', 'error', 'warning', 'success', 'info'] as const)(
    '%s reads on every surface',
    (name) => {
      for (const surface of surfaces) expect(contrast(palette[name], surface)).toBeGreaterThanOrEqual(4.5);
    },
  );

  test('text on the accent reads', () => {
    expect(contrast(palette.onAccent, palette.accent)).toBeGreaterThanOrEqual(4.5);
  });

  test('signals stand off every surface', () => {
    for (const color of [...Object.values(severityColors[palette.mode]), ...Object.values(deviceTypeColors[palette.mode])]) {
      for (const surface of surfaces) expect(contrast(color, surface)).toBeGreaterThanOrEqual(3);
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
