import { decodeQuery } from '@parapet/contract/query.ts';
import type { Query } from '@parapet/contract/rules/query.ts';
import { expect, test } from 'vitest';
import type { QueryResult } from '../../../domain/query/result.ts';
import { factsOf } from './answer.ts';
import { listPath } from './links.ts';

const context = { client: 0, clients: [], timeZone: '+02:00' };
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
