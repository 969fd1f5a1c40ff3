import { expect, test } from 'vitest';
import { Hashes, positionsPerToken, TokenFilter, tokenHashes } from './tokens.ts';

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

const count = 30_000;
/** Numbers whose former slot, `hash ^ hash >>> 15` by its lowest 17 bits, is one and the same. */
const crafted = Array.from({ length: count }, (_, n) => {
  const mixed = (n + 1) << 17;
  return (mixed ^ (mixed >>> 15) ^ (mixed >>> 30)) | 0;
});
const probesOf = (numbers: readonly number[], ...factors: number[]) => {
  const hashes = new Hashes(...factors);
  const probes = numbers.reduce((sum, number) => sum + hashes.add(number), 0);
  expect(hashes.size).toBe(new Set(numbers).size);
  return probes / numbers.length;
};

test.each([
  ['of one former slot', crafted],
  ['one after the other', Array.from({ length: count }, (_, n) => n + 1)],
  ['with the same lowest bits', Array.from({ length: count }, (_, n) => ((n + 1) << 16) | (n >>> 15))],
  ['of ordinary words', words(0, count).map((word) => tokenHashes(word)[0] | 0)],
])('enters numbers %s with few probes', (_name, numbers) => {
  // Of a hundred pairs of factors, one or two need more for regular numbers: up to 100 probes each.
  const probes = Array.from({ length: 9 }, () => probesOf(numbers, ...crypto.getRandomValues(new Uint32Array(2))));
  expect(probes.sort((a, b) => a - b)[4]).toBeLessThan(8);
});

test('notices numbers that were crafted for known factors', () => {
  // Without a shuffle, numbers below 2^15 share their highest bits.
  expect(
    probesOf(
      Array.from({ length: 3_000 }, (_, n) => n + 1),
      1,
      1,
    ),
  ).toBeGreaterThan(100);
});

test('places the same word elsewhere in another process', () => {
  expect(probesOf(crafted, 0x9e_37_79_b1, 0x85_eb_ca_6b)).not.toBe(probesOf(crafted, 0xc2_b2_ae_35, 0x27_d4_eb_2f));
});
