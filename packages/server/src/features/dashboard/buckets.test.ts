import { dayMs } from '@parapet/contract/rules/duration.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketsOf } from './buckets.ts';

const at = (text: string) => Date.parse(text);
const shown = (start: string, end: string, zone: string) =>
  bucketsOf({ start: at(start), end: at(end) }, zone, 400)!.buckets.map(
    (bucket) =>
      `${bucket.firstDay} ${new Date(bucket.start).toISOString().slice(0, 16)} ${new Date(bucket.end).toISOString().slice(0, 16)}`,
  );

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'America/St_Johns',
  'America/Santiago',
  'Africa/Cairo',
  'America/Havana',
  'Pacific/Apia',
];

describe('bucketsOf', () => {
  test('starts and ends with the timeframe', () => {
    expect(shown('2026-11-19T10:30Z', '2026-11-21T03:00Z', 'Europe/Berlin')).toEqual([
      '2026-11-19 2026-11-19T10:30 2026-11-19T23:00',
      '2026-11-20 2026-11-19T23:00 2026-11-20T23:00',
      '2026-11-21 2026-11-20T23:00 2026-11-21T03:00',
    ]);
  });

  test('returns days of 23 or 25 hours at clock changes', () => {
    const hours = (start: string, end: string, zone: string) =>
      bucketsOf({ start: at(start), end: at(end) }, zone, 400)!.buckets.map((bucket) => (bucket.end - bucket.start) / 3_600_000);
    expect(hours('2026-03-27T23:00Z', '2026-03-30T22:00Z', 'Europe/Berlin')).toEqual([24, 23, 24]);
    expect(hours('2026-10-23T22:00Z', '2026-10-26T23:00Z', 'Europe/Berlin')).toEqual([24, 25, 24]);
    // Half an hour.
    expect(hours('2026-04-03T13:00Z', '2026-04-06T13:30Z', 'Australia/Lord_Howe')).toEqual([24, 24.5, 24]);
    // Forward at midnight: that day starts at 01:00.
    expect(hours('2026-04-22T22:00Z', '2026-04-24T21:00Z', 'Africa/Cairo')).toEqual([24, 23]);
  });

  test('omits a day the zone skipped', () => {
    expect(shown('2011-12-29T10:00Z', '2011-12-31T10:00Z', 'Pacific/Apia').map((text) => text.slice(0, 10))).toEqual([
      '2011-12-29',
      '2011-12-31',
    ]);
  });

  test('returns months beyond 62 days, also across the end of summer time', () => {
    const unit = (start: string, end: string, zone = 'UTC') => bucketsOf({ start: at(start), end: at(end) }, zone, 400)!.unit;
    expect(unit('2026-07-01T00:00Z', '2026-09-01T00:00Z')).toBe('day');
    expect(unit('2026-07-01T00:00Z', '2026-09-01T01:01Z')).toBe('month');
    expect(unit('2026-09-30T22:00Z', '2026-11-30T23:00Z', 'Europe/Berlin')).toBe('day');
    expect(shown('2025-12-15T23:00Z', '2026-03-01T00:00Z', 'Europe/Berlin')).toEqual([
      '2025-12-01 2025-12-15T23:00 2025-12-31T23:00',
      '2026-01-01 2025-12-31T23:00 2026-01-31T23:00',
      '2026-02-01 2026-01-31T23:00 2026-02-28T23:00',
      '2026-03-01 2026-02-28T23:00 2026-03-01T00:00',
    ]);
  });

  test('returns undefined beyond the limit', () => {
    expect(bucketsOf({ start: at('1990-01-01T00:00Z'), end: at('2026-01-01T00:00Z') }, 'UTC', 400)).toBeUndefined();
    expect(bucketsOf({ start: at('2001-01-01T00:00Z'), end: at('2026-01-01T00:00Z') }, 'UTC', 400)?.buckets).toHaveLength(300);
  });

  test('covers the timeframe without gap or overlap, one bucket per day', () => {
    const instants = fc.integer({ min: at('2015-01-01T00:00Z'), max: at('2027-01-01T00:00Z') });
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, fc.integer({ min: 1, max: 400 * dayMs }), (zone, start, length) => {
        const { unit, buckets } = bucketsOf({ start, end: start + length }, zone, 400)!;
        expect(buckets[0]!.start).toBe(start);
        expect(buckets.at(-1)!.end).toBe(start + length);
        const dayOf = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
        for (const [index, bucket] of buckets.entries()) {
          if (index > 0) expect(bucket.start).toBe(buckets[index - 1]!.end);
          for (const instant of [bucket.start, bucket.end - 1]) {
            const day = dayOf.format(instant);
            expect(unit === 'day' ? day : `${day.slice(0, 7)}-01`).toBe(bucket.firstDay);
          }
        }
        const days = buckets.map((bucket) => bucket.firstDay);
        expect(days).toEqual([...new Set(days)].sort());
      }),
      { numRuns: 400 },
    );
  });
});
