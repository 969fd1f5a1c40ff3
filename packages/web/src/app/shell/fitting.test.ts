import { expect, test } from 'vitest';
import { fitting } from './fitting.ts';

test.each([
  [[100, 100, 100], 308, 3],
  [[100, 100, 100], 307, 2],
  [[100, 100, 100], 150, 0],
  [[100, 100, 100], 0, 0],
  [[], 100, 0],
])('of %j in %i px, %i fit', (widths, width, count) => {
  expect(fitting(widths, width, 4, 88)).toBe(count);
});
