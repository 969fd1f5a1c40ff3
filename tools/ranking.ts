/**
 * `node tools/ranking.ts <marks>…`: fits the weights of Sapphire's ranking (docs/decisions/0121-one-ranking.md) to the marks that
 * `ranking.collect.ts` wrote, leaves each file out in turn to print what becomes of questions by the share that a reading needs, and writes the weights.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Marked {
  isReading: boolean;
  isRight: boolean;
  marks: Record<string, number>;
}
interface Sample {
  text: string;
  state: string;
  isNone: boolean;
  several: number;
  candidates?: Marked[];
  none?: Record<string, number>;
}

const rounds = 300;
const rate = 0.05;
const pull = 2e-3;

const sets = process.argv
  .slice(2)
  .filter((each) => !each.startsWith('--'))
  .map((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Sample),
  );
const names = [
  ...new Set(
    sets
      .flat()
      .flatMap(({ candidates = [], none = {} }) => [
        ...candidates.slice(0, 3).flatMap(({ marks }) => Object.keys(marks)),
        ...Object.keys(none),
      ]),
  ),
];

interface Row {
  values: Float64Array[];
  right: boolean[];
}
const vector = (marks: Record<string, number>): Float64Array => Float64Array.from(names, (name) => marks[name] ?? 0);
const rowOf = ({ candidates = [], none = {} }: Sample): Row => {
  const isAny = candidates.some(({ isRight }) => isRight);
  return {
    values: [...candidates.map(({ marks }) => vector(marks)), vector(none)],
    right: [...candidates.map(({ isRight }) => isRight), !isAny],
  };
};
const sharesOf = (weights: Float64Array, { values }: Row): Float64Array => {
  const scores = Float64Array.from(values, (each) => each.reduce((sum, value, at) => sum + value * weights[at]!, 0));
  const most = scores.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  const shares = scores.map((score) => Math.exp(score - most));
  const sum = shares.reduce((one, other) => one + other, 0);
  return shares.map((share) => share / sum);
};

/** Adam on the logarithm of the share of all that is right. */
function fit(rows: readonly Row[]): Float64Array {
  const weights = new Float64Array(names.length);
  const [first, second] = [new Float64Array(names.length), new Float64Array(names.length)];
  for (let round = 1; round <= rounds; round++) {
    const gradient = new Float64Array(names.length);
    for (const row of rows) {
      const shares = sharesOf(weights, row);
      const right = shares.reduce((sum, share, at) => sum + (row.right[at] ? share : 0), 0) || 1e-9;
      for (const [at, share] of shares.entries()) {
        const slope = share - (row.right[at] ? share / right : 0);
        if (Math.abs(slope) < 1e-6) continue;
        const own = row.values[at]!;
        for (let place = 0; place < own.length; place++) gradient[place]! += slope * own[place]!;
      }
    }
    for (let place = 0; place < weights.length; place++) {
      const slope = gradient[place]! / rows.length + pull * weights[place]!;
      first[place] = 0.9 * first[place]! + 0.1 * slope;
      second[place] = 0.99 * second[place]! + 0.01 * slope * slope;
      weights[place]! -= (rate * (first[place]! / (1 - 0.9 ** round))) / (Math.sqrt(second[place]! / (1 - 0.99 ** round)) + 1e-8);
    }
  }
  return weights;
}

const isRanked = ({ candidates }: Sample): boolean => (candidates?.length ?? 0) > 0;
const usable = (set: readonly Sample[]): Row[] => set.filter(isRanked).map(rowOf);

type Outcome = 'right' | 'offered' | 'otherwise' | 'wrong' | 'unranked';

/** Of one question: its reading from a share on; otherwise the reading and the likeliest are five buttons. */
function outcomeOf(weights: Float64Array, sample: Sample, least: number): Outcome {
  if (!isRanked(sample)) return sample.state === 'right' ? 'right' : /wrong|skill/.test(sample.state) ? 'wrong' : 'unranked';
  const shares = sharesOf(weights, rowOf(sample));
  const order = sample.candidates!.map((each, at) => ({ ...each, share: shares[at]! })).sort((a, b) => b.share - a.share);
  const reading = order.find(({ isReading }) => isReading);
  if (reading && reading.share >= least) return reading.isRight ? 'right' : 'wrong';
  const five = [...(reading ? [reading] : []), ...order.filter((each) => each !== reading)].slice(0, 5);
  return five.some(({ isRight }) => isRight) ? 'offered' : 'otherwise';
}

function judge(weights: Float64Array, set: readonly Sample[], least: number): Record<Outcome, number> {
  const totals = { right: 0, offered: 0, otherwise: 0, wrong: 0, unranked: 0 };
  for (const sample of set) totals[outcomeOf(weights, sample, least)]++;
  return totals;
}

for (const [at, set] of sets.entries()) {
  const weights = fit(usable(sets.filter((_, other) => other !== at || sets.length === 1).flat()));
  console.log(process.argv.slice(2).filter((each) => !each.startsWith('--'))[at], set.length);
  for (const least of [0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) console.log(least, JSON.stringify(judge(weights, set, least)));
}
const weights = fit(usable(sets.flat()));
const lines = names.map((name, at) => `  ${/^\w+$/.test(name) ? name : `'${name}'`}: ${weights[at]!.toFixed(3)},`);
console.log(lines.join('\n'));
if (process.argv.includes('--write'))
  writeFileSync(
    new URL('../packages/server/src/features/sapphire/parsing/ranking.data.ts', import.meta.url),
    `/** Weights of \`ranking.ts\`, written by \`npm run ranking\`. */\nexport const rankingWeights: Readonly<Record<string, number>> = {\n${lines.join('\n')}\n};\n`,
  );
