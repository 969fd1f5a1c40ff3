import { describe, expect, test, vi } from 'vitest';
import { pageOf, pagingOf } from './paging.ts';

const set = vi.fn();
const list = (page: number, pageSize: number) => ({ state: { page, pageSize }, set });

test('turns a page with a history entry', () => {
  const paging = pagingOf(list(2, 25), 80);
  expect(paging).toMatchObject({ page: 2, pageSize: 25, total: 80 });
  paging.onChange(3, 25);
  expect(set).toHaveBeenLastCalledWith({ page: 3, pageSize: 25 }, { replace: false });
});

describe('pageOf', () => {
  const all = [1, 2, 3, 4, 5];

  test('returns the rows of the page', () => {
    expect(pageOf(list(2, 2), all)).toMatchObject({ rows: [3, 4], paging: { page: 2, total: 5 } });
  });

  test('returns the last page in place of one behind it', () => {
    expect(pageOf(list(9, 2), all)).toMatchObject({ rows: [5], paging: { page: 3 } });
  });

  test('returns no rows before the answer', () => {
    expect(pageOf(list(9, 2), undefined)).toMatchObject({ rows: undefined, paging: { page: 1, total: 0 } });
  });
});
