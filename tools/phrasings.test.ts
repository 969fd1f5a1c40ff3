/** The learned weights of Sapphire's offers are those of the questions in the project. */
import { readWeights } from '@parapet/server/features/sapphire/parsing/likely.ts';
import { expect, test } from 'vitest';
import { phrasingsOf, sourceOfWeights, usual, writers } from './phrasings.data.ts';

test('weights are learnt from these usual questions and phrasings; npm run phrasings learns them', () =>
  expect(readWeights().source).toBe(sourceOfWeights()));

test('has phrasings by several writers for each usual question', () => {
  const seen = usual.map(() => new Set<string>());
  for (const writer of writers()) for (const { intent } of phrasingsOf(writer)) seen[intent]?.add(writer);
  expect(usual.filter((_, at) => seen[at]!.size < 3).map(({ text }) => text)).toEqual([]);
});
