import type { CaseRow } from '@parapet/contract/caseList.ts';
import { expect, test } from 'vitest';
import { newInList, renewedRows } from './liveCases.ts';

const row = (id: number, version = 1) => ({ id, version }) as CaseRow;

test('updates rows in place', () => {
  const rows = [row(3), row(2), row(1)];
  expect(renewedRows(rows, [row(9), row(1, 2), row(2, 5)]).map(({ id, version }) => [id, version])).toEqual([
    [3, 1],
    [2, 5],
    [1, 2],
  ]);
});

test('ignores older rows', () => {
  const rows = [row(3, 4)];
  expect(renewedRows(rows, [row(3, 3)])).toBe(rows);
  expect(renewedRows(rows, [])).toBe(rows);
});

test('counts opened cases that match the list and were not seen', () => {
  expect(newInList(new Set([5, 6, 7]), [row(7), row(6), row(4)], new Set([6]))).toEqual([7]);
});
