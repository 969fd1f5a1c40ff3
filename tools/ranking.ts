/**
 * `npm run ranking -- <folder>`: fits the weights of Sapphire's ranking (docs/decisions/0121-one-ranking.md) to `bench/sapphire/phrasings` and writes them. Each
 * pair of writers is read with learned weights without them, which `<folder>` holds with the marks of their questions: what is there is not made again
 * (four minutes of learning for a pair, two of reading). Prints what becomes of each pair's questions by weights fitted to the others.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fit, namesIn, type Outcome, outcomeOf, rowOf, type Sample, sharesOf, writeWeights } from './ranking.fit.ts';

interface Split {
  name: string;
  /** Left out of the learned weights; none are of the questions of the tests. */
  held: readonly string[];
  read: readonly string[];
  /** One of so many questions is read. */
  step: number;
}
const splits: readonly Split[] = [
  { name: '12', held: ['12', '13', '5', '10'], read: ['12', '13', '5'], step: 2 },
  { name: '14', held: ['14', '15', '8', '11'], read: ['14', '15', '8'], step: 2 },
  { name: '16', held: ['16', '17'], read: ['16', '17'], step: 1 },
  { name: '18', held: ['18', '19'], read: ['18', '19'], step: 1 },
  { name: 'tests', held: [], read: ['tests'], step: 1 },
];
const bounds = [0, 0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8];

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Name the folder of the weights and marks: npm run ranking -- <folder>');
mkdirSync(folder, { recursive: true });

const run = async (tool: string, ...args: readonly string[]): Promise<void> => {
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL(tool, import.meta.url)), ...args]);
};

// One after the other: each takes 2 GB.
for (const { name, held } of splits) {
  const weights = join(folder, `${name}.weights`);
  if (held.length > 0 && !existsSync(weights))
    await run('phrasings.ts', '--hold', held.map((writer) => `${writer}.tsv`).join(','), weights);
}
const sets = await Promise.all(
  splits.map(async ({ name, held, read, step }) => {
    const marks = join(folder, `${name}.marks`);
    const weights = held.length > 0 ? join(folder, `${name}.weights`) : '-';
    if (!existsSync(marks)) await run('ranking.collect.ts', weights, marks, String(step), ...read);
    return readFileSync(marks, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Sample);
  }),
);

const names = namesIn(sets.flat());
const rows = sets.map((set) => set.filter(({ candidates }) => candidates.length > 0).map((sample) => rowOf(sample, names)));

/** Of questions, by weights: how many are right, have a right button, … from each bound on. */
function judge(set: readonly Sample[], weights: Float64Array): Record<Outcome, number>[] {
  const shares = set.map((sample) => sharesOf(weights, rowOf(sample, names)));
  return bounds.map((least) => {
    const totals = { right: 0, offered: 0, otherwise: 0, refused: 0, wrong: 0 };
    for (const [at, sample] of set.entries()) totals[outcomeOf(sample, shares[at]!, least)]++;
    return totals;
  });
}
const shown = (title: string, all: readonly Record<Outcome, number>[]): void =>
  console.log([title, ...all.map((totals, at) => `${bounds[at]} ${JSON.stringify(totals)}`)].join('\n'));

const sums = bounds.map(() => ({ right: 0, offered: 0, otherwise: 0, refused: 0, wrong: 0 }));
for (const [at, { name, held }] of splits.entries()) {
  if (held.length === 0) continue;
  const totals = judge(sets[at]!, fit(rows.filter((_, other) => other !== at).flat(), names.length));
  shown(`${name}: ${sets[at]!.length}`, totals);
  for (const [bound, own] of totals.entries())
    for (const [outcome, count] of Object.entries(own)) sums[bound]![outcome as Outcome] += count;
}
shown('all that were left out', sums);

const weights = fit(rows.flat(), names.length);
shown(`tests, fitted to: ${sets.at(-1)!.length}`, judge(sets.at(-1)!, weights));
writeWeights(new Map(names.map((name, at) => [name, weights[at]!])));
