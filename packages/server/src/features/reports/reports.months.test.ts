import { hourMs } from '@parapet/contract/rules/duration.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calendarDay, daysOf, monthBefore, monthKey, monthName, monthRange } from './reports.months.ts';
import { dueMonth } from './reports.schedules.ts';

const iso = (at: number) => new Date(at).toISOString();

describe('monthRange and daysOf', () => {
  test.each([
    ['UTC', 2026, 11, '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z', 30],
    // Offset by half an hour.
    ['Asia/Kolkata', 2026, 11, '2026-10-31T18:30:00.000Z', '2026-11-30T18:30:00.000Z', 30],
    ['Asia/Kathmandu', 2026, 1, '2025-12-31T18:15:00.000Z', '2026-01-31T18:15:00.000Z', 31],
    // Daylight saving starts and ends in the month; at Lord Howe by half an hour.
    ['America/New_York', 2026, 3, '2026-03-01T05:00:00.000Z', '2026-04-01T04:00:00.000Z', 31],
    ['America/New_York', 2026, 11, '2026-11-01T04:00:00.000Z', '2026-12-01T05:00:00.000Z', 30],
    ['Australia/Lord_Howe', 2026, 4, '2026-03-31T13:00:00.000Z', '2026-04-30T13:30:00.000Z', 30],
    // Leap years, and a century year that is none.
    ['Europe/Berlin', 2028, 2, '2028-01-31T23:00:00.000Z', '2028-02-29T23:00:00.000Z', 29],
    ['UTC', 2100, 2, '2100-02-01T00:00:00.000Z', '2100-03-01T00:00:00.000Z', 28],
    // Samoa crossed the date line: no 30 December 2011.
    ['Pacific/Apia', 2011, 12, '2011-12-01T10:00:00.000Z', '2011-12-31T10:00:00.000Z', 30],
    // Far in the future, across a year boundary.
    ['Pacific/Kiritimati', 2026, 1, '2025-12-31T10:00:00.000Z', '2026-01-31T10:00:00.000Z', 31],
  ])('%s %i-%i', (timeZone, year, month, start, end, days) => {
    const range = monthRange({ year, month }, timeZone);
    expect([iso(range.start), iso(range.end)]).toEqual([start, end]);
    expect(daysOf({ year, month }, timeZone)).toHaveLength(days);
  });

  test('covers the month with contiguous days in every zone', () => {
    const zones = [
      'UTC',
      'Asia/Kolkata',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
      'America/Sao_Paulo',
      'Africa/Cairo',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 1995, max: 2090 }),
        fc.integer({ min: 1, max: 12 }),
        (zone, year, month) => {
          const range = monthRange({ year, month }, zone);
          const days = daysOf({ year, month }, zone);
          expect(days[0]?.start).toBe(range.start);
          expect(days.at(-1)?.end).toBe(range.end);
          for (const [index, day] of days.slice(1).entries()) expect(day.start).toBe(days[index]!.end);
          for (const { start, day } of days) expect(calendarDay(start, zone)).toEqual({ year, month, day });
          expect(calendarDay(range.start - 1, zone)).toMatchObject(monthBefore({ year, month }));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('returns names and sortable keys', () => {
    expect([monthName({ year: 2026, month: 1 }), monthKey({ year: 2026, month: 1 })]).toEqual(['January 2026', '2026-01']);
    expect(monthBefore({ year: 2026, month: 1 })).toEqual({ year: 2025, month: 12 });
    expect(monthKey({ year: 999, month: 12 }) < monthKey({ year: 2026, month: 1 })).toBe(true);
  });
});

describe('dueMonth', () => {
  const due = (at: string, more: Partial<Parameters<typeof dueMonth>[0]> = {}) =>
    dueMonth({ dayOfMonth: 5, lastMonth: '2026-09', timeZone: 'UTC', ...more }, Date.parse(at));

  test.each([
    ['before its day', '2026-11-04T23:59:59Z', {}, undefined],
    ['on its day', '2026-11-05T00:00:00Z', {}, { year: 2026, month: 10 }],
    ['after a missed day', '2026-11-30T12:00:00Z', {}, { year: 2026, month: 10 }],
    ['sent already', '2026-11-30T12:00:00Z', { lastMonth: '2026-10' }, undefined],
    ['never sent', '2026-11-05T00:00:00Z', { lastMonth: '' }, { year: 2026, month: 10 }],
    ['across a year boundary', '2027-01-05T00:00:00Z', { lastMonth: '2026-11' }, { year: 2026, month: 12 }],
    ['when the zone is already on that day', '2026-11-04T18:30:00Z', { timeZone: 'Asia/Kolkata' }, { year: 2026, month: 10 }],
    ['when the zone is not yet on that day', '2026-11-05T04:59:00Z', { timeZone: 'America/New_York' }, undefined],
    [
      'when the zone is still in the previous month',
      '2026-11-01T02:00:00Z',
      { dayOfMonth: 1, timeZone: 'America/New_York' },
      undefined,
    ],
  ])('%s', (_what, at, more, expected) => {
    expect(due(at, more)).toEqual(expected);
  });

  test('returns each month once for repeated checks', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 28 }),
        fc.constantFrom('UTC', 'Asia/Kolkata', 'America/New_York', 'Pacific/Auckland'),
        (dayOfMonth, timeZone) => {
          const sent: string[] = [];
          let lastMonth = '2025-12';
          for (let at = Date.parse('2026-01-15T00:00:00Z'); at < Date.parse('2027-01-15T00:00:00Z'); at += 5 * hourMs) {
            const month = dueMonth({ dayOfMonth, lastMonth, timeZone }, at);
            if (!month) continue;
            lastMonth = monthKey(month);
            sent.push(lastMonth);
            expect(calendarDay(at, timeZone).day).toBe(dayOfMonth);
          }
          expect(new Set(sent).size).toBe(sent.length);
          expect(sent.length).toBeGreaterThanOrEqual(11);
        },
      ),
      { numRuns: 12 },
    );
  });
});
