import { describe, expect, test } from 'vitest';
import { timeAt } from './pageScope.ts';

const now = Date.parse('2026-11-23T10:00:00Z');
const place = { kind: 'range', requested: 'lastMonth', on: '2026-10-05', chosen: 'thisMonth', now, timeZone: 'UTC' } as const;

describe('timeAt', () => {
  test('takes the timeframe and the day of the address', () => {
    expect(timeAt({ ...place, isAnswer: false })).toEqual({
      timeframe: 'lastMonth',
      period: '2026-10-05',
      range: { start: '2026-10-05T00:00:00.000Z', end: '2026-10-06T00:00:00.000Z' },
      timeZone: 'UTC',
    });
  });

  test('takes all time for the rows of an answer, and only on pages with a timeframe', () => {
    expect(timeAt({ ...place, isAnswer: true })).toMatchObject({ timeframe: 'allTime', period: undefined });
    expect(timeAt({ ...place, kind: undefined, isAnswer: true })).toMatchObject({ timeframe: 'thisMonth' });
  });
});
