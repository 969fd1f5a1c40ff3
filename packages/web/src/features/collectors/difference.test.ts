import { expect, test } from 'vitest';
import { differenceOf } from './difference.ts';

test('lines with their numbers, a gap where something is left out', () => {
  const before = Array.from({ length: 20 }, (_, n) => `line ${n + 1}`).join('\n');
  const after = before.replace('line 10', 'line ten').replace('line 20', 'line 20\nline 21');
  const found = differenceOf(`${before}\n`, `${after}\n`)!;
  expect(found[0]).toMatchObject({ kind: 'gap' });
  expect(found.filter(({ kind }) => kind === 'removed')).toEqual([
    { kind: 'removed', text: 'line 10', before: 10, after: undefined },
  ]);
  expect(found.filter(({ kind }) => kind === 'added')).toEqual([
    { kind: 'added', text: 'line ten', before: undefined, after: 10 },
    { kind: 'added', text: 'line 21', before: undefined, after: 21 },
  ]);
  expect(differenceOf('a\n', 'a\n')).toEqual([]);
  expect(differenceOf('', 'a\n')).toMatchObject([{ kind: 'added', after: 1 }]);
});
