import { expect, test } from 'vitest';
import { auditFiltersIn, isFiltered } from './audit.queries.ts';

test('parses filters from the address and ignores invalid values', () => {
  expect(auditFiltersIn({})).toEqual({ text: '', action: [], actor: [], page: 1, pageSize: 50 });
  const filters = auditFiltersIn({
    text: ' ruth ',
    action: 'user.updated,user.updated',
    actor: '5,0,x,7',
    page: '2',
    pageSize: '100',
  });
  expect(filters).toEqual({ text: 'ruth', action: ['user.updated'], actor: [5, 7], page: 2, pageSize: 100 });
  expect(isFiltered(filters)).toBe(true);
  expect(isFiltered(auditFiltersIn({ page: '2', pageSize: '7' }))).toBe(false);
});
