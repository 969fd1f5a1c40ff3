/**
 * `npm run ranking:strangers -- <folder>`, after `npm run ranking`: fits the weights of the reading and of none again, from those in use on, to the open
 * sets of strangers and, with less weight, to the tests (docs/decisions/0137-odds-of-a-reading.md). `<folder>` holds the marks of their questions: what is
 * there is not made again. Prints what becomes of each set by weights fitted to the others.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rankingWeights } from '@parapet/server/features/sapphire/parsing/ranking.data.ts';
import { fit, namesIn, outcomeOf, rowOf, type Sample, sharesOf, writeWeights } from './ranking.fit.ts';

const writers = ['whole/tenth', 'whole/ninth', 'whole/first', 'tests'];
const weightOfTests = 0.3;
const bounds = [0, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8];

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Name the folder of the marks: npm run ranking:strangers -- <folder>');
mkdirSync(folder, { recursive: true });

const sets = writers.map((writer) => {
  const marks = join(folder, `${basename(writer)}.marks`);
  const collect = fileURLToPath(new URL('ranking.collect.ts', import.meta.url));
  if (!existsSync(marks)) execFileSync(process.execPath, [collect, '-', marks, '1', writer]);
  return readFileSync(marks, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Sample);
});

const names = namesIn(sets.flat());
const prior = Float64Array.from(names, (name) => rankingWeights[name] ?? 0);
const isFree = (place: number): boolean => /^(?:reading|none)\b/.test(names[place]!);
const rows = sets.map((set, at) =>
  set
    .filter(({ candidates }) => candidates.length > 0)
    .map((sample) => rowOf(sample, names, writers[at] === 'tests' ? weightOfTests : 1)),
);
const fitted = (without: number): Float64Array =>
  fit(rows.filter((_, at) => at !== without).flat(), names.length, { prior, pull: 0.01, isFree });

const weights = fitted(-1);
writeWeights(new Map([...Object.entries(rankingWeights), ...names.map((name, at) => [name, weights[at]!] as const)]));

for (const [at, set] of sets.entries()) {
  const others = fitted(at);
  const shares = set.map((sample) => sharesOf(others, rowOf(sample, names)));
  console.log(`${writers[at]}, left out: ${set.length}`);
  for (const bound of bounds) {
    const totals = { right: 0, offered: 0, otherwise: 0, refused: 0, wrong: 0 };
    for (const [place, sample] of set.entries()) totals[outcomeOf(sample, shares[place]!, bound)]++;
    console.log(`${bound} ${JSON.stringify(totals)}`);
  }
}
