import { expect, test } from 'vitest';
import { durationText } from './duration.ts';

test.each([
  [0, '< 1 min'],
  [-5, '< 1 min'],
  [59.9, '59 min'],
  [60, '1 h'],
  [200, '3 h 20 min'],
  [1440, '1 d'],
  [2 * 1440 + 4 * 60 + 59, '2 d 4 h'],
])('%s minutes: %s', (minutes, text) => {
  expect(durationText(minutes)).toBe(text);
});
