import { deviceStates } from '@parapet/contract/devices.ts';
import { expect, test } from 'vitest';
import { deviceFiltersIn, isFiltered, statesInOrder } from './deviceFilters.ts';

test('an empty address is the default list', () => {
  const filters = deviceFiltersIn({});
  expect(filters).toEqual({ text: '', type: [], state: [], tag: [], page: 1, pageSize: 50 });
  expect(isFiltered(filters)).toBe(false);
});

test('everything that can be said', () => {
  const filters = deviceFiltersIn({
    text: ' dc-01 ',
    type: 'server,cloudApp',
    state: 'silent,stale',
    tag: '3,4',
    page: '2',
    pageSize: '100',
  });
  expect(filters).toEqual({
    text: 'dc-01',
    type: ['server', 'cloudApp'],
    state: ['stale', 'silent'],
    tag: [3, 4],
    page: 2,
    pageSize: 100,
  });
  expect(isFiltered(filters)).toBe(true);
});

test('nonsense is as if not there', () => {
  expect(
    deviceFiltersIn({ type: 'toaster,SERVER', state: 'dead,Never', tag: '0,-1,x,7,7', page: '-3', pageSize: '1000000' }),
  ).toEqual({
    text: '',
    type: ['server'],
    state: ['never'],
    tag: [7],
    page: 1,
    pageSize: 50,
  });
});

test.each([
  ['text', 'a'],
  ['type', 'server'],
  ['state', 'never'],
  ['tag', '3'],
])('%s alone is a filter', (name, value) => {
  expect(isFiltered(deviceFiltersIn({ [name]: value }))).toBe(true);
});

test('every state has its place', () => {
  expect([...statesInOrder].sort()).toEqual([...deviceStates].sort());
});
