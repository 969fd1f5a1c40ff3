import fc from 'fast-check';
import { expect, it } from 'vitest';
import { absoluteTime, dateText, relativeTime, setHourCycle, shortTime } from './time.ts';

const now = Date.parse('2026-07-12T12:00:00Z');
const ago = (ms: number) => relativeTime(now - ms, now, 'UTC');

it.each([
  [0, 'now'],
  [59_000, 'now'],
  [60_000, '1 min ago'],
  [59 * 60_000, '59 min ago'],
  [3_600_000, '1 h ago'],
  [47 * 3_600_000, '1 d ago'],
  [7 * 86_400_000, '5 Jul 12:00'],
  [365 * 86_400_000, '12 Jul 2025'],
  [-30_000, 'in < 1 min'],
  [-500, 'now'],
  [-7_200_000, 'in 2 h'],
  [-40 * 86_400_000, '21 Aug 12:00'],
])('%d ms ago is %s', (ms, text) => expect(ago(ms)).toBe(text));

it('the zone decides the day', () => {
  expect(relativeTime(Date.parse('2026-07-01T23:30:00Z'), now, 'Europe/Berlin')).toBe('2 Jul 01:30');
  expect(absoluteTime(Date.parse('2026-07-01T23:30:00Z'), 'UTC')).toBe('1 Jul 2026, 23:30:00 UTC');
  expect(absoluteTime(Number.NaN)).toBe('Unknown time');
});

it('writes what English of Britain writes', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham', undefined];
  const instants = fc.integer({ min: Date.parse('1990-01-01'), max: Date.parse('2040-01-01') });
  fc.assert(
    fc.property(
      instants,
      fc.constantFrom(...zones),
      fc.constantFrom('h23' as const, 'h12' as const),
      (at, timeZone, hourCycle) => {
        setHourCycle(hourCycle);
        const intl = (options: Intl.DateTimeFormatOptions) =>
          new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(at);
        const day = { day: 'numeric', month: 'short' } as const;
        const clock = { hour: '2-digit', minute: '2-digit', hourCycle } as const;
        const year = { year: 'numeric' } as const;
        expect(dateText(at, timeZone)).toBe(intl({ ...day, ...year }));
        expect(shortTime(at, 'minute', timeZone)).toBe(intl(clock));
        expect(shortTime(at, 'day', timeZone)).toBe(intl(day));
        const whole = { ...day, ...year, ...clock, second: '2-digit', timeZoneName: 'short' } as const;
        expect(absoluteTime(at, timeZone)).toBe(intl(whole));
      },
    ),
  );
  setHourCycle('h23');
});
