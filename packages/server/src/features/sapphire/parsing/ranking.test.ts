/** Of the questions of the tests (`bench/sapphire/phrasings/tests.tsv`), which are read as they are meant, nearly all have their reading at once. */
import { readFileSync } from 'node:fs';
import { suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import { expect, test } from 'vitest';
import { ask, outcome, read } from '../../../../test/parse.samples.ts';

const file = new URL('../../../../../../bench/sapphire/phrasings/tests.tsv', import.meta.url);
/** Each is of one part, and read whole. */
const questions = readFileSync(file, 'utf8')
  .split('\n')
  .filter(Boolean)
  .filter((_, at) => at % 7 === 0)
  .map((line) => line.split('\t')[1]!)
  .filter((text) => read(text).queries.length === 1);

test('answers nine of ten plain questions at once', () => {
  const unread = questions.filter((text) => ask(text).queries.length === 0);
  expect(questions.length).toBeGreaterThan(40);
  expect(unread.length, unread.join('\n')).toBeLessThan(questions.length / 10);
});

test.each(['how many cases are still open at birch', 'critical alerts last month', 'silent devices', 'ppl without mfa'])(
  'answers "%s" at once',
  (text) => expect(outcome(ask(text))).toBe(outcome(read(text))),
);

test('answers each suggested question at once', () =>
  expect(suggestedQuestions.filter((text) => ask(text).clarify !== undefined)).toEqual([]));

test('asks back an unlikely reading, with the reading as first button', () => {
  const question = 'what share of users is without alert';
  const { queries, clarify } = ask(question);
  expect(queries).toEqual([]);
  expect(clarify!.queries[0]).toEqual(read(question).queries);
  expect(clarify!.queries.length).toBeGreaterThan(1);
});
