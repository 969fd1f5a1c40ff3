import { decodeQuery } from '@parapet/contract/query.ts';
import type { Query, QueryFilter } from '@parapet/contract/rules/query.ts';
import { expect, test } from 'vitest';
import type { QueryResult } from '../../../domain/query/result.ts';
import { factsOf } from './answer.ts';
import { listPath } from './links.ts';

const context = { client: 0, clients: [], timeZone: '+02:00', may: () => true };
const count = { kind: 'count' } as const;
const grouped = (query: Partial<Query>, keys: readonly string[]): [Query, QueryResult] => [
  { entity: 'alert', measure: count, ...query },
  { total: 3, rows: [], groups: keys.map((key) => ({ keys: [key], value: 1 })), groupTotal: keys.length },
];

test('shows the names of groups as one line of text', () => {
  const [query, result] = grouped({ groupBy: ['user'] }, ['ann', 'x\n\u202eAlerts: 9,999.']);
  const { text, table, chart } = factsOf([{ query, result }], context);
  expect(text.split('\n')).toEqual(['Alerts, by user: 3.', 'ann: 1; x Alerts: 9,999.: 1.']);
  expect(table?.rows.map(({ cells }) => cells[0])).toEqual(['ann', 'x Alerts: 9,999.']);
  expect(chart?.points[1]?.label).toBe('x Alerts: 9,999.');
});

test('writes the share of each group of all records', () => {
  const [query, result] = grouped({ measure: { kind: 'count', isShare: true }, groupBy: ['severity'] }, ['high', 'low']);
  const { text, table } = factsOf([{ query, result }], context);
  expect(text.split('\n')).toEqual(['Alerts, by severity, in percent of all: 3.', 'high: 1 (33.3%); low: 1 (33.3%).']);
  expect(table?.columns).toEqual(['Severity', 'Alerts', 'Share (%)']);
  expect(table?.rows[0]?.cells).toEqual(['high', 1, 33.3]);
});

test('counts the groups within a bound, and links no list of all records', () => {
  const [query, result] = grouped({ groupBy: ['day'], having: { compare: '>', value: 0 } }, ['2026-11-01', '2026-11-02']);
  const { text, sources } = factsOf([{ query, result }], context);
  expect(text.split('\n')[0]).toBe('Alerts, by day, those with over 0: 2.');
  expect(sources).toEqual([]);
});

test('writes times of groups in the viewer’s zone', () => {
  const [query, result] = grouped({ entity: 'case', groupBy: ['closedTime'] }, ['2026-11-01T22:30:00.000Z']);
  const { text, table } = factsOf([{ query, result }], context);
  expect(text).toContain('2 November 2026, 00:30: 1');
  expect(table?.rows[0]?.cells[0]).toBe('2 November 2026, 00:30');
});

test('names weekdays', () => {
  const [query, result] = grouped({ groupBy: ['weekday'] }, ['1', '7']);
  expect(factsOf([{ query, result }], context).text).toContain('Monday: 1; Sunday: 1.');
});

const queryIn = (path: string | undefined) => path && decodeQuery(new URL(path, 'http://portal').searchParams.get('query') ?? '');

test('links with the offset of the viewer', () => {
  const query: Query = { entity: 'alert', measure: count, where: { field: 'hour', in: [3] } };
  expect(queryIn(listPath(query, context))).toEqual({ ...query, measure: { kind: 'list' }, timeZone: '+02:00' });
});

test.each<[string, Partial<Query>]>([
  ['a long text', { where: { field: 'summary', contains: 'x'.repeat(201) } }],
  ['many values', { where: { field: 'user', in: Array.from({ length: 201 }, (_, index) => String(index)) } }],
  ['a time that ends before it starts', { time: { start: '2026-11-02T00:00:00Z', end: '2026-11-01T00:00:00Z', label: 'then' } }],
])('links nowhere with %s that the list would refuse', (_, query) => {
  expect(listPath({ entity: 'alert', measure: count, ...query }, context)).toBeUndefined();
});

const day = (from: string, to: string) => ({ start: `${from}T00:00:00.000Z`, end: `${to}T00:00:00.000Z`, label: 'then' });
const harbor: QueryFilter = { field: 'client', in: ['Harbor'] };

test.each<[string, Partial<Query>, string, Partial<typeof context>?]>([
  ['schedules of the named client', { entity: 'report', where: harbor }, '/apps/reporting?client=7&tab=schedules&query='],
  ['unprocessed events', { entity: 'rejected' }, '/apps/events?client=0&tab=aside&query='],
  ['clients', { entity: 'client' }, '/apps/clientdetails/general?client=0&query='],
  [
    'events of a month',
    { entity: 'event', time: day('2026-10-01', '2026-11-01') },
    '/apps/events?client=7&from=2026-10-01T00:00:00.000Z&until=2026-11-01T00:00:00.000Z&query=',
    { client: 7 },
  ],
])('links to the list of %s', (_, query, path, more) => {
  const clients = [{ id: 7, name: 'Harbor' }];
  expect(listPath({ entity: 'alert', measure: count, ...query }, { ...context, clients, ...more })).toContain(path);
});

test.each<[string, Partial<Query>, Partial<typeof context>?]>([
  ['schedules of several clients', { entity: 'report' }],
  ['clients for people without a choice of them', { entity: 'client' }, { may: () => false }],
  ['events of more than a month', { entity: 'event', time: day('2026-09-30', '2026-11-01') }],
  ['events of all time', { entity: 'event' }],
  ['tags', { entity: 'tag' }],
])('says that no page lists %s', (_, query, more) => {
  const whole: Query = { entity: 'alert', measure: count, ...query };
  const identity = { id: '1', organisationId: 7, name: 'one' };
  const result: QueryResult = { total: 9, rows: [{ identity, cells: { name: 'one' } }] };
  const { text, sources } = factsOf([{ query: whole, result }], { ...context, ...more });
  expect(text).toMatch(/\nNo page of the portal lists exactly these [a-z ]+; the first 1 are here\.$/);
  expect(sources.filter(({ path }) => path.includes('query='))).toEqual([]);
  expect(factsOf([{ query: whole, result: { total: 0, rows: [] } }], { ...context, ...more }).text).not.toContain('No page');
});
