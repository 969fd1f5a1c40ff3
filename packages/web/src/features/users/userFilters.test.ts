import { expect, test } from 'vitest';
import { isFiltered, userFiltersIn } from './userFilters.ts';

test('an empty address is the default list', () => {
  const filters = userFiltersIn({});
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

test('everything that can be said', () => {
  const filters = userFiltersIn({
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

test('nonsense is as if not there', () => {
  const nonsense = { role: 'Root,<b>', state: 'gone', mfa: 'yes', sort: 'password', order: 'up', page: '-1', pageSize: '100000' };
  expect(userFiltersIn(nonsense)).toEqual(userFiltersIn({}));
});
