import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { decodeQuery, encodeQuery, invalidQueryText, maxQueryLength, queryParam, querySchema } from './query.ts';
import { type Query, type QueryFilter, queryEntities, queryLimits } from './rules/query.ts';

const lastMonth = { start: '2026-10-01T00:00:00Z', end: '2026-11-01T00:00:00Z', label: 'last month' };
const full: Query = {
  entity: 'case',
  measure: { kind: 'share', of: { field: 'isOpen', is: true } },
  where: {
    and: [
      { or: [{ field: 'client', in: ['Birch', 'Ceðar 木'] }, { not: { field: 'severity', compare: '<=', value: 'low' } }] },
      { field: 'closedTime', within: lastMonth },
      { field: 'title', contains: 'ssh' },
      { field: 'score', compare: '>', value: 1, isOfAverage: true },
      { some: 'alert', where: { field: 'rule', in: ['x'] }, time: lastMonth, count: { compare: '>', value: 3 } },
    ],
  },
  time: lastMonth,
  groupBy: ['client', 'weekday'],
  orderBy: { field: 'createdTime', isAscending: true },
  limit: 5,
  show: ['analyst'],
  against: { time: lastMonth, where: { field: 'client', in: ['Alder'] }, average: 'client' },
  timeZone: 'Europe/Berlin',
};
const perDay: Query = { entity: 'alert', measure: { kind: 'count', per: 'day' }, time: lastMonth };
const simple: Query = { entity: 'alert', measure: { kind: 'list' } };
const textOf = (json: unknown) => encodeQuery(json as Query);
const nested = (depth: number): QueryFilter => (depth === 1 ? { field: 'x', is: true } : { not: nested(depth - 1) });

describe('encodeQuery and decodeQuery', () => {
  test('return every part of a query', () => {
    expect(decodeQuery(encodeQuery(full))).toStrictEqual(full);
    expect(decodeQuery(encodeQuery(perDay))).toStrictEqual(perDay);
    expect(encodeQuery(full)).toMatch(/^[\w-]+$/);
  });

  test('return texts of any alphabet unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), (contains) => {
        const query = { ...simple, where: { field: 'title', contains } };
        expect(decodeQuery(encodeQuery(query))).toStrictEqual(query);
      }),
    );
  });

  test('return the zone of a viewer known by its offset', () => {
    for (const timeZone of ['+02:00', '-03:30', '+14:00'])
      expect(decodeQuery(encodeQuery({ ...simple, timeZone }))).toStrictEqual({ ...simple, timeZone });
  });

  test('accept every entity', () => {
    for (const entity of queryEntities) expect(decodeQuery(encodeQuery({ ...simple, entity }))?.entity).toBe(entity);
  });

  test('refuse texts beyond the limit', () => {
    const where = (length: number) => ({ or: Array.from({ length }, () => ({ field: 'title', contains: 'abcdefghijkl' })) });
    expect(decodeQuery(encodeQuery({ ...simple, where: where(20) }))).toBeDefined();
    const long = encodeQuery({ ...simple, where: where(40) });
    expect(long.length).toBeGreaterThan(maxQueryLength);
    expect(decodeQuery(long)).toBeUndefined();
  });

  test('refuse filters that are nested too deep, wherever they stand', () => {
    const filterAt = (filter: QueryFilter): Query[] => [
      { ...simple, where: filter },
      { ...simple, measure: { kind: 'share', of: filter } },
      { ...simple, against: { where: filter } },
    ];
    for (const query of filterAt(nested(queryLimits.depth))) expect(decodeQuery(encodeQuery(query))).toStrictEqual(query);
    for (const query of filterAt(nested(queryLimits.depth + 1))) expect(decodeQuery(encodeQuery(query))).toBeUndefined();
    const related: QueryFilter = { some: 'alert', where: nested(queryLimits.depth - 1) };
    expect(decodeQuery(encodeQuery({ ...simple, where: related }))).toBeDefined();
    expect(decodeQuery(encodeQuery({ ...simple, where: { and: [related] } }))).toBeUndefined();
  });

  test.each([
    ['no base64url', 'eyJ+'],
    ['empty', ''],
    ['a torn text', encodeQuery(full).slice(0, -9)],
    ['no JSON', btoa('{"entity":').replace(/=+$/, '')],
    ['broken UTF-8', btoa('{"entity":"al\xff"}').replace(/=+$/, '')],
    ['null', textOf(null)],
    ['a number', textOf(7)],
    ['a list', textOf([simple])],
    ['an unknown entity', textOf({ ...simple, entity: 'password' })],
    ['an unknown part', textOf({ ...simple, sql: 'select 1' })],
    ['an unknown part of a filter', textOf({ ...simple, where: { field: 'x', is: true, not: { field: 'y', is: true } } })],
    ['a field that is no name', textOf({ ...simple, where: { field: 'x"; drop table alerts', is: true } })],
    ['a field of the prototype', textOf({ ...simple, where: { field: '__proto__', is: true } })],
    ['an object as a value', textOf({ ...simple, where: { field: 'x', in: [{ a: 1 }] } })],
    ['no values', textOf({ ...simple, where: { field: 'x', in: [] } })],
    ['an unknown comparison', textOf({ ...simple, where: { field: 'x', compare: '<>', value: 1 } })],
    ['a time that ends before it starts', textOf({ ...simple, time: { ...lastMonth, end: lastMonth.start } })],
    ['a time that is none', textOf({ ...simple, time: { ...lastMonth, start: 'now' } })],
    ['a limit of 0', textOf({ ...simple, limit: 0 })],
    ['an unknown zone', textOf({ ...simple, timeZone: 'Mars/Olympus' })],
    ['an offset that no zone has', textOf({ ...simple, timeZone: '+15:00' })],
    ['an own prototype', btoa('{"__proto__":{"entity":"alert"},"measure":{"kind":"list"}}').replace(/=+$/, '')],
  ])('refuse %s', (_, text) => expect(decodeQuery(text)).toBeUndefined());
});

describe('querySchema', () => {
  test('limits filters beside one another', () => {
    const or = (length: number) => ({ ...simple, where: { or: Array.from({ length }, () => ({ field: 'x', is: true })) } });
    expect(querySchema.safeParse(or(50)).success).toBe(true);
    expect(querySchema.safeParse(or(51)).success).toBe(false);
  });
});

describe('queryParam', () => {
  const input = z.object({ query: queryParam('alert') });

  test('returns the query of its entity, or none', () => {
    expect(input.parse({ query: encodeQuery(simple) })).toStrictEqual({ query: simple });
    expect(input.parse({}).query).toBeUndefined();
  });

  test.each([
    ['another entity', encodeQuery({ ...simple, entity: 'case' })],
    ['a damaged text', 'x'],
    ['an empty text', ''],
  ])('refuses %s with a next step', (_, query) => {
    const { error } = input.safeParse({ query });
    expect(error?.issues.map(({ path, message }) => [path, message])).toStrictEqual([[['query'], invalidQueryText]]);
  });
});
