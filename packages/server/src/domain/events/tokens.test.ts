import { expect, test } from 'vitest';
import { positionsPerToken, TokenFilter, tokenHashes } from './tokens.ts';

const holds = (filter: Buffer, token: string): boolean => {
  const [first, second] = tokenHashes(token);
  return Array.from({ length: positionsPerToken }, (_, n) => (first + n * second) % (filter.length * 8)).every(
    (bit) => ((filter[bit >>> 3]! >> (bit & 7)) & 1) === 1,
  );
};
const words = (from: number, count: number) => Array.from({ length: count }, (_, n) => `word${from + n}`);

test('holds every word of many texts, and few others', () => {
  const filter = new TokenFilter();
  const own = words(0, 20_000);
  for (const word of own) filter.addText(Buffer.from(`${word} ${word}`));
  const bytes = filter.bytes();
  expect(bytes).toHaveLength((own.length * 7) / 8);
  expect(own.filter((word) => !holds(bytes, word))).toEqual([]);
  const others = words(100_000, 20_000).filter((word) => holds(bytes, word)).length / 20_000;
  expect(others).toBeGreaterThan(0.01);
  expect(others).toBeLessThan(0.06);
});

test('gives texts of the same words the same filter', () => {
  const filterOf = (texts: readonly string[]) => {
    const filter = new TokenFilter();
    for (const text of texts) filter.addText(Buffer.from(text));
    return filter.bytes();
  };
  expect(filterOf(words(0, 3_000).toReversed())).toEqual(filterOf([words(0, 3_000).join('\n')]));
});
