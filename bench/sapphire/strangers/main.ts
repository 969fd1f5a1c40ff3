/**
 * `npm run strangers`: counts what is right, refused, clarified and wrong in a set (--set open|locked|fresh). --out <file> writes
 * them with results and truths for judgement by hand, as JSON lines; --only takes ids. The sets that are not open print totals
 * only, unless --final is given. --world <ownerUrl> uses a world that runs.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { evaluate, shown, totalsOf } from './evaluate.ts';
import { sets } from './questions.ts';

const { values } = parseArgs({
  options: {
    set: { type: 'string', default: 'open' },
    out: { type: 'string' },
    only: { type: 'string' },
    world: { type: 'string' },
    final: { type: 'boolean', default: false },
  },
});
const set = sets.find((each) => each === values.set);
if (!set) throw new Error(`--set is one of ${sets.join(', ')}.`);
if (set !== 'open' && !values.final && (values.out ?? values.only)) throw new Error(`The ${set} set prints totals only.`);

const judged = await evaluate(set, { only: values.only?.split(','), world: values.world });
if (values.out) await writeFile(values.out, judged.map((each) => `${JSON.stringify(shown(each))}\n`).join(''));
console.log(totalsOf(set, judged));
