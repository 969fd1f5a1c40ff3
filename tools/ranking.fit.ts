/** The conditional logit model of Sapphire's ranking (docs/decisions/0121-one-ranking.md): the same weights in each run. */
import { writeFileSync } from 'node:fs';

/** A question, and all that it can mean. */
export interface Sample {
  text: string;
  /** Of its reading: right, wrong, or none. */
  state: 'right' | 'wrong' | 'none';
  candidates: { isReading: boolean; isRight: boolean; marks: Readonly<Record<string, number>> }[];
  none: Readonly<Record<string, number>>;
}

const rounds = 200;
const rate = 0.05;

/** The vectors of its candidates and of none follow one another. */
interface Row {
  values: Float32Array;
  right: readonly boolean[];
  weight: number;
}

export const namesIn = (samples: readonly Sample[]): string[] =>
  [
    ...new Set(
      samples.flatMap(({ candidates, none }) =>
        [...candidates.map(({ marks }) => marks), none].flatMap((marks) => Object.keys(marks)),
      ),
    ),
  ].sort();

export function rowOf({ candidates, none }: Sample, names: readonly string[], weight = 1): Row {
  const right = candidates.map(({ isRight }) => isRight);
  const values = new Float32Array((candidates.length + 1) * names.length);
  for (const [at, marks] of [...candidates.map((each) => each.marks), none].entries())
    for (const [place, name] of names.entries()) values[at * names.length + place] = marks[name] ?? 0;
  return { values, right: [...right, !right.includes(true)], weight };
}

/** Probabilities of the candidates, and of none. */
export function sharesOf(weights: Float64Array, { values, right }: Row): number[] {
  const scores = right.map((_, at) => {
    let score = 0;
    for (let place = 0; place < weights.length; place++) score += values[at * weights.length + place]! * weights[place]!;
    return score;
  });
  const most = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - most));
  const sum = shares.reduce((one, other) => one + other, 0);
  return shares.map((share) => share / sum);
}

/** Slope of the logarithm of the share of all that is right. */
function slopesOf(rows: readonly Row[], weights: Float64Array): Float64Array {
  const slopes = new Float64Array(weights.length);
  for (const row of rows) {
    const shares = sharesOf(weights, row);
    const right = shares.reduce((sum, share, at) => sum + (row.right[at] ? share : 0), 0) || 1e-9;
    for (const [at, share] of shares.entries()) {
      const slope = (share - (row.right[at] ? share / right : 0)) * row.weight;
      if (Math.abs(slope) < 1e-6) continue;
      for (let place = 0; place < slopes.length; place++) slopes[place]! += slope * row.values[at * slopes.length + place]!;
    }
  }
  return slopes;
}

/** From `prior` on, towards which `pull` draws; weights that are not free stay. Adam. Kingma, Ba: Adam, A Method for Stochastic Optimization, ICLR (2015). */
export function fit(
  rows: readonly Row[],
  size: number,
  { prior = new Float64Array(size), pull = 2e-3, isFree = (_place: number): boolean => true } = {},
): Float64Array {
  const [weights, first, second] = [Float64Array.from(prior), new Float64Array(size), new Float64Array(size)];
  const all = rows.reduce((sum, { weight }) => sum + weight, 0);
  for (let round = 1; round <= rounds; round++) {
    const slopes = slopesOf(rows, weights);
    for (let place = 0; place < size; place++) {
      if (!isFree(place)) continue;
      const slope = slopes[place]! / all + pull * (weights[place]! - prior[place]!);
      first[place] = 0.9 * first[place]! + 0.1 * slope;
      second[place] = 0.99 * second[place]! + 0.01 * slope * slope;
      weights[place]! -= (rate * (first[place]! / (1 - 0.9 ** round))) / (Math.sqrt(second[place]! / (1 - 0.99 ** round)) + 1e-8);
    }
  }
  return weights;
}

export type Outcome = 'right' | 'offered' | 'otherwise' | 'refused' | 'wrong';

/** A reading counts from a share on; otherwise it and the likeliest are five buttons. */
export function outcomeOf({ candidates, state }: Sample, shares: readonly number[], least: number): Outcome {
  if (candidates.length === 0) return state === 'none' ? 'refused' : state;
  const order = candidates.map((each, at) => ({ ...each, share: shares[at]! })).sort((a, b) => b.share - a.share);
  const reading = order.find(({ isReading }) => isReading);
  if (reading && reading.share >= least) return reading.isRight ? 'right' : 'wrong';
  const five = [...(reading ? [reading] : []), ...order.filter((each) => each !== reading)].slice(0, 5);
  return five.some(({ isRight }) => isRight) ? 'offered' : 'otherwise';
}

const target = new URL('../packages/server/src/features/sapphire/parsing/ranking.data.ts', import.meta.url);

export function writeWeights(weights: ReadonlyMap<string, number>): void {
  const entries = [...weights]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, weight]) => `  ${/^\w+$/.test(name) ? name : `'${name}'`}: ${Number(weight.toFixed(3))},`);
  const about =
    'Weights of `ranking.ts`, written by `npm run ranking`; those of the reading and of none by `npm run ranking:strangers`.';
  const declared = 'export const rankingWeights: Readonly<Record<string, number>> = {';
  writeFileSync(target, [`/** ${about} */`, declared, ...entries, '};', ''].join('\n'));
}
