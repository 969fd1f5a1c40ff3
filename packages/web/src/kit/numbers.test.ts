import { expect, it } from 'vitest';
import { abbreviate, counted, exact, trendOf } from './numbers.ts';

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1K'],
  [1234, '1.2K'],
  [99_999, '99.9K'],
  [999_999, '999K'],
  [1_000_000, '1M'],
  [2_500_000_000, '2.5B'],
  [3e12, '3T'],
  [-1500, '−1.5K'],
  [Number.NaN, '–'],
])('%d is written %s', (value, text) => expect(abbreviate(value)).toBe(text));

it('exact and counted', () => {
  expect([1_234_567, -1234, 999, 1000, 12_345.6789, 0].map(exact)).toEqual([
    '1,234,567',
    '-1,234',
    '999',
    '1,000',
    '12,345.679',
    '0',
  ]);
  expect(counted(1, 'alert')).toBe('1 alert');
  expect(counted(2000, 'entry', 'entries')).toBe('2,000 entries');
});

it.each([
  [110, 100, 'up', '10%'],
  [50, 100, 'down', '50%'],
  [100, 100, 'level', '0%'],
  [5, 0, 'up', 'new'],
  [100_000, 1, 'up', '>999%'],
])('%d after %d', (value, before, direction, text) => expect(trendOf(value, before)).toEqual({ direction, text }));
it('nothing after nothing is no trend', () => expect(trendOf(0, 0)).toBeUndefined());
