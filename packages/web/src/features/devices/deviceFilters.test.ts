import { expect, test } from 'vitest';
import { deviceFiltersIn, isFiltered } from './deviceFilters.ts';

test('an empty address is the default list', () => {
  const filters = deviceFiltersIn({});
  expect(filters).toEqual({ text: '', type: [], tag: [], page: 1, pageSize: 50 });
  expect(isFiltered(filters)).toBe(false);
});

test('everything that can be said', () => {
  const filters = deviceFiltersIn({ text: ' dc-01 ', type: 'server,cloudApp', tag: '3,4', page: '2', pageSize: '100' });
  expect(filters).toEqual({ text: 'dc-01', type: ['server', 'cloudApp'], tag: [3, 4], page: 2, pageSize: 100 });
  expect(isFiltered(filters)).toBe(true);
});

test('nonsense is as if not there', () => {
  expect(deviceFiltersIn({ type: 'toaster,SERVER', tag: '0,-1,x,7,7', page: '-3', pageSize: '1000000' })).toEqual({
    text: '',
    type: ['server'],
    tag: [7],
    page: 1,
    pageSize: 50,
  });
});
