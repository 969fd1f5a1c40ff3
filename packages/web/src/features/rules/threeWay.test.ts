import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergedText, threeWay } from './threeWay.ts';

const base = 'title: A\nlevel: low\ndetection:\n  a: 1\n  b: 2\n';

test('merges changes in different places', () => {
  const own = base.replace('level: low', 'level: high');
  const theirs = base.replace('  b: 2', '  b: 2\n  c: 3');
  const parts = threeWay(base, own, theirs);
  expect(parts.filter(({ kind }) => kind !== 'same').map(({ kind }) => kind)).toEqual(['own', 'theirs']);
  expect(mergedText(parts)).toBe('title: A\nlevel: high\ndetection:\n  a: 1\n  b: 2\n  c: 3\n');
});

test('finds a conflict where both changed a line differently, none where they changed it alike', () => {
  const [own, theirs] = ['level: high', 'level: medium'].map((line) => base.replace('level: low', line)) as [string, string];
  const parts = threeWay(base, own, theirs);
  expect(parts.find(({ kind }) => kind === 'conflict')).toEqual({
    kind: 'conflict',
    base: ['level: low'],
    own: ['level: high'],
    theirs: ['level: medium'],
  });
  expect(mergedText(parts)).toBeUndefined();
  expect(mergedText(threeWay(base, own, own))).toBe(own);
});

test('holds each text in its order, and merges to the text that alone changed', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 8 })
    .map((lines) => `${lines.join('\n')}\n`);
  fc.assert(
    fc.property(text, text, text, (first, own, theirs) => {
      const parts = threeWay(first, own, theirs);
      for (const [name, whole] of [
        ['base', first],
        ['own', own],
        ['theirs', theirs],
      ] as const)
        expect(`${parts.flatMap((part) => part[name]).join('\n')}\n`).toBe(whole);
      expect(mergedText(threeWay(first, own, first))).toBe(own);
      expect(mergedText(threeWay(first, first, theirs))).toBe(theirs);
    }),
    { numRuns: 500 },
  );
});
