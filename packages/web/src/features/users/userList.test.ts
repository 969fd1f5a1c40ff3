import { expect, test } from 'vitest';
import { userList } from './users.queries.ts';

const { read, isFiltered } = userList;

test('returns the default list for an empty address', () => {
  const filters = read({});
  expect(filters).toEqual({
    text: '',
    role: [],
    state: [],
    mfa: undefined,
    sort: 'displayName',
    order: 'asc',
    page: 1,
    pageSize: 50,
  });
  expect(isFiltered(filters)).toBe(false);
});

test('parses every filter', () => {
  const filters = read({
    text: ' ruth ',
    role: 'Manager,partner analyst',
    state: 'deleted,invited',
    mfa: 'unset',
    sort: 'lastSignInAt',
    order: 'desc',
    page: '3',
    pageSize: '25',
  });
  expect(filters).toEqual({
    text: 'ruth',
    role: ['Manager', 'Partner Analyst'],
    state: ['invited', 'deleted'],
    mfa: 'unset',
    sort: 'lastSignInAt',
    order: 'desc',
    page: 3,
    pageSize: 25,
  });
  expect(isFiltered(filters)).toBe(true);
});

test('ignores invalid values', () => {
  const nonsense = { role: 'Root,<b>', state: 'gone', mfa: 'yes', sort: 'password', order: 'up', page: '-1', pageSize: '100000' };
  expect(read(nonsense)).toEqual(read({}));
});
