/** The project's language: narrow patterns stay at zero, broad ones only fall (words.ts has both, docs/words.md the glossary). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './imports.ts';
import { wordHits, wordPatterns } from './words.ts';

/** Hits allowed, by pattern. Lower a number when hits went away; never raise it. */
const ceilings = JSON.parse(readFileSync(join(root, 'tools/words.json'), 'utf8')) as Record<string, number>;
const hits = wordHits();

test.each(wordPatterns.map(({ name }) => name))('keeps to its ceiling: %s', (name) => {
  const found = hits.filter((hit) => hit.name === name);
  const list = found.map(({ file, line, text }) => `${file}:${line} ${text.slice(0, 120)}`);
  expect(found.length, list.slice(-40).join('\n')).toBeLessThanOrEqual(ceilings[name] ?? 0);
});

test('has no ceiling above its hits', () => {
  const stale = Object.entries(ceilings).filter(([name, most]) => hits.filter((hit) => hit.name === name).length < most);
  expect(stale.map(([name]) => name)).toEqual([]);
});
