import { expect, test } from 'vitest';
import { listIn, numberIn, oneIn, parseSearch, stringifySearch } from './address.ts';

test('parses a query as plain texts', () => {
  expect(parseSearch('?page=2&text=123&on=true&severity=high,low&x=%7B%7D')).toEqual({
    page: '2',
    text: '123',
    on: 'true',
    severity: 'high,low',
    x: '{}',
  });
  expect(parseSearch('?a=1&a=2')).toEqual({ a: '1' });
  expect(parseSearch('')).toEqual({});
});

test('writes plain texts, without empty values', () => {
  expect(stringifySearch({ page: 2, severity: ['high', 'low'], none: undefined, empty: '' })).toBe('?page=2&severity=high,low');
  expect(stringifySearch({})).toBe('');
});

test('reads lists, numbers and words', () => {
  expect(listIn('a,,b')).toEqual(['a', 'b']);
  expect(listIn(undefined)).toEqual([]);
  expect([numberIn('7', 1), numberIn('0', 1), numberIn('-1', 1), numberIn('1e3', 1), numberIn(undefined, 5)]).toEqual([
    7, 1, 1, 1, 5,
  ]);
  expect(oneIn('asc', ['asc', 'desc'], 'desc')).toBe('asc');
  expect(oneIn('up', ['asc', 'desc'], 'desc')).toBe('desc');
});
