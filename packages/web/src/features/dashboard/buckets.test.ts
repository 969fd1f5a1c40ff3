import { expect, test } from 'vitest';
import { bucketsOf } from './buckets.ts';

const counts = { critical: 1, high: 2, medium: 3, low: 4, informational: 5 };

test('labels days', () => {
  expect(bucketsOf({ unit: 'day', buckets: [{ bucket: '2026-11-09', ...counts }] })).toEqual([
    { key: '2026-11-09', label: '9 Nov', title: 'Monday, 9 November 2026', values: [1, 2, 3, 4, 5] },
  ]);
});

test('labels months, and January with its year', () => {
  const buckets = bucketsOf({
    unit: 'month',
    buckets: [
      { bucket: '2025-12-01', ...counts },
      { bucket: '2026-01-01', ...counts },
    ],
  });
  expect(buckets.map(({ key, label, title }) => [key, label, title])).toEqual([
    ['2025-12', 'Dec', 'December 2025'],
    ['2026-01', '2026', 'January 2026'],
  ]);
});
