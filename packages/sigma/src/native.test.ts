import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { nativeRegex } from './native.ts';

describe('the subset', () => {
  test.each([
    String.raw`\\(?:users\\public|perflogs)\\[^\\]+\.exe$`,
    String.raw`(?i)^[a-z]:\\programdata\\`,
    String.raw`\bnet1?\s(?:user|group)\b`,
    '[0-9a-f-]{36}',
    'a{2,5}b?',
  ])('holds %s', (source) => {
    expect(nativeRegex(source, true)).toBeDefined();
  });

  test.each([
    ['nested repetition', '(?:a+)+b'],
    ['two repetitions on a path with a short bound', '.*a.*b.*c'],
    ['many ways', `${'(?:a|b|aa|[ab])?'.repeat(12)}c`],
    ['flags inside', 'a(?i)b'],
    ['look-ahead', '(?=a)b'],
    ['a Unicode class', String.raw`\p{L}+`],
    ['a POSIX class', '[[:alpha:]]+'],
    ['a bracket first in a class', '[]a]'],
    ['an escape of one engine', String.raw`\Aa\z`],
    ['letters beyond ASCII', 'straße'],
    ['a repeated group', '(?:ab){3}'],
  ])('excludes %s', (_what, source) => {
    expect(nativeRegex(source, true)).toBeUndefined();
  });
});

test('bounds the length by degree and choices', () => {
  expect(nativeRegex('abc', false)?.maxLength).toBe(65_536);
  expect(nativeRegex('a.*b', false)?.maxLength).toBeLessThan(3_000);
  expect(nativeRegex('a(?:b|bc|bcd|bcde).*b', false)?.maxLength).toBeLessThan(nativeRegex('a.*b', false)!.maxLength);
});

test('the worst value of the longest length takes milliseconds', () => {
  for (const source of ['a.*b', String.raw`\w+x(?:y|yz|yzz)?$`, '(?:a|aa|aaa|aaaa)[a-z]*!', 'a?a?a?a?a?a?b']) {
    const { expression, maxLength } = nativeRegex(source, true)!;
    const started = performance.now();
    expression.test('a'.repeat(maxLength));
    expect(performance.now() - started).toBeLessThan(3_000);
  }
});

test('agrees with RE2 on printable ASCII', () => {
  const piece = fc.constantFrom(
    ...String.raw`a|b|\\|\.|exe|[a-c]|[^\\]|\d|\w|\s|\S|.|^|$|\b|\B|(?:a|bc)|(?:net|NET1)|-|/|"`
      .split('|')
      .filter((part) => !/[()]/.test(part)),
    '(?:a|bc)',
    '(?:net|NET1)|x',
    '(a|b)',
  );
  const repeat = fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{1,3}', '*?');
  const sources = fc
    .array(fc.tuple(piece, repeat), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.map(([one, many]) => one + (/^[\^$]|^\\[bB]$/.test(one) ? '' : many)).join(''));
  const values = fc.string({ unit: fc.constantFrom(...'abcNET1 \\./-"x\texeE_'), maxLength: 30 });
  fc.assert(
    fc.property(sources, values, fc.boolean(), (source, value, isFolded) => {
      const native = nativeRegex(source, isFolded);
      if (native === undefined) return;
      expect(native.expression.test(value)).toBe(RE2JS.compile(source, isFolded ? RE2JS.CASE_INSENSITIVE : 0).test(value));
    }),
    { numRuns: 5_000 },
  );
});
