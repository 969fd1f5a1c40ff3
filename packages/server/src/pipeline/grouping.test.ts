import { minuteMs } from '@parapet/contract/rules/duration.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Candidate, foldRules, groupCandidates, type OpenAlert } from './grouping.ts';

const window = 60 * minuteMs;
const rule = { id: 1, key: 'r', title: 'Rule', category: 'Other', criticality: 3, confidence: 2, detail: 2, revision: '' };
const candidate = (at: number, key = 'k'): Candidate => ({
  key,
  rule,
  also: [],
  at,
  raisedAt: at,
  clockSkew: 0,
  deviceName: 'web01',
  userName: undefined,
  summary: '',
  evidence: [{ eventId: `${at}`, at, text: '', document: {}, rule: undefined }],
});
const shape = (candidates: Candidate[], open: Map<string, OpenAlert> = new Map()) =>
  groupCandidates(candidates, open, window).map(({ isNew, id, at, lastAt, count, evidence }) => ({
    isNew,
    id,
    at,
    lastAt,
    count,
    events: evidence.length,
  }));

describe('groupCandidates', () => {
  test('groups repeats within a window of the last one', () => {
    expect(shape([candidate(0), candidate(50 * minuteMs), candidate(100 * minuteMs)])).toEqual([
      { isNew: true, id: 0, at: 0, lastAt: 100 * minuteMs, count: 3, events: 3 },
    ]);
  });

  test('starts another alert beyond the window', () => {
    expect(shape([candidate(0), candidate(61 * minuteMs)]).map(({ count }) => count)).toEqual([1, 1]);
  });

  test('separates keys', () => {
    expect(shape([candidate(0, 'a'), candidate(0, 'b')])).toHaveLength(2);
  });

  test('adds repeats to the open alert of an earlier batch', () => {
    const folds = new Map([['k', { alertId: 7, alertAt: 0, lastAt: 10 * minuteMs, copies: 1 }]]);
    expect(shape([candidate(20 * minuteMs)], folds)).toEqual([
      { isNew: false, id: 7, at: 0, lastAt: 20 * minuteMs, count: 1, events: 1 },
    ]);
    expect(shape([candidate(71 * minuteMs)], folds)).toMatchObject([{ isNew: true }]);
  });

  test('adds a late event to the alert that was open then, when near enough', () => {
    const folds = new Map([['k', { alertId: 7, alertAt: 100 * minuteMs, lastAt: 110 * minuteMs, copies: 1 }]]);
    expect(shape([candidate(50 * minuteMs)], folds)).toMatchObject([{ isNew: false, id: 7, lastAt: 110 * minuteMs }]);
    expect(shape([candidate(0)], folds)).toMatchObject([{ isNew: true, at: 0 }]);
  });
});

describe('rules that one event matches', () => {
  const of = (key: string, more: Partial<typeof rule>) => ({ ...rule, key, ...more });
  test.each([
    ['the worst', of('b', { criticality: 4 }), of('a', { criticality: 3, confidence: 3, detail: 9 })],
    ['of equally severe ones the surer', of('b', { confidence: 3 }), of('a', { detail: 9 })],
    ['of equally sure ones the one that compares more', of('b', { detail: 5 }), of('a', {})],
    ['of equal ones always the same', of('a', {}), of('b', {})],
  ])('put %s in front', (_what, front, other) => {
    expect(foldRules([other, front])).toEqual({ rule: front, also: [other] });
    expect(foldRules([front, other])).toEqual({ rule: front, also: [other] });
  });
  test('gather over the repeats of an alert, worst first, each once', () => {
    const [one, two] = [of('1', { criticality: 1 }), of('2', { criticality: 2 })];
    const [alert] = groupCandidates(
      [{ ...candidate(0), also: [one] }, candidate(1), { ...candidate(2), also: [one, two] }],
      new Map(),
      window,
    );
    expect(alert).toMatchObject({ count: 3, also: [two, one] });
  });
});

test('loses and double-counts nothing, in any order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ at: fc.integer({ min: 0, max: 500 }), key: fc.constantFrom('a', 'b') }), { maxLength: 60 }),
      (entries) => {
        const grouped = groupCandidates(
          entries.map(({ at, key }) => candidate(at * minuteMs, key)),
          new Map(),
          window,
        );
        expect(grouped.reduce((sum, alert) => sum + alert.count, 0)).toBe(entries.length);
        const shuffled = groupCandidates(
          [...entries].reverse().map(({ at, key }) => candidate(at * minuteMs, key)),
          new Map(),
          window,
        );
        const sizes = (alerts: typeof grouped) => alerts.map(({ key, at, count }) => `${key} ${at} ${count}`).sort();
        expect(sizes(shuffled)).toEqual(sizes(grouped));
      },
    ),
  );
});
