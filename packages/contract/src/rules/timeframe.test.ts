import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isTimeframe,
  months,
  nowStepMs,
  periodLabel,
  reportingMonthOf,
  reportingMonths,
  resolveTimeframe,
  roundedNow,
  type Timeframe,
  timeframeLabel,
  timeframes,
  toolbarTimeframes,
  withinPeriod,
} from './timeframe.ts';

const at = (iso: string) => Date.parse(iso);

/** now, zone, timeframe, start, end */
const table: [now: string, zone: string, timeframe: Timeframe, start: string, end: string][] = [
  // In UTC, 12 November 2026, 10:03:20; "now" ends at the next full five minutes.
  ['2026-11-12T10:03:20Z', 'UTC', 'thisMonth', '2026-11-01T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'thisWeek', '2026-11-06T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'lastMonth', '2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'lastSixMonths', '2026-05-12T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'lastOneYear', '2025-11-12T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'last30Days', '2026-10-14T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'ytd', '2026-01-01T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'lastMonthFullYear', '2025-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'allTime', '2001-11-12T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
  // Named months: this year's if begun, otherwise last year's; the current one ends now.
  ['2026-11-12T10:03:20Z', 'UTC', 'November', '2026-11-01T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'October', '2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'January', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
  ['2026-11-12T10:03:20Z', 'UTC', 'December', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  // Across the turn of the year.
  ['2026-01-03T12:00:00Z', 'UTC', 'thisWeek', '2025-12-28T00:00:00.000Z', '2026-01-03T12:05:00.000Z'],
  ['2026-01-03T12:00:00Z', 'UTC', 'lastMonth', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['2026-01-03T12:00:00Z', 'UTC', 'ytd', '2026-01-01T00:00:00.000Z', '2026-01-03T12:05:00.000Z'],
  // Leap years.
  ['2028-02-29T08:00:00Z', 'UTC', 'lastOneYear', '2027-02-28T00:00:00.000Z', '2028-02-29T08:05:00.000Z'],
  ['2028-02-29T08:00:00Z', 'UTC', 'February', '2028-02-01T00:00:00.000Z', '2028-02-29T08:05:00.000Z'],
  ['2028-03-31T08:00:00Z', 'UTC', 'lastMonth', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['2028-08-31T08:00:00Z', 'UTC', 'lastSixMonths', '2028-02-29T00:00:00.000Z', '2028-08-31T08:05:00.000Z'],
  ['2027-08-31T08:00:00Z', 'UTC', 'lastSixMonths', '2027-02-28T00:00:00.000Z', '2027-08-31T08:05:00.000Z'],
  ['2028-02-29T08:00:00Z', 'UTC', 'allTime', '2003-02-28T00:00:00.000Z', '2028-02-29T08:05:00.000Z'],
  // Kathmandu is 5:45 ahead: its November began while it was October in UTC.
  ['2026-10-31T18:20:00Z', 'Asia/Kathmandu', 'thisMonth', '2026-10-31T18:15:00.000Z', '2026-10-31T18:25:00.000Z'],
  ['2026-10-31T18:10:00Z', 'Asia/Kathmandu', 'thisMonth', '2026-09-30T18:15:00.000Z', '2026-10-31T18:15:00.000Z'],
  ['2026-10-31T18:20:00Z', 'Asia/Kathmandu', 'October', '2026-09-30T18:15:00.000Z', '2026-10-31T18:15:00.000Z'],
  // Kiritimati is 14 hours ahead, Pago Pago 11 behind: the same instant, two days apart.
  ['2026-06-30T10:30:00Z', 'Pacific/Kiritimati', 'thisMonth', '2026-06-30T10:00:00.000Z', '2026-06-30T10:35:00.000Z'],
  ['2026-07-01T10:30:00Z', 'Pacific/Pago_Pago', 'thisMonth', '2026-06-01T11:00:00.000Z', '2026-07-01T10:35:00.000Z'],
  // New York: from winter time (−5) to summer time (−4) on 8 March 2026, back on 1 November 2026.
  ['2026-03-10T12:00:00Z', 'America/New_York', 'thisMonth', '2026-03-01T05:00:00.000Z', '2026-03-10T12:05:00.000Z'],
  ['2026-03-10T12:00:00Z', 'America/New_York', 'thisWeek', '2026-03-04T05:00:00.000Z', '2026-03-10T12:05:00.000Z'],
  ['2026-03-15T12:00:00Z', 'America/New_York', 'thisWeek', '2026-03-09T04:00:00.000Z', '2026-03-15T12:05:00.000Z'],
  ['2026-12-05T12:00:00Z', 'America/New_York', 'November', '2026-11-01T04:00:00.000Z', '2026-12-01T05:00:00.000Z'],
  ['2026-11-01T05:30:00Z', 'America/New_York', 'thisMonth', '2026-11-01T04:00:00.000Z', '2026-11-01T05:35:00.000Z'],
  ['2026-11-01T06:30:00Z', 'America/New_York', 'thisMonth', '2026-11-01T04:00:00.000Z', '2026-11-01T06:35:00.000Z'],
  // Beirut puts its clocks forward at midnight (29 March 2026): that day begins at 01:00 summer time, 22:00 UTC.
  ['2026-04-04T06:00:00Z', 'Asia/Beirut', 'thisWeek', '2026-03-28T22:00:00.000Z', '2026-04-04T06:05:00.000Z'],
  // Havana puts its clocks back at 01:00 (1 November 2026): midnight comes twice, the first one counts.
  ['2026-11-05T06:00:00Z', 'America/Havana', 'thisMonth', '2026-11-01T04:00:00.000Z', '2026-11-05T06:05:00.000Z'],
];

test.each(table)('resolves at %s in %s: %s', (now, zone, timeframe, start, end) => {
  expect(resolveTimeframe(timeframe, at(now), zone)).toEqual({ start, end });
});

const zones = [
  'UTC',
  'Asia/Kathmandu',
  'America/New_York',
  'Pacific/Kiritimati',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
];
const instants = fc.integer({ min: at('2005-01-01T00:00:00Z'), max: at('2037-01-01T00:00:00Z') });

describe('any timeframe, instant and time zone', () => {
  const wallClock = (iso: string, zone: string) =>
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    }).format(at(iso));

  test('starts before its end, at midnight of the zone or the first instant after a skipped midnight', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), fc.constantFrom(...timeframes), (now, zone, timeframe) => {
        const { start, end } = resolveTimeframe(timeframe, now, zone);
        expect(at(start)).toBeLessThan(at(end));
        const shown = wallClock(start, zone);
        if (shown !== '00:00:00') {
          // Without a midnight that day, the minute before belongs to the day before.
          expect(shown).toBe('01:00:00');
          expect(wallClock(new Date(at(start) - 60_000).toISOString(), zone)).toBe('23:59:00');
        }
      }),
      { numRuns: 400 },
    );
  });

  test('returns the same range, which includes now, within five minutes', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 0, max: nowStepMs - 1 }), fc.constantFrom(...zones), (now, later, zone) => {
        const begin = Math.floor(now / nowStepMs) * nowStepMs;
        const range = resolveTimeframe('thisMonth', begin, zone);
        expect(resolveTimeframe('thisMonth', begin + later, zone)).toEqual(range);
        expect(begin + later).toBeLessThan(at(range.end));
        expect(roundedNow(begin + later)).toBe(at(range.end));
      }),
      { numRuns: 200 },
    );
  });

  test('ends lastMonth where thisMonth starts', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (now, zone) => {
        expect(resolveTimeframe('lastMonth', now, zone).end).toBe(resolveTimeframe('thisMonth', now, zone).start);
      }),
      { numRuns: 200 },
    );
  });

  test('returns twelve contiguous reporting months', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (now, zone) => {
        const ranges = reportingMonths(now, zone).map(({ value }) => resolveTimeframe(value, now, zone));
        expect(ranges).toHaveLength(12);
        for (const [index, range] of ranges.entries()) if (index > 0) expect(range.end).toBe(ranges[index - 1]!.start);
      }),
      { numRuns: 100 },
    );
  });
});

test('offers the timeframes of spec §2.2 in the toolbar', () => {
  expect(toolbarTimeframes.map((each) => [each, timeframeLabel(each)])).toEqual([
    ['thisMonth', 'This Month'],
    ['thisWeek', 'Last Seven Days'],
    ['lastMonth', 'Last Month'],
    ['lastSixMonths', 'Last 6 Months'],
    ['lastOneYear', 'Last 12 Months'],
  ]);
});

test('labels every timeframe, months by their name', () => {
  for (const timeframe of timeframes) expect(timeframeLabel(timeframe)).not.toBe('');
  for (const month of months) expect(timeframeLabel(month)).toBe(month);
});

test('labels reporting months with the year and uses the name as value', () => {
  const list = reportingMonths(at('2026-02-10T00:00:00Z'), 'UTC');
  expect(list[0]).toEqual({ value: 'February', year: 2026, month: 2, label: 'February 2026' });
  expect(list[1]).toEqual({ value: 'January', year: 2026, month: 1, label: 'January 2026' });
  expect(list[2]).toEqual({ value: 'December', year: 2025, month: 12, label: 'December 2025' });
  expect(list[11]).toEqual({ value: 'March', year: 2025, month: 3, label: 'March 2025' });
});

test('selects the named month, otherwise the last full one', () => {
  const of = (timeframe: Timeframe, now = '2026-02-10T00:00:00Z') => reportingMonthOf(timeframe, at(now), 'UTC').label;
  expect(of('February')).toBe('February 2026');
  expect(of('March')).toBe('March 2025');
  expect(of('thisMonth')).toBe('January 2026');
  expect(of('lastOneYear', '2026-01-01T00:00:00Z')).toBe('December 2025');
  // On the first of a month there, it is still the last day of the previous month.
  expect(reportingMonthOf('lastMonth', at('2026-03-01T02:00:00Z'), 'America/New_York').label).toBe('January 2026');
});

test.each([
  ['thisMonth', true],
  ['January', true],
  ['january', false],
  ['', false],
  [undefined, false],
  ['__proto__', false],
])('isTimeframe(%j) is %s', (value, expected) => {
  expect(isTimeframe(value)).toBe(expected);
});

describe('withinPeriod', () => {
  const range = { start: '2026-11-01T00:00:00.000Z', end: '2026-11-12T10:05:00.000Z' };
  test.each([
    ['2026-11-05', 'UTC', '2026-11-05T00:00:00.000Z', '2026-11-06T00:00:00.000Z'],
    ['2026-11-12', 'UTC', '2026-11-12T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
    ['2026-11', 'UTC', '2026-11-01T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
    ['2026-11-03..2026-11-05', 'UTC', '2026-11-03T00:00:00.000Z', '2026-11-06T00:00:00.000Z'],
    ['2026-10-30..2026-11-30', 'UTC', '2026-11-01T00:00:00.000Z', '2026-11-12T10:05:00.000Z'],
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    // UTC days stay whole, also where the range begins or ends within them.
    ['2026-11-05Z', 'America/New_York', '2026-11-05T00:00:00.000Z', '2026-11-06T00:00:00.000Z'],
    ['2026-11-12Z', 'Asia/Kolkata', '2026-11-12T00:00:00.000Z', '2026-11-13T00:00:00.000Z'],
    ['2026-11-01..2026-11-03Z', 'Asia/Kolkata', '2026-11-01T00:00:00.000Z', '2026-11-04T00:00:00.000Z'],
    ['2026-11Z', 'America/New_York', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ])('intersects with %s in %s', (period, zone, start, end) => {
    expect(withinPeriod(range, period, zone)).toEqual({ start, end });
  });

  test.each([
    '2026-10-31',
    '2026-11-13',
    '2026-02-30',
    '2026-13',
    '2026',
    'yesterday',
    '2026-11-00',
    '',
    '2026-11-05..2026-11-03',
    '2026-11-31..2026-12-01',
    '2026-10-31Z',
    '2026-11-31Z',
    '2026-11-05ZZ',
    '2026-11-05Z..2026-11-06Z',
    'Z',
  ])('returns undefined for %j', (period) => {
    expect(withinPeriod(range, period, 'UTC')).toBeUndefined();
  });

  test.each([
    ['2026-11-05', '5 November 2026'],
    ['2026-11', 'November 2026'],
    ['x', 'x'],
    ['xZ', 'xZ'],
    ['2026-11-05Z', '5 November 2026 UTC'],
    ['2026-11-01..2026-11-30Z', '1 November 2026 – 30 November 2026 UTC'],
    ['2026-11-03..2026-11-05', '3 November 2026 – 5 November 2026'],
  ])('labels %s as %s', (period, label) => {
    expect(periodLabel(period)).toBe(label);
  });
});
