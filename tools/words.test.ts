/** The project's language: narrow patterns stay at zero, broad ones only fall (words.ts has both, docs/words.md the glossary). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './imports.ts';
import { declarationsOf, withoutLiterals } from './words.identifiers.ts';
import { patternNames, wordHits } from './words.ts';

/** Hits allowed, by pattern. Lower a number when hits went away; never raise it. */
const ceilings = JSON.parse(readFileSync(join(root, 'tools/words.json'), 'utf8')) as Record<string, number>;
const hits = wordHits();

test.each(patternNames)('keeps to its ceiling: %s', (name) => {
  const found = hits.filter((hit) => hit.name === name);
  const list = found.map(({ file, line, text }) => `${file}:${line} ${text.slice(0, 120)}`);
  expect(found.length, list.slice(-40).join('\n')).toBeLessThanOrEqual(ceilings[name] ?? 0);
});

test('has no ceiling above its hits', () => {
  const stale = Object.entries(ceilings).filter(([name, most]) => hits.filter((hit) => hit.name === name).length < most);
  expect(stale.map(([name]) => name)).toEqual([]);
});

test('finds declared names, but neither uses nor keys of object literals', () => {
  const declared = (text: string) => declarationsOf(/^x$/, 'sample.tsx', text).length;
  const declaring = [
    'const x = 1;',
    'const { a: x = 2, ...b } = c;',
    'const [a, [x]] = b;',
    'function x() {}',
    '(x: number) => x;',
    'interface A { x: number; b(x: string): void }',
    'class A { #x = 1; constructor(private readonly b: string) {} }',
    'for (const x of y) z(x);',
  ];
  expect(declaring.map(declared)).toEqual([1, 1, 1, 1, 1, 2, 1, 1]);
  expect(
    ['a({ x: 1 }, b.x);', 'import { x } from "y";', 'const { x: a } = b;', '// const x = 1', "const a = 'const x = 1';"].map(
      declared,
    ),
  ).toEqual([0, 0, 0, 0, 0]);
  expect(() => declared('const = ;')).toThrow('sample.tsx');
});

test('blanks strings, templates and expressions, but neither comments nor titles nor lines', () => {
  const blanked = (text: string) => withoutLiterals('sample.ts', text).replace(/ +/g, ' ');
  expect(blanked(`const a = 'b' + \`c \${d}\n\`; // "e"`)).toBe(`const a = + d \n ; // "e"`);
  expect(blanked("/** A */ const a = /b'c/i;")).toBe('/** A */ const a = ;');
  expect(blanked("test('is a', () => b('c'));")).toBe("test('is a', () => b( ));");
});
