import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxBlockEvents } from './append.ts';
import { evenParts } from './merge.ts';

const counts = (parts: readonly { count: number }[][]) => parts.map((part) => part.reduce((sum, { count }) => sum + count, 0));

test('divides blocks into parts of about as many events', () => {
  const blocks = Array.from({ length: 17 }, () => ({ count: 500 }));
  expect(counts(evenParts(blocks))).toEqual([3_000, 3_000, 2_500]);
  expect(counts(evenParts([{ count: 1 }]))).toEqual([1]);
  expect(evenParts([])).toEqual([]);
});

test('keeps every block once, in order and within the limit', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 999 }), { maxLength: 200 }), (sizes) => {
      const blocks = sizes.map((count) => ({ count }));
      const parts = evenParts(blocks);
      expect(parts.flat()).toEqual(blocks);
      for (const sum of counts(parts)) expect(sum).toBeLessThanOrEqual(maxBlockEvents);
      // None but the last may stay small, where there are enough events for it.
      for (const sum of counts(parts).slice(0, -1)) expect(sum).toBeGreaterThan(1_000);
    }),
  );
});
