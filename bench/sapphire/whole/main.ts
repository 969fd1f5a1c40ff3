/**
 * `node bench/sapphire/whole/main.ts [file] [--list]`: whole questions with their queries (`first.tsv`: a query, the question, a second reading of it; `eighth.tsv` and `kept.tsv`, of which totals alone were read), by the
 * parser alone; ">>" stands before a question that follows up on the one before it. Right: the query of the answer is one of the readings; offered: that of one of at most five buttons. Judged by structure: whose names and
 * which times a query has is not compared, only that it has some.
 */
import { readFileSync } from 'node:fs';
import type { Query } from '@parapet/contract/rules/query.ts';
import { queryLine } from '../../../packages/server/test/parse.samples.ts';
import { queryOf } from '../../../tools/phrasings.data.ts';
import { keyOf, readAll } from './read.ts';

const isListed = process.argv.includes('--list');
const file = process.argv.slice(2).find((each) => !each.startsWith('--')) ?? new URL('./first.tsv', import.meta.url);

const totals = { right: 0, offered: 0, otherwise: 0, refused: 0, wrong: 0, 'rightly refused': 0, 'answered in error': 0 };
for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
  const [first = '', text = '', ...others] = line.split('\t');
  const readings = [first, ...others.filter((each) => each.startsWith('{'))].filter((each) => each !== '-').map(queryOf);
  const keys = new Set(readings.map(keyOf));
  const { queries, skill, nearest, clarify } = readAll(text);
  const isOne = (each: readonly Query[]): boolean => each.length === 1 && keys.has(keyOf(each[0]!));
  const offers = nearest ?? clarify?.queries ?? [];
  const isAnswered = queries.length > 0 || skill !== undefined;
  const result: keyof typeof totals =
    readings.length === 0
      ? isAnswered
        ? 'answered in error'
        : 'rightly refused'
      : isAnswered
        ? isOne(queries)
          ? 'right'
          : 'wrong'
        : offers.some(isOne)
          ? 'offered'
          : offers.length > 0
            ? 'otherwise'
            : 'refused';
  totals[result]++;
  if (isListed && result !== 'right' && result !== 'rightly refused')
    console.log(
      `${result}: ${text}\n${readings.map((each) => `  = ${queryLine(each)}`).join('\n')}\n${[queries, ...offers]
        .filter(({ length }) => length > 0)
        .map((each) => `  > ${each.map(queryLine).join('; ')}`)
        .join('\n')}`,
    );
}
console.log(totals);
