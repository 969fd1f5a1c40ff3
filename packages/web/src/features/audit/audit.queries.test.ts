import { expect, test } from 'vitest';
import { auditList } from './audit.queries.ts';

const { read, isFiltered } = auditList;

test('parses the address of the audit log', () => {
  expect(read({})).toEqual({ text: '', action: [], actor: [], page: 1, pageSize: 50 });
  const filters = read({
    text: ' ruth ',
    action: 'user.updated,user.updated',
    actor: '5,0,x,7',
    page: '2',
    pageSize: '100',
  });
  expect(filters).toEqual({ text: 'ruth', action: ['user.updated'], actor: [5, 7], page: 2, pageSize: 100 });
  expect(isFiltered(filters)).toBe(true);
  expect(isFiltered(read({ page: '2', pageSize: '7' }))).toBe(false);
});
