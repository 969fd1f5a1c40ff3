/** The learned weights of Sapphire's offers are those of the questions in the project. */
import { readWeights } from '@parapet/server/features/sapphire/parsing/likely.ts';
import { expect, test } from 'vitest';
import { phrasingsOf, sourceOfWeights, usual, writers } from './phrasings.data.ts';

test('learns the weights from these usual questions and phrasings: npm run phrasings', () =>
  expect(readWeights().source).toBe(sourceOfWeights()));

test('covers each usual question by several writers', () => {
  const seen = usual.map(() => new Set<string>());
  for (const writer of writers()) for (const { intent } of phrasingsOf(writer)) seen[intent]?.add(writer);
  expect(usual.filter((_, at) => seen[at]!.size < 3).map(({ text }) => text)).toEqual([]);
});
