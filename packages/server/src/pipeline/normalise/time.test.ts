import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTime } from './time.ts';

const now = Date.UTC(2026, 0, 2, 12);
const iso = (value: unknown, at = now) => {
  const time = parseTime(value, at);
  return time === undefined ? undefined : new Date(time).toISOString();
};

describe('parseTime', () => {
  it.each([
    ['2026-09-14T09:12:44.3242341Z', '2026-09-14T09:12:44.324Z'],
    ['2026-09-14T09:12:44+02:00', '2026-09-14T07:12:44.000Z'],
    ['2026-09-14T09:12:44-0530', '2026-09-14T14:42:44.000Z'],
    ['2026-09-14T09:12Z', '2026-09-14T09:12:00.000Z'],
    ['2026-09-14 09:12:44.320', '2026-09-14T09:12:44.320Z'],
    ['2026-09-14 09:12:44,320 UTC', '2026-09-14T09:12:44.320Z'],
    [' 2026-09-14T09:12:44Z ', '2026-09-14T09:12:44.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    [1789890000, '2026-09-20T07:40:00.000Z'],
    [1789890000.5, '2026-09-20T07:40:00.500Z'],
    [1789890000123, '2026-09-20T07:40:00.123Z'],
    ['1789890000123', '2026-09-20T07:40:00.123Z'],
    ['1789890000123456', '2026-09-20T07:40:00.123Z'],
    [133444736000000000, '2023-11-14T22:13:20.000Z'],
    ['133444736000000000', '2023-11-14T22:13:20.000Z'],
    ['/Date(1789890000123)/', '2026-09-20T07:40:00.123Z'],
    ['07/Oct/2026:12:00:15 +0200', '2026-10-07T10:00:15.000Z'],
    ['10/27/2020 8:00:14 PM', '2020-10-27T20:00:14.000Z'],
    ['10/27/2020 12:00:14 AM', '2020-10-27T00:00:14.000Z'],
  ])('reads %j', (value, expected) => expect(iso(value)).toBe(expected));

  it.each([
    ['Jan  2 11:00:00', '2026-01-02T11:00:00.000Z'],
    ['Jan  3 11:00:00', '2026-01-03T11:00:00.000Z'],
    ['Dec 31 23:00:00', '2025-12-31T23:00:00.000Z'],
    ['Feb 29 01:00:00', '2024-02-29T01:00:00.000Z'],
    ['Oct  7 2020 10:00:00', '2020-10-07T10:00:00.000Z'],
    ['Jan 1 00:00:00.123', '2026-01-01T00:00:00.123Z'],
  ])('finds the year of %s', (value, expected) => expect(iso(value)).toBe(expected));

  it('assigns a clock ahead on New Year’s Eve to the next year', () => {
    expect(iso('Jan  1 00:00:05', Date.UTC(2025, 11, 31, 23, 59))).toBe('2026-01-01T00:00:05.000Z');
  });

  it.each([
    null,
    undefined,
    '',
    'yesterday',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:00:00 Mars',
    '2026-01-01T00:00:00+99:00',
    '2026-01-01',
    '0000-01-01T00:00:00Z',
    'Foo  7 10:00:00',
    'Oct 41 10:00:00',
    '99/Oct/2026:12:00:15 +0200',
    -1,
    0,
    12,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e300,
    true,
    {},
    [],
    '9'.repeat(60),
  ])('rejects %j', (value) => expect(parseTime(value, now)).toBeUndefined());

  it('round-trips times in any zone', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -11_644_473_600_000, max: 253_402_300_000_000 }),
        fc.integer({ min: -900, max: 900 }),
        (time, offset) => {
          const sign = offset < 0 ? '-' : '+';
          const zone = `${sign}${String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0')}:${String(Math.abs(offset) % 60).padStart(2, '0')}`;
          const shown = new Date(time + offset * 60_000).toISOString();
          if (shown.startsWith('+') || shown.startsWith('-') || shown.startsWith('1600') || time < -11_644_300_000_000) return;
          expect(parseTime(shown.replace('Z', zone), now)).toBe(time);
        },
      ),
    );
  });

  it('returns only valid times for any input', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const time = parseTime(value, now);
        expect(time === undefined || !Number.isNaN(new Date(time).getTime())).toBe(true);
      }),
    );
  });
});
