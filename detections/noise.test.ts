/** The rule base is quiet on benign events: a slice of `npm run noise`, and the locks that keep the figure honest. */
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import { describe, expect, test } from 'vitest';
import { benignEvents, modelHash, oneOfEach, shares, sources } from './testing/benign/model.ts';
import { figuresOf, measureNoise, type Noise, type RuleNoise, sumNoise } from './testing/noise.ts';

/** The model was written before the first measurement. A change of it makes older figures incomparable: state both. */
const lockedModel = 'f5395963fc293c935f17a9f1430819b3956da74bb1c6359d09ebf3c60a9d4adc';

const start = Date.UTC(2026, 10, 16, 5);

describe('the model of benign events', () => {
  test('is the one that was measured', () => {
    expect(modelHash()).toBe(lockedModel);
  });

  test('writes every event in a shape that the normaliser recognises', () => {
    let count = 0;
    for (const { document } of oneOfEach(1, start)) {
      expect(normalise(document, start).shape).not.toBe('unknown');
      count++;
    }
    expect(count).toBeGreaterThan(1_000);
  });

  test('repeats itself with the same seed only, in the order of time', () => {
    const events = (seed: number) => JSON.stringify([...benignEvents({ seed, count: 400, days: 0.01, start })]);
    expect(events(1)).toBe(events(1));
    expect(events(2)).not.toBe(events(1));
    const times = [...benignEvents({ seed: 1, count: 2_000, days: 0.05, start })].map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('gives every source its share', () => {
    const counts = new Map<string, number>();
    for (const { source } of benignEvents({ seed: 1, count: 10_000, days: 0.1, start }))
      counts.set(source, (counts.get(source) ?? 0) + 1);
    for (const source of sources) expect(counts.get(source), source).toBeGreaterThan(shares[source]! * 50);
  });
});

describe('the budget', () => {
  const rule = (level: RuleNoise['level'], alerts: Record<string, number>): RuleNoise => ({
    file: level,
    level,
    alerts,
    examples: [],
  });
  const noise = (rules: RuleNoise[]): Noise => ({
    events: { linux: 100_000, web: 100_000 },
    rules: Object.fromEntries(rules.map((one) => [one.file, one])),
  });
  const within = (rules: RuleNoise[]) => figuresOf(noise(rules)).map(({ isWithin }) => isWithin);

  test('holds each source alone and the whole', () => {
    expect(within([])).toEqual([true, true, true]);
    expect(within([rule('high', { linux: 2 }), rule('low', { web: 100 })])).toEqual([true, true, true]);
    expect(within([rule('critical', { linux: 3 })])).toEqual([false, true, true]);
    expect(within([rule('informational', { web: 101 })])).toEqual([true, false, true]);
    expect(within([rule('high', { linux: 3, web: 2 })])).toEqual([false, true, false]);
  });

  test('counts the alerts of several clients together', () => {
    const sum = sumNoise([noise([rule('low', { web: 1 })]), noise([rule('low', { web: 2, linux: 3 })])]);
    expect(sum.events).toEqual({ linux: 200_000, web: 200_000 });
    expect(sum.rules.low?.alerts).toEqual({ web: 3, linux: 3 });
  });
});

/** A slice is too small for the budget of severe alerts, so their number is bounded instead. */
test('a quarter of a day of one client raises few alerts', { timeout: 60_000 }, () => {
  const figures = figuresOf(measureNoise({ seed: 7, count: 30_000, days: 0.25 }));
  const total = figures.at(-1)!;
  expect(total.events).toBe(30_000);
  expect(total.all).toBeLessThanOrEqual(1);
  expect(total.alerts.critical + total.alerts.high).toBeLessThanOrEqual(1);
});
