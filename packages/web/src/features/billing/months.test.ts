import { expect, test } from 'vitest';
import { monthIn, monthLabel, monthsUntil } from './months.ts';

const now = Date.parse('2026-01-31T23:30:00Z');

test('offers thirteen months over the turn of a year', () => {
  const months = monthsUntil(now);
  expect(months).toHaveLength(13);
  expect([months[0], months[1], months[12]]).toEqual(['2026-01', '2025-12', '2025-01']);
  expect(monthLabel('2025-12')).toBe('December 2025');
});

test('takes this month for anything else in the address', () => {
  expect([monthIn('2025-06', now), monthIn(undefined, now), monthIn('2031-01', now), monthIn('x', now)]).toEqual([
    '2025-06',
    '2026-01',
    '2026-01',
    '2026-01',
  ]);
});
