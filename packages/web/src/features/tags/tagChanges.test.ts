import { expect, test } from 'vitest';
import { changesOf, holdingOf, sameName } from './tagChanges.ts';

const device = (...ids: number[]) => ({ deviceTags: ids.map((id) => ({ id })) });
const devices = [device(1, 2), device(1), device(1, 3)];

test.each([
  [1, 'all'],
  [2, 'some'],
  [4, 'none'],
] as const)('tag %i is on %s', (id, holding) => {
  expect(holdingOf(id, devices)).toBe(holding);
});

test('only what changes is sent', () => {
  const wishes = new Map([
    [1, true], // all have it
    [2, true], // one has it
    [3, false], // one has it
    [4, false], // none has it
    [5, true], // none has it
  ]);
  expect(changesOf(wishes, devices)).toEqual([
    { id: 2, isDeleted: false },
    { id: 3, isDeleted: true },
    { id: 5, isDeleted: false },
  ]);
});

test('names are compared as they are read', () => {
  expect(sameName(' Branch  Office', 'branch office')).toBe(true);
  expect(sameName('Branch', 'Branch office')).toBe(false);
});
