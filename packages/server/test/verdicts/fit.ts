/**
 * Weights learnt from labelled cases: logistic regression on corrections of the declared weights, with an L2 penalty on the corrections and bounds that
 * keep each weight's sign. Deterministic and without dependencies.
 */
import { type Feature, features, maxLearnt, weightTable } from '../../src/features/decisioning/decisioning.weights.ts';

export interface Sample {
  name: string;
  /** Rule family of the case. */
  family: string;
  isMalicious: boolean;
  amounts: Partial<Record<Feature, number>>;
}

export type Corrections = Record<Feature, number>;

/** Smallest size of a weight, so that no factor loses its direction. */
const minWeight = 0.05;
/** The bound on reviews is a promise to clients, so their weight stays as declared. */
const isFixed = (feature: Feature): boolean => feature === 'outcome';
/** Weights that must rise in this order. */
export const rising: readonly (readonly Feature[])[] = [
  ['rule.informational', 'rule.low', 'rule.medium', 'rule.high', 'rule.critical'],
  ['further.medium', 'further.severe'],
  ['sequence.2', 'sequence.3', 'sequence.4'],
  ['tactics.3', 'tactics.4', 'tactics.5'],
];

const declaredOf = (feature: Feature): number => weightTable[feature].declared;
const zero = (): Corrections => Object.fromEntries(features.map((feature) => [feature, 0])) as Corrections;

export const probabilityOf = (amounts: Sample['amounts'], corrections: Corrections): number => {
  let sum = 0;
  for (const [feature, amount] of Object.entries(amounts) as [Feature, number][])
    sum += (declaredOf(feature) + corrections[feature]) * amount;
  return 1 / (1 + Math.exp(-sum));
};

/** Projected gradient descent: a fixed number of steps from the declared weights. */
export function fit(samples: readonly Sample[], ridge: number, steps = 4_000): Corrections {
  const rows = samples.map(rowOf);
  const corrections = zero();
  const rate = 2 / (samples.length + ridge);
  for (let step = 0; step < steps; step++) {
    const gradient = gradientOf(
      rows,
      Float64Array.from(features, (feature) => declaredOf(feature) + corrections[feature]),
    );
    for (const [place, feature] of features.entries())
      corrections[feature] = isFixed(feature)
        ? 0
        : boundedOf(feature, corrections[feature] - rate * 0.2 * (gradient[place]! + ridge * corrections[feature]));
    keepRising(corrections);
  }
  return Object.fromEntries(features.map((feature) => [feature, Math.round(corrections[feature] * 100) / 100])) as Corrections;
}

/** A sample as places of features and their amounts. */
interface Row {
  truth: number;
  places: Uint8Array;
  amounts: Float64Array;
}

function rowOf({ amounts, isMalicious }: Sample): Row {
  const all = Object.entries(amounts) as [Feature, number][];
  return {
    truth: isMalicious ? 1 : 0,
    places: Uint8Array.from(all, ([feature]) => features.indexOf(feature)),
    amounts: Float64Array.from(all, ([, amount]) => amount),
  };
}

function gradientOf(rows: readonly Row[], weights: Float64Array): Float64Array {
  const gradient = new Float64Array(weights.length);
  for (const { truth, places, amounts } of rows) {
    let sum = 0;
    for (let index = 0; index < places.length; index++) sum += weights[places[index]!]! * amounts[index]!;
    const error = 1 / (1 + Math.exp(-sum)) - truth;
    for (let index = 0; index < places.length; index++) gradient[places[index]!]! += error * amounts[index]!;
  }
  return gradient;
}

function boundedOf(feature: Feature, correction: number): number {
  const declared = declaredOf(feature);
  const within = Math.min(maxLearnt, Math.max(-maxLearnt, correction));
  if (feature === 'base' || feature.startsWith('rule.')) return within;
  return declared > 0 ? Math.max(within, minWeight - declared) : Math.min(within, -minWeight - declared);
}

/** Lifts a weight to that of the one before it in its order. */
function keepRising(corrections: Corrections): void {
  for (const order of rising)
    for (let place = 1; place < order.length; place++) {
      const [before, own] = [order[place - 1]!, order[place]!];
      const least = declaredOf(before) + corrections[before];
      if (declaredOf(own) + corrections[own] < least) corrections[own] = least - declaredOf(own);
    }
}

/** Story of a case: variations of one story are held out together. */
const storyOf = (name: string): string =>
  name
    .replace(/^added(?: to measure)?: /, '')
    .replace(/[:(].*$/, '')
    .trim();

export interface Judged {
  sample: Sample;
  probability: number;
}

/** Probabilities of each sample by weights that were fitted without its story. */
export const heldOut = (samples: readonly Sample[], ridge: number): Judged[] =>
  leftOut(samples, ridge, ({ name }) => storyOf(name), 5);

/** Probabilities of each sample by weights that were fitted without any case of its family, to the samples themselves or to `from`. */
export const withoutFamily = (samples: readonly Sample[], ridge: number, from = samples): Judged[] =>
  leftOut(samples, ridge, ({ family }) => family, Number.POSITIVE_INFINITY, from);

/** Groups in at most so many parts, each judged by weights that were fitted without it. */
function leftOut(
  samples: readonly Sample[],
  ridge: number,
  groupOf: (sample: Sample) => string,
  most: number,
  from = samples,
): Judged[] {
  const groups = [...new Set(samples.map(groupOf))].sort();
  const parts = Math.min(most, groups.length);
  const partOf = new Map(groups.map((group, index) => [group, index % parts]));
  return Array.from({ length: parts }, (_, part) => {
    const isOut = (sample: Sample) => partOf.get(groupOf(sample)) === part;
    const corrections = fit(
      from.filter((sample) => !isOut(sample)),
      ridge,
      1_000,
    );
    return samples.filter(isOut).map((sample) => ({ sample, probability: probabilityOf(sample.amounts, corrections) }));
  }).flat();
}

/** Mean log loss of probabilities. */
export const lossOf = (judged: readonly Judged[]): number =>
  judged.reduce(
    (sum, { sample, probability }) => sum - Math.log(Math.max(1e-6, sample.isMalicious ? probability : 1 - probability)),
    0,
  ) / judged.length;
