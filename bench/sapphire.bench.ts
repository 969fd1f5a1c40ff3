/**
 * G: accuracy and speed of Sapphire. Accuracy on the strangers' open questions over the demo world, as far as a machine judges
 * it (sapphire/strangers/README.md). npm run bench -- sapphire [--small] [--part open|speed]
 */
import type { Options, Result } from './run.ts';
import { measureSpeed } from './sapphire/speed.ts';
import { evaluate, totalsOf } from './sapphire/strangers/evaluate.ts';

export async function run(_isCi: boolean, { small, part }: Options): Promise<Result[]> {
  return [
    ...(part === undefined || part === 'open' ? await accuracy() : []),
    ...(part === undefined || part === 'speed' ? await measureSpeed(small ? 50_000 : 1_000_000) : []),
  ];
}

/** Right: of the answerable questions with a truth that a machine compares. Wrong: of all questions. */
async function accuracy(): Promise<Result[]> {
  const judged = await evaluate('open');
  console.log(`${totalsOf('open', judged)}\n`);
  const compared = judged.filter(({ question, outcome }) => question.kind === 'answerable' && question.sql && outcome !== 'hand');
  const share = (name: string, value: number, limit: number): Result => ({
    name: `sapphire.${name}`,
    unit: 'questions',
    value,
    limit,
    ratio: value / limit,
  });
  const count = (wanted: string) => judged.filter(({ outcome }) => outcome === wanted).length;
  return [
    share('right', compared.filter(({ outcome }) => outcome === 'right').length, compared.length),
    share('wrong', count('wrong'), judged.length),
  ];
}
