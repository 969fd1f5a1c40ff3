import { expect, test } from 'vitest';
import { accentError } from './contrast.ts';

test.each([
  ['#0b6e99', 'light', true],
  ['#777777', 'light', false],
  // Sufficient on white, but not on the background behind cards.
  ['#767676', 'light', false],
  ['#0b6e99', 'dark', false],
  ['#4cc9bd', 'dark', true],
  ['#ffffff', 'dark', true],
  ['#ffffff', 'light', false],
] as const)('checks %s on %s backgrounds', (accent, mode, isReadable) => {
  expect(accentError(accent, mode) === undefined).toBe(isReadable);
});

test('reports the contrast ratio, truncated', () => {
  expect(accentError('#777777', 'light')).toBe(
    '#777777 has a contrast of 4.17:1 with #f6f7f9; at least 4.5:1 is needed. Choose a darker colour.',
  );
});
