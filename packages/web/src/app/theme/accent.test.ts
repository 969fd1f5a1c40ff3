import { contrast } from '@parapet/contract/rules/contrast.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paletteOf, palettes } from '../../lib/palettes.ts';
import { hoveredAccent, withAccent } from './accent.ts';

const [light, dark] = [paletteOf('light', 'default'), paletteOf('dark', 'dark1')];

test('applies an accent in the modes with sufficient contrast', () => {
  expect(withAccent(light, '#1d4ed8')).toMatchObject({ accent: '#1d4ed8', onAccent: '#ffffff' });
  expect(withAccent(dark, '#1d4ed8')).toBe(dark);
  expect(withAccent(dark, '#8fb4ff')).toMatchObject({ accent: '#8fb4ff' });
  expect(withAccent(light, '#8fb4ff')).toBe(light);
});

test.each(['', 'red', '#12345', '#1234567', 'url(x)', '#ffffff;}', '#zzzzzz'])('rejects %j', (wanted) => {
  expect(withAccent(light, wanted)).toBe(light);
});

test('keeps the contrast for any colour', () => {
  const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(hex, fc.constantFrom(...palettes), (wanted, palette) => {
      const made = withAccent(palette, wanted);
      for (const other of [made.ground, made.surface, made.onAccent])
        expect(contrast(made.accent, other)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(hoveredAccent(made), made.onAccent)).toBeGreaterThanOrEqual(4.5);
    }),
  );
});
