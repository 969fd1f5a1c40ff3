import { describe, expect, it } from 'vitest';
import { abbreviate, counted, exact } from './numbers.ts';

describe('abbreviate', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1K'],
    [1049, '1K'],
    [1182, '1.2K'],
    [1250, '1.3K'],
    [12_345, '12.3K'],
    [99_949, '99.9K'],
    [99_950, '100K'],
    [123_456, '123K'],
    [999_499, '999K'],
    [999_500, '1M'],
    [1_000_000, '1M'],
    [2_500_000_000, '2.5B'],
    [999_950_000_000, '1T'],
    [3e12, '3T'],
    [4e15, '4000T'],
    [-1560, '−1.6K'],
    [Number.NaN, '–'],
  ])('writes %d as %s', (value, text) => expect(abbreviate(value)).toBe(text));

  it('differs from the value by at most half of its last digit', () => {
    const factor: Record<string, number> = { K: 1e3, M: 1e6, B: 1e9 };
    for (let value = 1; value < 5e9; value = Math.ceil(value * 1.037)) {
      const [, digits = '', unit = ''] = /^([\d.]+)([KMB]?)$/.exec(abbreviate(value)) ?? [];
      const size = factor[unit] ?? 1;
      const step = unit === '' ? 1 : size * (Number(digits) < 100 ? 0.1 : 1);
      expect(Math.abs(Number(digits) * size - value)).toBeLessThanOrEqual(step / 2 + size / 1e6);
    }
  });
});

describe('exact and counted', () => {
  it('group thousands', () => {
    expect([1_234_567, -1234, 999, 1000, 12_345.6789, 0].map(exact)).toEqual([
      '1,234,567',
      '-1,234',
      '999',
      '1,000',
      '12,345.679',
      '0',
    ]);
  });
  it('use the singular for one', () => {
    expect(counted(1, 'alert')).toBe('1 alert');
    expect(counted(2000, 'entry', 'entries')).toBe('2,000 entries');
  });
});
