import { dayMs, hourMs, weekMs } from '@parapet/contract/rules/duration.ts';
import { describe, expect, test } from 'vitest';
import { baselineOf, expectedBetween, whenQuiet } from './baseline.ts';

/** A Monday, 00:00 UTC. */
const monday = Date.parse('2026-11-02T00:00:00Z');
const until = monday + 4 * weekMs;

const filled = (from: number, to: number, events: (hour: number) => number): Map<number, number> => {
  const hours = new Map<number, number>();
  for (let hour = from; hour < to; hour += hourMs) if (events(hour) > 0) hours.set(hour, events(hour));
  return hours;
};
const isOffice = (hour: number) =>
  [1, 2, 3, 4, 5].includes(new Date(hour).getUTCDay()) && new Date(hour).getUTCHours() >= 8 && new Date(hour).getUTCHours() < 17;
const office = filled(monday, until, (hour) => (isOffice(hour) ? 60 : 0));
const hoursAfter = (at: number | null, from: number) => (at === null ? null : (at - from) / hourMs);

describe('baselineOf', () => {
  test('needs two days of events; expects by hour of the day for a week, then by hour of the week', () => {
    const steady = (from: number) => filled(from, until, (hour) => (hour % dayMs === 9 * hourMs ? 30 : 2));
    expect(baselineOf(new Map(), until)).toBeUndefined();
    expect(baselineOf(steady(until - 47 * hourMs), until)).toBeUndefined();
    expect(baselineOf(steady(until - 3 * dayMs), until)!.expected(until + 9 * hourMs)).toBe(30);
    expect(baselineOf(office, until)!.expected(until + 9 * hourMs)).toBe(60);
    // Saturday at nine.
    expect(baselineOf(office, until)!.expected(until + 5 * dayMs + 9 * hourMs)).toBe(0);
  });

  test('averages the last four weeks only', () => {
    const hours = new Map([
      [until - 5 * weekMs, 1_000],
      ...[4, 3, 2, 1].map((weeks) => [until - weeks * weekMs, weeks * 10] as const),
    ]);
    expect(baselineOf(hours, until)!.expected(until)).toBe(25);
  });

  test('adds up over parts of hours', () => {
    const baseline = baselineOf(
      filled(monday, until, () => 60),
      until,
    )!;
    expect(expectedBetween(baseline, until + hourMs / 4, until + 2.5 * hourMs)).toBeCloseTo(135, 6);
  });
});

describe('whenQuiet', () => {
  test('reports an always-on source as stale, then silent within two hours', () => {
    const baseline = baselineOf(
      filled(monday, until, () => 500),
      until,
    );
    const { staleAt, silentAt } = whenQuiet(baseline, until, 'server');
    expect(hoursAfter(staleAt, until)).toBeGreaterThanOrEqual(0.5);
    expect(hoursAfter(staleAt, until)).toBeLessThan(1);
    expect(hoursAfter(silentAt, until)).toBeGreaterThan(1);
    expect(hoursAfter(silentAt, until)).toBeLessThan(2);
  });

  test('accepts a laptop’s nights, weekends and a day off, but not two weeks', () => {
    const friday = until - 3 * dayMs + 17 * hourMs;
    const baseline = baselineOf(office, friday);
    const { staleAt, silentAt } = whenQuiet(baseline, friday, 'workstation');
    // Friday 17:00 to Monday 8:00 is 63 hours, all of Monday 72.
    expect(hoursAfter(staleAt, friday)).toBeGreaterThan(72);
    expect(hoursAfter(silentAt, friday)! / 24).toBeGreaterThan(4.5);
    expect(hoursAfter(silentAt, friday)! / 24).toBeLessThan(9);
  });

  test('reports a server with office hours as silent on the first morning', () => {
    const friday = until - 3 * dayMs + 17 * hourMs;
    const silentAt = hoursAfter(whenQuiet(baselineOf(office, friday), friday, 'server').silentAt, friday)!;
    expect(silentAt).toBeGreaterThan(63);
    expect(silentAt).toBeLessThan(72);
  });

  test('waits days for a source with few events', () => {
    // Three events a day, at any hour.
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const hours = new Map<number, number>();
    for (let event = 0; event < 28 * 3; event++) {
      const hour = monday + Math.floor(random() * 28 * 24) * hourMs;
      hours.set(hour, (hours.get(hour) ?? 0) + 1);
    }
    const days = hoursAfter(whenQuiet(baselineOf(hours, until), until, 'server').silentAt, until)! / 24;
    expect(days).toBeGreaterThan(3);
    expect(days).toBeLessThan(7);
  });

  test('reports no silence when a weekly burst is missing', () => {
    const baseline = baselineOf(new Map([4, 3, 2, 1].map((weeks) => [until - weeks * weekMs, weeks === 2 ? 100_000 : 1])), until);
    expect(hoursAfter(whenQuiet(baseline, until - hourMs, 'server').silentAt, until)).toBeGreaterThan(24 * 7);
  });

  test('reports a source without a baseline as stale after a day and silent after a week', () => {
    expect(whenQuiet(undefined, until, 'server')).toEqual({ staleAt: until + dayMs, silentAt: until + weekMs });
  });

  test('reports silence after three times the longest gap, however rare the events were', () => {
    const weekly = baselineOf(new Map([4, 3, 2, 1].map((weeks) => [until - weeks * weekMs, 1])), until);
    expect(hoursAfter(whenQuiet(weekly, until, 'server').silentAt, until)! / 24).toBeLessThanOrEqual(21);
    const once = baselineOf(new Map([[until - 27 * dayMs, 1]]), until);
    const { staleAt, silentAt } = whenQuiet(once, until, 'workstation');
    expect(hoursAfter(silentAt, until)! / 24).toBeLessThanOrEqual(28);
    expect(staleAt).toBeLessThanOrEqual(silentAt);
  });
});
