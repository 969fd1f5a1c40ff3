/**
 * Fits the weights of the verdict model to the facts of the labelled cases that are not locked: `npm run -s verdicts:fit -- FACTS [--write]`, where FACTS
 * was written by `npm run -s verdicts -- --open --facts FACTS`. Prints the figures of the declared, the present and the newly learnt weights, the latter two also
 * with each family (and story) left out of their fit; a malicious case that opened no case counts as not found. `--write` puts the learnt corrections into
 * the table of weights and stores the samples, from which the test repeats the fit.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { amountsOf, soundFindings } from '../../src/features/decisioning/decisioning.model.ts';
import type { CaseFacts } from '../../src/features/decisioning/decisioning.types.ts';
import { features, verdictAt, weightTable } from '../../src/features/decisioning/decisioning.weights.ts';
import { fit, heldOut, type Judged, lossOf, probabilityOf, type Sample, withoutFamily } from './fit.ts';
import { type Played, scoreOf } from './score.ts';

const samplesFile = fileURLToPath(new URL('samples.json', import.meta.url));
const { values, positionals } = parseArgs({ options: { write: { type: 'boolean', default: false } }, allowPositionals: true });
const played = JSON.parse(await readFile(positionals[0]!, 'utf8')) as {
  name: string;
  label: 'malicious' | 'benign';
  family: string;
  isLocked: boolean;
  facts: CaseFacts[];
}[];
if (played.some(({ isLocked }) => isLocked)) throw new Error('The facts contain locked cases.');

const declared = Object.fromEntries(features.map((feature) => [feature, 0])) as Parameters<typeof probabilityOf>[1];
const samples = played.flatMap(({ name, label, family, facts }): Sample[] => {
  const all = facts.map((each) => Object.fromEntries(amountsOf(soundFindings(each))) as Sample['amounts']);
  const [worst] = all.sort((a, b) => probabilityOf(b, declared) - probabilityOf(a, declared));
  return worst ? [{ name, family, isMalicious: label === 'malicious', amounts: rounded(worst) }] : [];
});
const ridges = [0.5, 1, 2, 4, 8];
const tried = ridges.map((ridge) => ({ ridge, loss: lossOf(heldOut(samples, ridge)) }));
// The strongest penalty that costs next to nothing: fewer cases decide less.
const least = Math.min(...tried.map(({ loss }) => loss));
const best = tried.findLast(({ loss }) => loss <= least + 0.005)!;
const corrections = fit(samples, best.ridge);

const present = Object.fromEntries(features.map((feature) => [feature, weightTable[feature].learnt])) as typeof declared;
// The stored samples name no family where they are older than that.
const familyOf = new Map(played.map(({ name, family }) => [name, family]));
const stored = JSON.parse(await readFile(samplesFile, 'utf8')) as { ridge: number; samples: Sample[] };
const learntFrom = {
  ...stored,
  samples: stored.samples.map((sample) => ({ ...sample, family: familyOf.get(sample.name) ?? sample.family })),
};
const unopened = played.filter(({ facts }) => facts.length === 0);

console.log(`${samples.length} cases, ${samples.filter(({ isMalicious }) => isMalicious).length} of them malicious.`);
for (const { ridge, loss } of tried) console.log(`penalty ${ridge}: log loss of held-out stories ${loss.toFixed(4)}`);
print('declared weights', declared);
print('present weights', present);
printJudged('present weights, learnt without the family', withoutFamily(samples, learntFrom.ridge, learntFrom.samples));
print(`learnt weights, penalty ${best.ridge}`, corrections);
printJudged('held-out stories', heldOut(samples, best.ridge));
printJudged('held-out families', withoutFamily(samples, best.ridge));
for (const feature of features) {
  const used = samples.filter(({ amounts }) => amounts[feature] !== undefined).length;
  const { declared: own } = weightTable[feature];
  console.log(
    `${feature.padEnd(24)} ${String(own).padStart(5)} ${corrections[feature].toFixed(2).padStart(6)} → ${(own + corrections[feature]).toFixed(2)} in ${used} cases`,
  );
}
if (values.write) await write();

function print(name: string, by: typeof declared): void {
  printJudged(
    name,
    samples.map((sample) => ({ sample, probability: probabilityOf(sample.amounts, by) })),
  );
}

function printJudged(name: string, judged: readonly Judged[]): void {
  const opened = judged.map(({ sample, probability }) => ({
    ...playedOf(sample.name, sample.isMalicious ? 'malicious' : 'benign'),
    opened: 1,
    verdict: probability >= verdictAt.malicious ? 'Malicious' : 'other',
    probability,
  }));
  const { malicious, benign, found, wrong, brier, calibrationError } = scoreOf([
    ...opened,
    ...unopened.map((each) => playedOf(each.name, each.label)),
  ]);
  console.log(
    `${name}: found ${found} of ${malicious}, wrong ${wrong} of ${benign}, log loss ${lossOf(judged).toFixed(3)}, Brier ${brier?.toFixed(3)}, calibration error ${calibrationError?.toFixed(3)}`,
  );
}

/** A case that opened none, until more is known. */
function playedOf(name: string, label: Played['label']): Played {
  return {
    name,
    label,
    family: '',
    isLocked: false,
    opened: 0,
    alerts: 1,
    verdict: undefined,
    confidence: null,
    probability: null,
  };
}

function rounded(amounts: Sample['amounts']): Sample['amounts'] {
  return Object.fromEntries(Object.entries(amounts).map(([feature, amount]) => [feature, Math.round(amount * 1000) / 1000]));
}

async function write(): Promise<void> {
  const file = fileURLToPath(new URL('../../src/features/decisioning/decisioning.weights.ts', import.meta.url));
  let text = await readFile(file, 'utf8');
  for (const feature of features) {
    const place = new RegExp(`(\\n  '?${feature.replaceAll('.', '\\.')}'?: row\\(\\s*'\\w+',\\s*-?[\\d.]+,\\s*)-?[\\d.]+`);
    if (!place.test(text)) throw new Error(`No row of ${feature}.`);
    text = text.replace(place, `$1${corrections[feature]}`);
  }
  await writeFile(file, text);
  const lines = samples.map((sample) => `    ${JSON.stringify(sample)}`).join(',\n');
  await writeFile(samplesFile, `{\n  "ridge": ${best.ridge},\n  "samples": [\n${lines}\n  ]\n}\n`);
}
