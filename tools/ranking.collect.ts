/** `node tools/ranking.collect.ts <weights> <out> <files>`: marks of the candidates of questions that the weights were not learnt from, one question a line. */
import { readFileSync, writeFileSync } from 'node:fs';
import { prepareLearned } from '@parapet/server/features/sapphire/parsing/learned.ts';
import { keyOf, read } from '../bench/sapphire/whole/read.ts';
import { queryOf } from './phrasings.data.ts';

const [weights, out, ...files] = process.argv.slice(2);
if (weights !== '-') await prepareLearned(weights!);
const lines: string[] = [];
let at = 0;
for (const file of files) {
  const [path, every] = file.split(':');
  const writer = path!.replace(/.*\//, '').replace('.tsv', '');
  for (const line of readFileSync(path!, 'utf8').split('\n').filter(Boolean)) {
    const [first = '', ...rest] = line.split('\t');
    const more = rest.filter((each) => each.startsWith('{'));
    const texts = rest.filter((each) => !each.startsWith('{'));
    const own = [first, ...more].filter((each) => each !== '-').map((each) => keyOf(queryOf(each)));
    // Phrasings name clients and times beside what the query has.
    const named = own.flatMap((key) => [key, key.replace('"isOfClient":false', '"isOfClient":true')]);
    const keys = new Set(named.flatMap((key) => [key, key.replace('"isTimed":false', '"isTimed":true')]));
    at++;
    for (const text of every === 'all' ? texts : every === 'half' && at % 2 ? [] : [texts[at % texts.length]!]) {
      let found: unknown;
      const parsed = read(text, (ranked, none) => {
        found ??= {
          candidates: ranked.map(({ queries, isReading, marks }) => ({
            isReading,
            isRight: queries.length === 1 && keys.has(keyOf(queries[0]!)),
            marks,
            queries: queries,
          })),
          none,
        };
      });
      const isOne = (each: readonly object[]) => each.length === 1 && keys.has(keyOf(each[0] as never));
      const state =
        parsed.queries.length > 0
          ? isOne(parsed.queries)
            ? 'right'
            : 'wrong'
          : parsed.skill
            ? 'skill'
            : parsed.refused
              ? 'refused'
              : parsed.command
                ? 'command'
                : 'asked';
      lines.push(
        JSON.stringify({ writer, text, state, isNone: keys.size === 0, several: parsed.queries.length, ...(found as object) }),
      );
    }
  }
}
writeFileSync(out!, `${lines.join('\n')}\n`);
