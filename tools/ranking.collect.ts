/**
 * `node tools/ranking.collect.ts <weights> <out> <step> <writer>…`: the marks of all that every `<step>`th question of writers can mean, read with `<weights>`
 * that were not learnt from these (`-`: with those in use), one question a line. Of each query one phrasing is read. `whole/<set>` is a set of strangers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Query } from '@parapet/contract/rules/query.ts';
import { prepareLearned } from '@parapet/server/features/sapphire/parsing/learned.ts';
import type { Parsed } from '@parapet/server/features/sapphire/parsing/parsed.ts';
import { keyOf, read } from '../bench/sapphire/whole/read.ts';
import { queryOf } from './phrasings.data.ts';
import type { Sample } from './ranking.fit.ts';

const [weights = '-', out = '', step = '1', ...writers] = process.argv.slice(2);
if (weights !== '-') await prepareLearned(weights);

/** Phrasings name clients and times beside what the query has. */
function keysOf(query: Query): string[] {
  const key = keyOf(query);
  const named = [key, key.replace('"isOfClient":false', '"isOfClient":true')];
  return named.flatMap((each) => [each, each.replace('"isTimed":false', '"isTimed":true')]);
}

const stateOf = ({ queries, skill }: Parsed, isRight: (queries: readonly Query[]) => boolean): Sample['state'] =>
  queries.length > 0 ? (isRight(queries) ? 'right' : 'wrong') : skill ? 'wrong' : 'none';

function sampleOf(text: string, keys: ReadonlySet<string>): Sample {
  const isRight = (queries: readonly Query[]) => queries.length === 1 && keys.has(keyOf(queries[0]!));
  let candidates: Sample['candidates'] = [];
  let none: Sample['none'] = {};
  const parsed = read(text, (ranked, marks) => {
    if (candidates.length > 0) return;
    candidates = ranked.map((each) => ({ isReading: each.isReading, isRight: isRight(each.queries), marks: each.marks }));
    none = marks;
  });
  return { text, state: stateOf(parsed, isRight), candidates, none };
}

/** In a set of strangers a question stands between the readings of it. */
const lines = writers.flatMap((writer) => {
  const isOfStrangers = writer.startsWith('whole/');
  return readFileSync(new URL(`../bench/sapphire/${isOfStrangers ? writer : `phrasings/${writer}`}.tsv`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'))
    .map(([query = '', ...texts], at) =>
      isOfStrangers
        ? { text: texts[0]!, queries: [query, ...texts.slice(1).filter((each) => each.startsWith('{'))], isNamed: true }
        : { text: texts[at % texts.length]!, queries: [query], isNamed: false },
    );
});
const samples = lines.flatMap(({ text, queries, isNamed }, at) => {
  if (at % Number(step) > 0 || text.includes(' >> ')) return [];
  const meant = queries.filter((each) => each !== '-').map(queryOf);
  return [sampleOf(text, new Set(meant.flatMap((each) => (isNamed ? [keyOf(each)] : keysOf(each)))))];
});
writeFileSync(out, `${samples.map((each) => JSON.stringify(each)).join('\n')}\n`);
