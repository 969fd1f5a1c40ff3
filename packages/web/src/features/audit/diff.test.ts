import { expect, test } from 'vitest';
import { differencesOf, read } from './diff.ts';

test('lists only differing fields by path', () => {
  const before = { name: 'Alder', address: { city: 'Bonn', zip: '1' }, tags: ['a', 'b'], same: { deep: [1] } };
  const after = { name: 'Alder Ltd', address: { city: 'Bonn' }, tags: ['a', 'c', 'd'], same: { deep: [1] }, note: null };
  expect(differencesOf(before, after)).toEqual([
    { field: 'name', kind: 'changed', before: 'Alder', after: 'Alder Ltd' },
    { field: 'address.zip', kind: 'removed', before: '1', after: '' },
    { field: 'tags[1]', kind: 'changed', before: 'b', after: 'c' },
    { field: 'tags[2]', kind: 'added', before: '', after: 'd' },
    { field: 'note', kind: 'added', before: '', after: 'null' },
  ]);
});

test('lists added and removed objects field by field', () => {
  expect(differencesOf(undefined, { a: 1, b: { c: true } })).toEqual([
    { field: 'a', kind: 'added', before: '', after: '1' },
    { field: 'b.c', kind: 'added', before: '', after: 'true' },
  ]);
  expect(differencesOf({ a: 1 }, undefined)).toEqual([{ field: 'a', kind: 'removed', before: '1', after: '' }]);
  expect(differencesOf(undefined, undefined)).toEqual([]);
});

test('treats hostile names and shapes like any other field', () => {
  const before = JSON.parse('{"__proto__":{"x":1},"a":[1]}');
  const after = JSON.parse('{"__proto__":{"x":2},"a":{"0":1}}');
  expect(differencesOf(before, after)).toEqual([
    { field: '__proto__.x', kind: 'changed', before: '1', after: '2' },
    { field: 'a', kind: 'changed', before: '[1]', after: '{"0":1}' },
  ]);
});

test('stops at 500 differences', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, index]));
  expect(differencesOf({}, many)).toHaveLength(500);
});

test('returns truncated JSON as text', () => {
  expect(read('{"a":1}')).toEqual({ a: 1 });
  expect(read('{"a":')).toBe('{"a":');
  expect(read(null)).toBeUndefined();
});
