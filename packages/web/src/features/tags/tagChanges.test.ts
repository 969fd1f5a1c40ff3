import { expect, test } from 'vitest';
import { changesOf, holdingOf, sameName } from './tagChanges.ts';

const device = (...ids: number[]) => ({ deviceTags: ids.map((id) => ({ id })) });
const devices = [device(1, 2), device(1), device(1, 3)];

test.each([
  [1, 'all'],
  [2, 'some'],
  [4, 'none'],
] as const)('finds tag %i on %s of the devices', (id, holding) => {
  expect(holdingOf(id, devices)).toBe(holding);
});

test('sends only toggles that change a device', () => {
  const toggles = new Map([
    [1, true], // all have it
    [2, true], // one has it
    [3, false], // one has it
    [4, false], // none has it
    [5, true], // none has it
  ]);
  expect(changesOf(toggles, devices)).toEqual([
    { id: 2, isDeleted: false },
    { id: 3, isDeleted: true },
    { id: 5, isDeleted: false },
  ]);
});

test('compares names regardless of case and whitespace', () => {
  expect(sameName(' Branch  Office', 'branch office')).toBe(true);
  expect(sameName('Branch', 'Branch office')).toBe(false);
});
