import { expect, test } from 'vitest';
import { accessList } from './client-access-log.queries.ts';

const { read, isFiltered } = accessList;

test('parses the address of the access log', () => {
  expect(read({})).toEqual({ person: [], reason: [], view: [], page: 1, pageSize: 50 });
  const filters = read({ person: '7,0,x', reason: 'none,TRIAGE,secret', view: 'users,all' });
  expect(filters).toMatchObject({ person: [7], reason: ['triage', 'none'], view: ['users'] });
  expect(isFiltered(filters)).toBe(true);
});
