import { describe, expect, test } from 'vitest';
import { bestPractices } from './practices.ts';
import {
  additionalOf,
  caseScoreOf,
  countIn,
  deviceScoreOf,
  effectiveTotals,
  improvementsOf,
  practiceScoreOf,
  type RiskInputs,
  riskOf,
  sumInputs,
  totalsErrors,
} from './risk.ts';

const counts = (totalServers: number, totalWorkstations: number, monitoredServers: number, monitoredWorkstations: number) => ({
  totalServers,
  totalWorkstations,
  monitoredServers,
  monitoredWorkstations,
});
const cases = (open = 0, assigned = 0, investigating = 0, malicious = 0) => ({ open, assigned, investigating, malicious });
const inputs = (over: Partial<RiskInputs> = {}): RiskInputs => ({
  devices: counts(10, 100, 8, 80),
  checked: 4,
  practices: 16,
  cases: cases(),
  ...over,
});

describe('worked examples of spec §9', () => {
  test.each([
    // 1000 × (1 − (10·8 + 80) / (10·10 + 100))
    [counts(10, 100, 8, 80), 200],
    [counts(10, 100, 10, 100), 0],
    [counts(10, 100, 0, 0), 1000],
    [counts(1, 0, 1, 0), 0],
    [counts(0, 4, 0, 1), 750],
    // Both totals 0: one workstation (spec §5).
    [counts(0, 0, 0, 0), 1000],
    // More devices report than were entered: never below 0.
    [counts(2, 10, 5, 30), 0],
    [counts(0, 0, 3, 2), 0],
  ])('devices %o → %d', (devices, score) => expect(deviceScoreOf(devices)).toBeCloseTo(score, 9));

  test.each([
    [0, 16, 1000],
    [4, 16, 750],
    [16, 16, 0],
    // The divisor is at least 1.
    [0, 0, 1000],
    [20, 16, 0],
  ])('%d of %d practices → %d', (checked, all, score) => expect(practiceScoreOf(checked, all)).toBe(score));

  test.each([
    [cases(), 0],
    // 0.1·100 + 0.25·40 + 75
    [cases(100, 40, 75), 95],
    [cases(0, 0, 0, 0.5), 500],
    // The formula has no cap, so the score is limited to 1000.
    [cases(0, 0, 0, 75), 1000],
    [cases(100_000), 1000],
  ])('cases %o → %d', (sums, score) => expect(caseScoreOf(sums)).toBeCloseTo(score, 9));

  test('adds 100 to the rounded sum of 0.3 of each component', () => {
    // 0.3·200 + 0.3·750 + 0.3·95 = 313.5 → 314
    expect(riskOf(inputs({ cases: cases(100, 40, 75) }))).toEqual({
      deviceScore: 200,
      practiceScore: 750,
      caseScore: 95,
      tempScore: 414,
    });
    expect(riskOf(inputs({ devices: counts(5, 5, 5, 5), checked: 16 })).tempScore).toBe(100);
    expect(riskOf(inputs({ devices: counts(0, 0, 0, 0), checked: 0, cases: cases(0, 0, 0, 1) })).tempScore).toBe(1000);
  });

  test('returns a score between 100 and 1000', () => {
    const sizes = [0, 1, 7, 10_000_000];
    for (const a of sizes)
      for (const b of sizes)
        for (const c of sizes)
          for (const d of sizes) {
            const { tempScore } = riskOf({ devices: counts(a, b, c, d), checked: d, practices: a, cases: cases(a, b, c, d) });
            expect(tempScore).toBeGreaterThanOrEqual(100);
            expect(tempScore).toBeLessThanOrEqual(1000);
          }
  });
});

describe('device counts (spec §5)', () => {
  test.each([
    ['1,234', 1234],
    ['', 0],
    ['  12 ', 12],
    [',', 0],
    ['1,000,000', 1_000_000],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['ten', undefined],
    ['99999999', undefined],
    ['1'.repeat(40), undefined],
  ])('"%s" → %s', (text, count) => expect(countIn(text)).toBe(count));

  test('rejects totals below the reporting devices, by field', () => {
    const monitored = { monitoredServers: 3, monitoredWorkstations: 20 };
    expect(totalsErrors({ totalServers: 3, totalWorkstations: 20 }, monitored)).toEqual({});
    expect(Object.keys(totalsErrors({ totalServers: 2, totalWorkstations: 20 }, monitored))).toEqual(['totalServers']);
    expect(Object.keys(totalsErrors({ totalServers: 0, totalWorkstations: 0 }, monitored))).toHaveLength(2);
  });

  test('subtracts monitored from total, and counts one workstation when both totals are 0', () => {
    expect(additionalOf(counts(10, 100, 8, 99))).toEqual({ additionalServers: 2, additionalWorkstations: 1 });
    expect(effectiveTotals({ totalServers: 0, totalWorkstations: 0 })).toEqual({ totalServers: 0, totalWorkstations: 1 });
    expect(effectiveTotals({ totalServers: 1, totalWorkstations: 0 })).toEqual({ totalServers: 1, totalWorkstations: 0 });
  });
});

test('computes one score from the summed counts of several clients', () => {
  const small = inputs({ devices: counts(0, 10, 0, 0) });
  const large = inputs({ devices: counts(0, 990, 0, 990) });
  const together = sumInputs([small, large]);
  expect(together.devices).toEqual(counts(0, 1000, 0, 990));
  expect(riskOf(together).deviceScore).toBe(10);
  expect(riskOf(together).practiceScore).toBe(750);
  expect(riskOf(sumInputs([])).tempScore).toBe(700);
});

describe('improvementsOf', () => {
  test('tries every single change and sorts by the decrease', () => {
    const now = inputs({ cases: cases(1000, 0, 400) });
    const { tempScore } = riskOf(now);
    const found = improvementsOf(now, ['mfa', 'backups']);
    // Cases under investigation 400 · 0.3 = 120; 2 servers and 20 workstations 100 · 0.3 = 30 each, open ones too; a practice 1000/16 · 0.3 = 18.75.
    expect(found.map(({ change, drop }) => [change.kind, drop])).toEqual([
      ['cases', 120],
      ['server', 30],
      ['workstation', 30],
      ['cases', 30],
      ['practice', 19],
      ['practice', 19],
    ]);
    for (const each of found) expect(each.tempScore).toBe(tempScore - each.drop);
  });

  test('omits changes without an effect', () => {
    const done = inputs({ devices: counts(5, 5, 5, 5), checked: 16 });
    expect(improvementsOf(done, [])).toEqual([]);
    // Limited to 1000: the open cases alone change nothing.
    const held = inputs({ devices: counts(5, 5, 5, 5), checked: 16, cases: cases(50, 0, 0, 75) });
    expect(improvementsOf(held, []).map(({ change }) => change)).toEqual([{ kind: 'cases', status: 'malicious' }]);
  });
});

test('defines at least twelve practices with unique ids, explanations and controls', () => {
  expect(bestPractices.length).toBeGreaterThanOrEqual(12);
  expect(new Set(bestPractices.map(({ id }) => id)).size).toBe(bestPractices.length);
  for (const { id, explanation, nistControlID, nistControlName } of bestPractices) {
    expect(id.length).toBeLessThanOrEqual(40);
    expect(explanation).toContain('Done when');
    expect(nistControlID).toMatch(/^[A-Z]{2}-\d{1,2}$/);
    expect(nistControlName).not.toBe('');
  }
});
