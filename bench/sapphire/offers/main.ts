/**
 * `node bench/sapphire/offers/main.ts [--half tune|held] [--list]`: questions with their meanings, by the parser alone. Right: the queries of the answer, or of one of at most
 * five buttons, are those of a meaning; lists, numbers and existence of the same records are the same.
 */
import { readFileSync } from 'node:fs';
import type { Query } from '@parapet/contract/rules/query.ts';
import { outcome, queryLine, read } from '../../../packages/server/test/parse.samples.ts';

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : (process.argv[at + 1] ?? '');
};
const half = option('half');
const isListed = process.argv.includes('--list');

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
    : value !== null && typeof value === 'object'
      ? Object.entries(value)
          .filter(([key]) => !['label', 'show'].includes(key))
          .map(([key, each]) => [key, sorted(each)])
          .sort()
      : value;
const now = '2026-11-23T07:20:00.000Z';
/** A time that has not ended ends now. */
const ended = (key: string): string =>
  key.replace(/(\["end",")([^"]+)"/g, (_, before: string, end: string) => `${before}${end > now ? 'now' : end}"`);
const rows = new Set(['list', 'exists', 'count']);
/** The same for queries that show the same records in the same order. */
const keyOf = (queries: readonly Query[]): string =>
  ended(
    JSON.stringify(
      queries.map(({ limit: _, orderBy, measure, ...query }) =>
        sorted({
          ...query,
          measure: rows.has(measure.kind) && !('per' in measure) && !('isShare' in measure) ? { kind: 'rows' } : measure,
          ...(orderBy && !(query.groupBy && orderBy.field === 'count' && !orderBy.isAscending) && { orderBy }),
        }),
      ),
    ),
  );

const totals = { right: 0, offered: 0, otherwise: 0, refused: 0, wrong: 0, 'refused for good': 0, 'offered for good': 0 };
let at = 0;
for (const line of readFileSync(new URL(option('file') ?? './questions.txt', import.meta.url), 'utf8').split('\n')) {
  if (!line.trim() || line.startsWith('#')) continue;
  const own = at++ % 2 === 0 ? 'tune' : 'held';
  if (half && half !== own) continue;
  const [question = '', ...meanings] = line.split(' | ').map((part) => part.trim());
  const isAnswerable = !meanings[0]!.startsWith('-');
  const keys = new Map<string, string>();
  for (const meaning of isAnswerable ? meanings : []) {
    const { queries: own, skill, clarify } = read(meaning);
    const queries = own.length > 0 ? own : (clarify?.queries[0] ?? []);
    if (queries.length > 0) keys.set(keyOf(queries), meaning);
    else if (skill) keys.set(skill.name, meaning);
    else if (process.argv.includes('--meanings')) console.log(`  ? ${meaning}: ${outcome(read(meaning))}`);
  }
  if (process.argv.includes('--meanings')) {
    if (isAnswerable && keys.size === 0) console.log(`NO MEANING: ${question}`);
    for (const meaning of isAnswerable ? meanings : []) console.log(`    ${meaning} => ${outcome(read(meaning))}`);
    continue;
  }
  const parsed = read(question);
  const offers = parsed.nearest ?? parsed.clarify?.queries ?? [];
  const found = offers.findIndex((queries) => keys.has(keyOf(queries)));
  const isAnswered = parsed.queries.length > 0 || parsed.skill !== undefined;
  const isRight = keys.has(keyOf(parsed.queries)) || (parsed.skill !== undefined && keys.has(parsed.skill.name));
  const result: keyof typeof totals = !isAnswerable
    ? isAnswered
      ? 'wrong'
      : offers.length > 0
        ? 'offered for good'
        : 'refused for good'
    : isAnswered
      ? isRight
        ? 'right'
        : 'wrong'
      : found >= 0
        ? 'offered'
        : offers.length > 0
          ? 'otherwise'
          : 'refused';
  totals[result]++;
  if (!isListed) continue;
  console.log(`${result.toUpperCase()}: ${question}   [left: ${parsed.left.join(', ')}]`);
  if (result !== 'right') {
    for (const meaning of new Set(keys.values())) console.log(`     = ${outcome(read(meaning))}`);
    console.log(
      isAnswered
        ? `     > ${outcome(parsed)}`
        : offers.map((each, index) => `     ${index === found ? '*' : '-'} ${each.map(queryLine).join('; ')}`).join('\n') ||
            `     > ${outcome(parsed)}`,
    );
  }
}
console.log(totals);
