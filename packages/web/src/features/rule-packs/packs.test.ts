import { expect, test } from 'vitest';
import { nameOfFile, statesText } from './packs.ts';

test('names a pack after its file, without the ends of archives', () => {
  expect(['sigma.zip', 'sigma-1.2.tar.gz', 'rules.tgz', 'a.tar', 'plain'].map(nameOfFile)).toEqual([
    'sigma',
    'sigma-1.2',
    'rules',
    'a',
    'plain',
  ]);
});

test('lists the states of a pack’s rules, the most important first', () => {
  const states = { draft: 14, tested: 0, shadow: 0, live: 3210, retired: 1 };
  expect(statesText({ states })).toBe('3,210 live, 14 draft, 1 retired');
  expect(statesText({ states: { draft: 0, tested: 0, shadow: 0, live: 0, retired: 0 } })).toBe('None');
});
