import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { describe, expect, test } from 'vitest';
import {
  type ClockFacts,
  clockOf,
  clocksOf,
  contained,
  isWaiting,
  nextSlaTimer,
  reopened,
  waitBegun,
  waitEnded,
  waitedMs,
} from './cases.clocks.ts';

const opened = Date.parse('2026-03-01T00:00:00Z');
const at = (minutes: number): number => opened + minutes * minuteMs;
const time = (minutes: number): Date => new Date(at(minutes));

/** Critical at 'Respond 24×7': 15 minutes to acknowledge, 60 to contain, 480 to close. */
const level = 3;
const facts = (some: Partial<ClockFacts> = {}): ClockFacts => ({
  criticality: 5,
  created_at: new Date(opened),
  acknowledged_at: null,
  contained_at: null,
  contained_waited_ms: null,
  closed_at: null,
  waiting_since: null,
  wait_expires_at: null,
  waited_ms: 0,
  ...some,
});

describe('an SLA timer', () => {
  const waiting = { acknowledged_at: time(5), waiting_since: time(10), wait_expires_at: time(100) };
  test.each<
    [string, Parameters<typeof clockOf>[0], Partial<ClockFacts>, number, { state: string; elapsed: number; due: number | null }]
  >([
    ['runs', 'acknowledge', {}, 5, { state: 'running', elapsed: 5, due: 15 }],
    ['runs until three quarters are over', 'acknowledge', {}, 11.25, { state: 'running', elapsed: 11.25, due: 15 }],
    ['warns after that', 'acknowledge', {}, 11.5, { state: 'warning', elapsed: 11.5, due: 15 }],
    ['is not over at its target', 'acknowledge', {}, 15, { state: 'warning', elapsed: 15, due: 15 }],
    ['is over after it', 'acknowledge', {}, 15.5, { state: 'breached', elapsed: 15.5, due: 15 }],
    ['was met in time', 'acknowledge', { acknowledged_at: time(15) }, 900, { state: 'met', elapsed: 15, due: 15 }],
    ['was missed', 'acknowledge', { acknowledged_at: time(16) }, 900, { state: 'missed', elapsed: 16, due: 15 }],
    ['stands still while the case waits', 'contain', waiting, 50, { state: 'paused', elapsed: 10, due: null }],
    ['stands still until the wait expires', 'contain', waiting, 99, { state: 'paused', elapsed: 10, due: null }],
    ['runs on once it has, whether or not anybody noticed', 'contain', waiting, 110, { state: 'running', elapsed: 20, due: 150 }],
    ['is over after a wait too', 'contain', waiting, 151, { state: 'breached', elapsed: 61, due: 150 }],
    [
      'that was over stays so while the case waits',
      'contain',
      { ...waiting, waiting_since: time(70), wait_expires_at: time(400) },
      80,
      { state: 'breached', elapsed: 70, due: 60 },
    ],
    ['leaves out earlier waits', 'close', { waited_ms: 100 * minuteMs }, 200, { state: 'running', elapsed: 100, due: 580 }],
    [
      'counts a wait without an end for as long as it lasts',
      'contain',
      { ...waiting, wait_expires_at: null },
      5_000,
      { state: 'paused', elapsed: 10, due: null },
    ],
    [
      'was met where only waits made it long',
      'contain',
      { contained_at: time(90), contained_waited_ms: 40 * minuteMs, waited_ms: 999 * minuteMs },
      5_000,
      { state: 'met', elapsed: 50, due: 100 },
    ],
    [
      'closed in time',
      'close',
      { closed_at: time(500), waited_ms: 30 * minuteMs },
      9_999,
      { state: 'met', elapsed: 470, due: 510 },
    ],
    ['never runs backwards', 'close', {}, -30, { state: 'running', elapsed: 0, due: 480 }],
  ])('%s', (_name, name, some, minutes, { state, elapsed, due }) => {
    expect(clockOf(name, facts(some), level, at(minutes))).toMatchObject({
      name,
      state,
      elapsedMinutes: elapsed,
      dueAt: due === null ? null : time(due).toISOString(),
    });
  });

  test('takes its targets from criticality and subscription level', () => {
    const targets = (criticality: number, of: number) =>
      clocksOf(facts({ criticality }), of, opened).map(({ targetMinutes }) => targetMinutes);
    expect(targets(5, 3)).toEqual([15, 60, 480]);
    expect(targets(5, 1)).toEqual([60, 240, 1_920]);
    expect(targets(2, 2)).toEqual([960, 2_880, 14_400]);
  });
});

test('the next timer is the first unfinished one, none for a closed case', () => {
  const name = (some: Partial<ClockFacts>) => nextSlaTimer(facts(some), level, at(1))?.name;
  expect(name({})).toBe('acknowledge');
  expect(name({ acknowledged_at: time(1) })).toBe('contain');
  expect(name({ acknowledged_at: time(1), contained_at: time(1) })).toBe('close');
  expect(name({ closed_at: time(1) })).toBeUndefined();
});

describe('case events', () => {
  const after = (before: ClockFacts, columns: object): ClockFacts => ({ ...before, ...columns });

  test('begin, restart and end a wait', () => {
    const begun = after(facts(), waitBegun(facts(), at(10), 1));
    expect(begun).toMatchObject({ waiting_since: time(10), wait_expires_at: time(70) });
    const longer = after(begun, waitBegun(begun, at(40), 2));
    expect(longer).toMatchObject({ waiting_since: time(10), wait_expires_at: time(160) });
    const ended = after(longer, waitEnded(longer, at(100)));
    expect(ended).toMatchObject({ waiting_since: null, wait_expires_at: null, waited_ms: 90 * minuteMs });
    expect(waitEnded(ended, at(200))).toEqual({});
  });

  test('count an expired wait up to its expiry and begin another', () => {
    const begun = after(facts(), waitBegun(facts(), at(10), 1));
    expect(waitedMs(begun, at(500))).toBe(60 * minuteMs);
    expect(isWaiting(begun, at(70))).toBe(false);
    const again = after(begun, waitBegun(begun, at(500), 1));
    expect(again).toMatchObject({ waiting_since: time(500), waited_ms: 60 * minuteMs });
    expect(waitedMs(again, at(530))).toBe(90 * minuteMs);
  });

  test('record the waiting time at containment once', () => {
    const begun = after(facts({ waited_ms: 5 * minuteMs }), waitBegun(facts({ waited_ms: 5 * minuteMs }), at(10), 1));
    const done = contained(begun, at(30), 'verified');
    expect(done).toEqual({ contained_at: time(30), contained_waited_ms: 25 * minuteMs, containment: 'verified' });
    expect(contained(after(begun, done), at(90), 'verified')).toEqual({});
  });

  test('exclude the time while closed', () => {
    const closed = facts({ closed_at: time(100), waited_ms: 10 * minuteMs });
    const open = after(closed, reopened({ ...closed, containment: 'verified' }, at(1_100)));
    expect(open).toMatchObject({ closed_at: null, waited_ms: 1_010 * minuteMs });
    expect(clockOf('close', open, level, at(1_200)).elapsedMinutes).toBe(190);
    expect(reopened({ ...open, containment: null }, at(2_000))).toEqual({});
  });

  test('keep a verified containment after reopening, and no stated one', () => {
    const closed = facts({ closed_at: time(100), contained_at: time(50), contained_waited_ms: 0 });
    expect(reopened({ ...closed, containment: 'verified' }, at(200))).not.toHaveProperty('contained_at');
    expect(reopened({ ...closed, containment: 'notNeeded' }, at(200))).toMatchObject({ contained_at: null, containment: null });
  });

  test('count a case closed without containment as missed', () => {
    const closed = facts({ closed_at: time(1) });
    expect(clockOf('contain', closed, level, at(500))).toMatchObject({ state: 'missed', doneAt: null, elapsedMinutes: 1 });
    expect(clockOf('close', closed, level, at(500)).state).toBe('met');
  });
});
