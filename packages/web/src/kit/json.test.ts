import { describe, expect, it } from 'vitest';
import { fieldName, linesOf, openDepth, rangesOf, search, valueAt } from './json.ts';

const event = {
  '@timestamp': '2026-07-01T00:00:00Z',
  event: { code: '4625', tags: ['a', 'b'], empty: {} },
  'dotted.key': { 'with/slash': null, 'with~tilde': 7 },
};
const all = () => false;

describe('a document becomes lines', () => {
  it('returns lines in order, with depth and size', () => {
    expect(linesOf(event, all).map((line) => `${' '.repeat(line.depth)}${line.name}:${line.text || line.size}`)).toEqual([
      '@timestamp:2026-07-01T00:00:00Z',
      'dotted.key:2',
      ' with/slash:null',
      ' with~tilde:7',
      'event:3',
      ' code:4625',
      ' empty:0',
      ' tags:2',
      '  0:a',
      '  1:b',
    ]);
  });
  it('skips children of closed containers', () => {
    expect(linesOf(event, (path) => path === '/event').map((line) => line.name)).toEqual([
      '@timestamp',
      'dotted.key',
      'with/slash',
      'with~tilde',
      'event',
    ]);
  });
  it.each([[null], [undefined], ['text'], [7], [[]], [{}]])('%j has no lines and no harm', (value) => {
    expect(linesOf(value, all)).toEqual([]);
  });
  it('stands a document nested beyond reason', () => {
    let deep: unknown = 'end';
    for (let i = 0; i < 5000; i++) deep = { deep };
    expect(linesOf(deep, all).length).toBeLessThan(100);
  });
  it('a key named __proto__ is only a key', () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":true},"constructor":"x"}');
    expect(linesOf(hostile, all).map((line) => line.path)).toEqual(['/__proto__', '/__proto__/polluted', '/constructor']);
    expect(valueAt(hostile, '/__proto__/polluted')).toBe(true);
    expect(valueAt({}, '/toString')).toBe(undefined);
  });
});

it.each([
  [{ a: 1 }, 10, 0],
  [event, 100, 2],
  [event, 8, 1],
  [event, 3, 0],
  [Object.fromEntries(Array.from({ length: 500 }, (_, i) => [i, { v: 1 }])), 150, 0],
])('opens as deep as lines allow', (document, most, depth) => expect(openDepth(document, most)).toBe(depth));

it('a pointer reads like a field and finds its value', () => {
  expect(fieldName('/event/tags/1')).toBe('event.tags[1]');
  expect(fieldName('/dotted.key/with~1slash')).toBe('dotted.key.with/slash');
  expect(valueAt(event, '/dotted.key/with~0tilde')).toBe(7);
  expect(valueAt(event, '/event/tags/1')).toBe('b');
});

describe('search', () => {
  it('finds keys, values and dotted names, and opens the way to them', () => {
    expect(search(event, 'CODE').hits).toEqual(['/event/code']);
    expect(search(event, 'b').hits).toEqual(['/event/tags/1']);
    expect(search(event, 'event.tags').hits).toEqual(['/event/tags', '/event/tags/0', '/event/tags/1']);
    expect([...search(event, '4625').open]).toEqual(['/event']);
    expect([...search({ a: { b: { c: 'x' } } }, 'x').open]).toEqual(['/a/b', '/a']);
    expect(search(event, '  ').hits).toEqual([]);
  });
  it('marks places without regard to case', () => {
    expect(rangesOf('PowerShell powershell', 'SHELL')).toEqual([
      [5, 10],
      [16, 21],
    ]);
    expect(rangesOf('İstanbul', 'stan')).toEqual([]);
    expect(rangesOf('aaaa', '')).toEqual([]);
  });
});
