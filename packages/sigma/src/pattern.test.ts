import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { parsePattern, testOf, toBase64Offsets } from './pattern.ts';
import { compileRegex } from './regex.ts';
import { requiredTexts } from './required.ts';
import { literalSearch } from './search.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Milliseconds of processor time. */
const cost = (work: () => void): number => {
  const start = process.cpuUsage();
  work();
  return process.cpuUsage(start).user / 1000;
};

describe('Sigma string', () => {
  test.each([
    ['plain', 'plain', true],
    ['C:\\Windows\\x.exe', 'C:\\Windows\\x.exe', true],
    ['C:\\\\Windows', 'C:\\Windows', true],
    ['a*c', 'abc', true],
    ['a*c', 'a\nb\nc', true],
    ['a*c', 'ab', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a\\*c', 'a*c', true],
    ['a\\*c', 'abc', false],
    ['a\\?c', 'a?c', true],
    ['a\\?c', 'abc', false],
    ['a\\\\*c', 'a\\xyc', true],
    ['a\\\\*c', 'a*c', false],
    ['a\\\\\\*c', 'a\\*c', true],
    ['a\\\\\\*c', 'a\\bc', false],
    ['\\\\\\\\server', '\\\\server', true],
    ['\\\\\\server', '\\\\server', true],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['?', '😀', true],
    ['a*?*b', 'ab', false],
    ['a*?*b', 'axb', true],
    ['*ab*ab', 'ab', false],
    ['*ab*ab', 'abab', true],
  ])('%s against %s: %s', (pattern, value, expected) => {
    expect(testOf(parsePattern(pattern))(value)).toBe(expected);
  });

  test('matches the same values as the equivalent regular expression', () => {
    const piece = fc.constantFrom('a', 'b', 'ab', '*', '?', 'é', '\n');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 7 }),
        fc.array(fc.constantFrom('a', 'b', 'é', '\n'), { maxLength: 9 }),
        (pieces, letters) => {
          const source = pieces.map((each) => (each === '*' ? '[^]*' : each === '?' ? '[^]' : each)).join('');
          expect(testOf(parsePattern(pieces.join('')))(letters.join(''))).toBe(new RegExp(`^${source}$`).test(letters.join('')));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('runs in linear time without backtracking', () => {
    const time = cost(() => {
      expect(testOf(parsePattern('*a*a*a*a*a*a*a*a*a*b'))('a'.repeat(262_144))).toBe(false);
      expect(testOf(parsePattern('*a?a?a?a?a?a?b*'))('a'.repeat(262_144))).toBe(false);
    });
    expect(time).toBeLessThan(1_000);
  });
});

test('finds one of three base64 forms in any data that contains the value', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 3, unit: 'grapheme' }),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme' }),
      (value, before, after) => {
        const encoded = Buffer.from(before + value + after).toString('base64');
        expect(toBase64Offsets({ text: value, isBytes: false }).some(({ text }) => encoded.includes(text))).toBe(true);
      },
    ),
  );
});

describe('search', () => {
  const places = ['exact', 'prefix', 'suffix', 'within'] as const;
  const holds = {
    exact: (text: string, literal: string) => text === literal,
    prefix: (text: string, literal: string) => text.startsWith(literal),
    suffix: (text: string, literal: string) => text.endsWith(literal),
    within: (text: string, literal: string) => text.includes(literal),
  };
  const part = fc.constantFrom('a', 'b', 'c', 'é', '漢', '\u1f61', ' ', '\0', 'c:\\windows\\');
  const literals = fc.array(
    fc.record({
      literal: fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join('')),
      place: fc.constantFrom(...places),
    }),
    { minLength: 1, maxLength: 40 },
  );

  test('reports exactly the literals that are there', () => {
    fc.assert(
      fc.property(literals, fc.array(part, { maxLength: 8 }), (wanted, parts) => {
        const text = parts.join('');
        const found = new Set<number>();
        const search = literalSearch(wanted.map((each, index) => ({ ...each, hits: [index, index + 1_000] })));
        search(text, (hits, from, to) => {
          for (const hit of hits.subarray(from, to)) found.add(hit);
        });
        const expected = wanted.flatMap(({ literal, place }, index) =>
          holds[place](text, literal) ? [index, index + 1_000] : [],
        );
        expect([...found].sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
      }),
      { numRuns: 3_000 },
    );
  });

  test('reports an empty text only for the empty literal', () => {
    const found = new Set<number>();
    const search = literalSearch([
      { literal: '', place: 'exact', hits: [1] },
      { literal: 'a', place: 'within', hits: [2] },
    ]);
    for (const text of ['', '\0', 'a']) search(text, (hits, from) => found.add(hits[from]!));
    expect([...found]).toEqual([1, 2]);
  });
});

test('reports a text beyond ASCII, however long', () => {
  const found: string[] = [];
  const search = literalSearch([
    { literal: '', place: 'beyond', hits: [1] },
    { literal: 'a', place: 'exact', hits: [2] },
  ]);
  for (const text of ['A', 'bc', 'b\u202ec', 'é']) search(text, (hits, from) => found.push(`${text} ${hits[from]}`));
  expect(found).toEqual(['A 2', 'b\u202ec 1', 'é 1']);
});

describe('regular expressions', () => {
  test.each([
    ['foo.*bar', [['foo'], ['bar']]],
    ['(?:foo|barbar)x', [['foox', 'barbarx']]],
    ['ab?cde', [['acde', 'abcde']]],
    ['\\\\Temp\\\\[a-z]+\\.exe', [['\\temp\\'], ['.exe']]],
    ['(?i)powershell', [['powershell']]],
    ['(abc)+', [['abc']]],
    ['(abc)*', []],
    ['a|', []],
    ['[a-z]{8}', []],
    ['foo{0}bar', [['bar'], ['fo']]],
    ['x{2,}yyy', [['xyyy'], ['xx']]],
    [
      '(?:\\.\\.[/+]){2,}',
      [
        ['../../', '../..+', '..+../', '..+..+'],
        ['../', '..+'],
      ],
    ],
    ['a(?:b|)+c', []],
    ['\\\\windows\\s+\\\\', [['\\windows '], [' \\']]],
    ['ééé', []],
    ['\\x41bcd', [['bcd']]],
    ['a.b', []],
    ['\\bnc(?:at)?\\b', [['nc']]],
    ['cmd\\s+/[vcq]', [['cmd '], [' /v', ' /c', ' /q']]],
    ['\\snc\\s', [[' nc ']]],
    ['[\\x{2066}-\\x{2069}]x', []],
    ['(?:\\w\\^){4,}', [['^']]],
    ['[a\\-c]x', [['ax', '-x', 'cx']]],
    ['[^ab]cd|ef', [['cd', 'ef']]],
  ])('requires a literal for %s: %j', (source, expected) => {
    expect(requiredTexts(source).texts).toEqual(expected);
  });

  test.each([
    ['[\\x{2066}-\\x{2069}]{2,}', true],
    ['a[\\x{e9}]|\\x{202e}', true],
    ['a?|\\x{202e}', false],
    ['\\x{202E}', true],
    ['\\x{17f}', false],
    ['\\x41', false],
    ['[\\x{100}-\\x{200}]', false],
    ['[\\x{2100}-\\x{2200}]', false],
    ['[a\\x{2066}]', false],
  ])('%s matches only beyond ASCII: %s', (source, expected) => {
    expect(requiredTexts(source).isBeyondAscii).toBe(expected);
  });

  test('takes white space of every kind for the same', () => {
    const { test: matches } = compileRegex('\\x{2066}', 'i');
    expect([matches('a'), matches('\u2066')]).toEqual([false, true]);
    const found = new Set<number>();
    literalSearch([{ literal: 'a b', place: 'within', hits: [1] }])('a\tb', (hits, from) => found.add(hits[from]!));
    expect([...found]).toEqual([1]);
  });

  test('contains a required text in every match', () => {
    const part = fc.constantFrom(
      'ab',
      'cd',
      'x',
      '(ab|cd)',
      '(?:xy|z)?',
      'a+',
      '[ab]',
      '.',
      '(cd)*',
      'b{2}',
      '\\.',
      '^',
      '(?i)',
      'A',
      '[^a]',
      '[a-d.]',
      '(?:a|[bc]d|)',
      '(?:ab?|c+){1,2}',
      '(?:ab|c\\w*d)',
      '(?:a.b|cd){2,}',
      '(?:x|)+',
      '\\b',
      '\\W?',
      '\\s',
      '\\s+',
      '|',
    );
    const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'x', 'y', 'z', 'A', 'B', '.', 'ab', 'cd', ' ', '\t', '\n'), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), letters, (parts, word) => {
        const { test: matches, required } = compileRegex(parts.join(''), 'i');
        const text = word.join('');
        if (matches(text))
          expect(required.filter((set) => !set.some((each) => text.toLowerCase().replaceAll(/\s/g, ' ').includes(each)))).toEqual(
            [],
          );
      }),
      { numRuns: 10_000 },
    );
  });

  test.each([
    ['(?=a)b', /look-ahead/],
    ['(?<!a)b', /look-behind/],
    ['(a)\\1', /back-reference/],
    ['a(', /cannot be compiled/],
  ])('rejects %s with a reason', (source, reason) => {
    expect(() => compileRegex(source, '')).toThrow(reason);
  });

  test('run in linear time', () => {
    const time = cost(() => expect(compileRegex('^(a+)+$', '').test(`${'a'.repeat(200_000)}b`)).toBe(false));
    expect(time).toBeLessThan(2_000);
  });
});
