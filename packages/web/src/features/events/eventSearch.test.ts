import { eventsApi } from '@parapet/contract/events.ts';
import { expect, test } from 'vitest';
import type { Search } from '../../lib/address.ts';
import { countsOf } from './eventCounts.ts';
import {
  aroundOf,
  barsOf,
  conditionOf,
  errorOfSearch,
  eventList,
  eventSearchOf,
  faultOfField,
  isOverAge,
  rangeOf,
  rangeOfBar,
  textsOf,
  unmatchedText,
} from './eventSearch.ts';

const eventSearchIn = (search: Search) => eventSearchOf(eventList.read(search));
const isFiltered = (search: Search) => eventList.isFiltered(eventList.read(search));

test('parses a search from the address', () => {
  expect(eventSearchIn({})).toEqual({
    search: '',
    text: '',
    device: '',
    user: '',
    field: [],
    by: 'happened',
    order: 'newest',
    narrowed: undefined,
    after: undefined,
  });
  expect(isFiltered({ by: 'arrived' })).toBe(true);
  expect(isFiltered({})).toBe(false);
  const address = {
    text: ' whoami ',
    device: 'WS-01',
    field: 'source.ip=203.0.113.5,process.args=a, b,process.name:power,source.ip=203.0.113.5,a.b=',
    from: '2026-11-01T10:00:00Z',
    until: '2026-11-01T13:00:00+02:00',
    before: '2026-11-01T10:30:00.123Z',
    beforeID: '01234567-89ab-cdef-0123-456789abcdef',
  };
  const found = eventSearchIn(address);
  expect(found).toEqual({
    search: '',
    text: 'whoami',
    device: 'WS-01',
    user: '',
    field: ['source.ip=203.0.113.5', 'process.args=a, b', 'process.name:power'],
    by: 'happened',
    order: 'newest',
    narrowed: { start: '2026-11-01T10:00:00.000Z', end: '2026-11-01T11:00:00.000Z' },
    after: { before: '2026-11-01T10:30:00.123Z', beforeID: '01234567-89ab-cdef-0123-456789abcdef' },
  });
  expect(eventSearchIn({ before: '2026-11-01T10:30:00Z', beforeID: 'x' }).after).toEqual({ before: '2026-11-01T10:30:00.000Z' });
  expect(eventSearchIn({ beforeID: '01234567-89ab-cdef-0123-456789abcdef' }).after).toBeUndefined();
  expect(isFiltered(address)).toBe(true);
});

test('builds page positions that the contract accepts', () => {
  const { after } = eventSearchIn({ before: '2026-11-01T10:30:00Z', beforeID: 'b4be3288-a3e3-c65b-92bc-4cecc16045ac' });
  expect(eventsApi.search.query.safeParse(after)).toMatchObject({ success: true, data: after });
});

test.each([
  [{ from: '2026-11-02T00:00:00Z', until: '2026-11-01T00:00:00Z' }],
  [{ from: 'yesterday', until: '2026-11-01T00:00:00Z' }],
  [{ from: '2026-11-01T00:00:00Z' }],
  [{ from: '1', until: '2' }],
])('a time that makes no sense narrows nothing: %j', (search) => {
  expect(eventSearchIn(search).narrowed).toBeUndefined();
});

test('detects timeframes older than the retention', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const range = { start: '2026-10-22T12:00:00.000Z', end: '2026-11-01T00:00:00.000Z' };
  expect(isOverAge(range, 30, now)).toBe(false);
  expect(isOverAge({ ...range, start: '2026-10-22T11:59:59.999Z' }, 30, now)).toBe(true);
  expect(isOverAge(range, 7, now)).toBe(true);
});

test('limits searches to the newest 31 days', () => {
  const year = { start: '2025-11-21T00:00:00.000Z', end: '2026-11-21T00:00:00.000Z' };
  expect(rangeOf(year, undefined)).toEqual({ start: '2026-10-21T00:00:00.000Z', end: year.end, isCut: true });
  const day = { start: '2026-01-01T00:00:00.000Z', end: '2026-01-02T00:00:00.000Z' };
  expect(rangeOf(year, day)).toEqual({ ...day, isCut: false });
  const month = { start: '2026-10-01T00:00:00.000Z', end: '2026-11-01T00:00:00.000Z' };
  expect(rangeOf(month, undefined)).toEqual({ ...month, isCut: false });
});

test.each([
  ['source.ip=203.0.113.5', true],
  ['message:a = b', true],
  ['no filter', false],
  ['=x', false],
  ['a=', false],
  ['a=b,c', true],
  ['a=b,c=d', false],
])('%j is a filter: %s', (text, isOne) => {
  expect(faultOfField(text) === undefined).toBe(isOne);
});

test.each<[string, unknown, { field: string; value: string } | undefined]>([
  ['/source/ip', '203.0.113.5', { field: 'source.ip', value: '203.0.113.5' }],
  ['/event/code', 4625, { field: 'event.code', value: '4625' }],
  ['/is/it', false, { field: 'is.it', value: 'false' }],
  ['/answers/0/data', 'a.example', { field: 'answers.data', value: 'a.example' }],
  ['/host/ip/1', '10.0.0.1', { field: 'host.ip', value: '10.0.0.1' }],
  ['/message', ' ', undefined],
  ['/message', null, undefined],
])('builds the condition for %s %j', (path, value, condition) => {
  expect(conditionOf(path, value, true)).toEqual(condition && { ...condition, isExcluded: true });
});

test('shows columns of the address, and the texts of their fields', () => {
  expect(eventList.read({ columns: 'event.code,source.ip,event.code,a b' }).columns).toEqual(['event.code', 'source.ip']);
  const row = {
    id: '1',
    clientOrganizationID: 1,
    clientOrganizationName: 'Alder',
    at: '2026-11-01T10:00:00.000Z',
    receivedAt: '2026-11-01T10:00:00.000Z',
    clockSkew: 'none' as const,
    shape: 'ecs',
    deviceName: 'ws-01',
    userName: null,
    text: 'signed in',
    document: { event: { code: 4624 }, source: { ip: ['10.0.0.1', '10.0.0.2'] } },
  };
  expect(['event.code', 'source.ip', 'absent', 'device'].map((field) => textsOf(row, field))).toEqual([
    ['4624'],
    ['10.0.0.1', '10.0.0.2'],
    [],
    ['ws-01'],
  ]);
  expect(aroundOf(row, 5)).toMatchObject({
    device: 'ws-01',
    search: undefined,
    from: '2026-11-01T09:55:00.000Z',
    until: '2026-11-01T10:05:00.000Z',
  });
});

test('includes empty bars within the range only', () => {
  const range = { start: '2026-11-01T10:20:00.000Z', end: '2026-11-01T14:10:00.000Z' };
  const bars = barsOf(
    {
      bucketMinutes: 60,
      bars: [
        { at: '2026-11-01T11:00:00.000Z', count: 3 },
        { at: '2026-11-01T13:00:00.000Z', count: 1 },
      ],
    },
    range,
    'UTC',
  );
  expect(bars.map(({ key, values }) => [key.slice(11, 16), values[0]])).toEqual([
    ['10:00', 0],
    ['11:00', 3],
    ['12:00', 0],
    ['13:00', 1],
    ['14:00', 0],
  ]);
  expect(bars[1]?.label).toBe('11:00');
  expect(rangeOfBar(bars[0]!.key, 60, range)).toEqual({ start: range.start, end: '2026-11-01T11:00:00.000Z' });
  expect(rangeOfBar(bars[4]!.key, 60, range)).toEqual({ start: '2026-11-01T14:00:00.000Z', end: range.end });
});

test('returns no bars without events, and at most 1,000', () => {
  const range = { start: '2000-01-01T00:00:00.000Z', end: '2026-11-01T00:00:00.000Z' };
  expect(barsOf({ bucketMinutes: 60, bars: [] }, range, 'UTC')).toEqual([]);
  expect(barsOf({ bucketMinutes: 1, bars: [{ at: range.start, count: 1 }] }, range, 'UTC')).toHaveLength(1000);
});

test('names the rejected character of a search, and searches nothing else for an address with one', () => {
  expect(errorOfSearch('user: (a or')).toMatchObject({ at: 11 });
  expect(errorOfSearch('user: (a or b)')).toBeUndefined();
  expect(eventSearchIn({ search: 'user: (a or' }).search).toBe('');
  expect(eventSearchIn({ search: 'user: (a or b)' }).search).toBe('user: (a or b)');
});

test('names the conditions without a match', () => {
  expect(unmatchedText('a and b: c', [{ at: 6, length: 4 }])).toBe('No event in this time matches “b: c”. ');
  expect(unmatchedText('a', [])).toBe('');
});

test('adds up the counts of slices, of which two share a bar', () => {
  const slice = (total: number, bars: [string, number][], searchedTo: string | null) => ({
    keptDays: 30,
    bucketMinutes: 60,
    bars: bars.map(([at, count]) => ({ at: `2026-11-01T${at}:00:00.000Z`, count })),
    total,
    isAtLeast: searchedTo !== null,
    searchedTo,
    unmatched: [],
  });
  const slices = [
    slice(
      5,
      [
        ['11', 2],
        ['12', 3],
      ],
      '2026-11-01T11:30:00.000Z',
    ),
    slice(
      4,
      [
        ['10', 3],
        ['11', 1],
      ],
      null,
    ),
  ];
  expect(countsOf(slices)).toEqual({
    bucketMinutes: 60,
    total: 9,
    bars: [
      { at: '2026-11-01T10:00:00.000Z', count: 3 },
      { at: '2026-11-01T11:00:00.000Z', count: 3 },
      { at: '2026-11-01T12:00:00.000Z', count: 3 },
    ],
  });
});
