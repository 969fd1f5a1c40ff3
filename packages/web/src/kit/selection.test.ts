import { expect, test } from 'vitest';
import { chosen, nothingOf, type RowId, renewed } from './selection.ts';

interface Row {
  id: string;
  version?: number;
}
const pageOf = (...ids: string[]) => ({ rows: ids.map((id): Row => ({ id })), rowId: (row: Row) => row.id, most: 1000 });
const ids = (selection: { rows: ReadonlyMap<RowId, Row> }) => [...selection.rows.keys()];

test('keeps rows of other pages until they are deselected', () => {
  const first = chosen(nothingOf<Row>('10'), new Set(['a', 'b']), pageOf('a', 'b', 'c'), false);
  expect(ids(first)).toEqual(['a', 'b']);
  const second = chosen(first, new Set(['a', 'b', 'x']), pageOf('x', 'y'), false);
  expect(ids(second)).toEqual(['a', 'b', 'x']);
  expect(ids(chosen(second, new Set(['x']), pageOf('x'), false))).toEqual(['x']);
});

test('adds nothing beyond the limit and keeps the rest', () => {
  const page = { ...pageOf(...Array.from({ length: 12 }, (_, index) => `r${index}`)), most: 10 };
  const full = chosen(nothingOf<Row>('10'), new Set(page.rows.map((row) => row.id)), page, false);
  expect(full.rows.size).toBe(10);
  expect(ids(chosen(full, new Set([...ids(full), 'r11']), page, false))).toEqual(ids(full));
});

test('taking a row away from all leaves the rest of the page', () => {
  const all = { ...chosen(nothingOf<Row>('10'), new Set(['z']), pageOf('z'), false), allOf: 'severity=high' };
  const rest = chosen(all, new Set(['a', 'c']), pageOf('a', 'b', 'c'), true);
  expect(ids(rest)).toEqual(['a', 'c']);
  expect(rest.allOf).toBeUndefined();
});

test('replaces reloaded rows and returns the same object otherwise', () => {
  const page = pageOf('a', 'b');
  const old = chosen(nothingOf<Row>('10'), new Set(['a']), page, false);
  expect(renewed(old, page)).toBe(old);
  const next = renewed(old, { ...page, rows: [{ id: 'a', version: 2 }] });
  expect(next.rows.get('a')).toEqual({ id: 'a', version: 2 });
});
