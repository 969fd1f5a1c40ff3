import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { features, maxLearnt, weightOf, weightTable } from '../../src/features/decisioning/decisioning.weights.ts';
import { isLocked } from './cases.ts';
import { fit, heldOut, lossOf, probabilityOf, rising, type Sample, withoutFamily } from './fit.ts';

const { ridge, samples } = JSON.parse(readFileSync(fileURLToPath(new URL('samples.json', import.meta.url)), 'utf8')) as {
  ridge: number;
  samples: Sample[];
};
const stored = Object.fromEntries(features.map((feature) => [feature, weightTable[feature].learnt])) as ReturnType<typeof fit>;

describe('the learnt weights', () => {
  test('follow from the stored samples', () => {
    const learnt = fit(samples, ridge);
    for (const feature of features) expect(stored[feature], feature).toBeCloseTo(learnt[feature], 2);
  });
  test('explain held-out stories better than the declared ones explain all', () => {
    const none = Object.fromEntries(features.map((feature) => [feature, 0])) as typeof stored;
    const declared = samples.map((sample) => ({ sample, probability: probabilityOf(sample.amounts, none) }));
    expect(lossOf(heldOut(samples, ridge))).toBeLessThan(lossOf(declared));
  });
  test('stay near the declared ones and keep their direction', () => {
    for (const feature of features) {
      const { declared, learnt } = weightTable[feature];
      expect(Math.abs(learnt), feature).toBeLessThanOrEqual(maxLearnt);
      if (feature !== 'base' && !feature.startsWith('rule.'))
        expect(Math.sign(weightOf(feature)), feature).toBe(Math.sign(declared));
    }
    expect(weightTable.outcome.learnt).toBe(0);
    for (const order of rising)
      for (let place = 1; place < order.length; place++)
        expect(weightOf(order[place]!), order[place]).toBeGreaterThanOrEqual(weightOf(order[place - 1]!) - 0.011);
  });
  test('come from no locked case', () => {
    expect(samples.length).toBeGreaterThan(200);
    for (const { name } of samples) expect(isLocked(name), name).toBe(false);
  });
});

test('finds the direction of a factor in made-up samples', () => {
  const made = Array.from(
    { length: 60 },
    (_, index): Sample => ({
      name: `story ${index}`,
      family: 'web',
      isMalicious: index % 2 === 0,
      amounts: { base: 1, 'rule.high': 1, ...(index % 2 === 0 ? { 'context.risky': 2 } : { alone: 1 }) },
    }),
  );
  const learnt = fit(made, 1);
  expect(learnt['context.risky']).toBeGreaterThan(0);
  expect(learnt.alone).toBeLessThan(0);
  expect(fit(made, 1)).toEqual(learnt);
});

test('judges a family by weights that were learnt from the others alone', () => {
  // One family where circumstances mean the opposite of what they mean in all others.
  const made = ['web', 'malware', 'network'].flatMap((family) =>
    Array.from({ length: 20 }, (_, index): Sample => {
      const isMalicious = index % 2 === 0;
      const isRisky = isMalicious !== (family === 'web');
      return {
        name: `${family} ${index}`,
        family,
        isMalicious,
        amounts: { base: 1, 'rule.high': 1, ...(isRisky && { 'context.risky': 2 }) },
      };
    }),
  );
  const judged = withoutFamily(made, 1);
  expect(judged).toHaveLength(made.length);
  const mean = (wanted: string, isMalicious: boolean) => {
    const own = judged.filter(({ sample }) => sample.family === wanted && sample.isMalicious === isMalicious);
    return own.reduce((sum, { probability }) => sum + probability, 0) / own.length;
  };
  expect(mean('web', true)).toBeLessThan(mean('web', false));
  const others = fit(
    made.filter(({ family }) => family !== 'web'),
    1,
    1_000,
  );
  expect(mean('web', false)).toBeCloseTo(probabilityOf(made[1]!.amounts, others), 6);
});
