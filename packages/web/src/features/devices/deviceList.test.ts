import { deviceStates } from '@parapet/contract/devices.ts';
import { expect, test } from 'vitest';
import { deviceList, statesInOrder } from './devices.queries.ts';

const { read, isFiltered } = deviceList;

test('returns the default list for an empty address', () => {
  const filters = read({});
  expect(filters).toEqual({ text: '', type: [], state: [], tag: [], page: 1, pageSize: 50 });
  expect(isFiltered(filters)).toBe(false);
});

test('parses every filter', () => {
  const filters = read({
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

test('ignores invalid values', () => {
  expect(read({ type: 'toaster,SERVER', state: 'dead,Never', tag: '0,-1,x,7,7', page: '-3', pageSize: '1000000' })).toEqual({
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
])('counts %s as a filter', (name, value) => {
  expect(isFiltered(read({ [name]: value }))).toBe(true);
});

test('orders every state', () => {
  expect([...statesInOrder].sort()).toEqual([...deviceStates].sort());
});
