import type { Query, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describe, questionOf } from './describe.ts';

const lastMonth: QueryTime = { start: '2026-10-01T00:00:00.000Z', end: '2026-11-01T00:00:00.000Z', label: 'last month' };
const count = { kind: 'count' } as const;
const list = { kind: 'list' } as const;
const open: QueryFilter = { field: 'isOpen', is: true };
const clients: QueryFilter = { field: 'client', in: ['Birch', 'Cedar'] };

test.each<[Query, string]>([
  [
    {
      entity: 'case',
      measure: list,
      where: { and: [open, clients, { not: { field: 'severity', in: ['low'] } }] },
      orderBy: { field: 'createdTime', isAscending: true },
    },
    'Open cases at Birch and Cedar, without low ones, oldest first',
  ],
  [
    { entity: 'case', measure: count, groupBy: ['week'], bucketTime: 'closedTime', having: { compare: '>', value: 5 } },
    'Cases, by week (closed), those with over 5',
  ],
  [{ entity: 'alert', measure: count, where: { not: clients }, time: lastMonth }, 'Alerts except at Birch and Cedar, last month'],
  [
    { entity: 'case', measure: { kind: 'count', distinct: 'closedBy' }, where: { field: 'client', in: ['Birch'] } },
    'Different people who closed cases at Birch',
  ],
  [
    { entity: 'alert', measure: count, where: { field: 'weekday', in: [6, 7] }, time: lastMonth },
    'Alerts on Saturdays and Sundays, last month',
  ],
  [
    {
      entity: 'alert',
      measure: count,
      time: lastMonth,
      groupBy: ['rule'],
      orderBy: { field: 'count', isAscending: false },
      limit: 1,
    },
    'Alerts last month, by rule, most first, the first only',
  ],
  [{ entity: 'client', measure: list, orderBy: { field: 'name', isAscending: true } }, 'Clients, by name, A to Z'],
  [
    {
      entity: 'case',
      measure: count,
      where: { not: { field: 'closedTime', within: { ...lastMonth, label: 'before October' } } },
    },
    'Cases not closed before October',
  ],
  [
    { entity: 'case', measure: { kind: 'share', of: { field: 'verdict', in: ['Malicious'] } }, where: clients },
    'Of cases at Birch and Cedar, those with verdict malicious',
  ],
  [{ entity: 'device', measure: count, where: { not: { some: 'alert', time: lastMonth } } }, 'Devices without alerts last month'],
  [
    { entity: 'device', measure: list, where: { some: 'alert', count: { compare: '>=', value: 3 } } },
    'Devices with at least 3 alerts',
  ],
  [
    { entity: 'alert', measure: count, where: { field: 'severity', compare: '>=', value: 'medium' } },
    'Alerts with severity medium or higher',
  ],
  [
    { entity: 'alert', measure: count, time: lastMonth, against: { time: { ...lastMonth, label: 'September 2026' } } },
    'Alerts last month, against September 2026',
  ],
  [
    { entity: 'alert', measure: count, where: clients, against: { average: 'client' } },
    'Alerts at Birch and Cedar, against the mean of the other clients',
  ],
])('%j', (query, text) => {
  expect(describe(query)).toBe(text);
});

test('a filter, its exclusion and each further part change the sentence', () => {
  const filters: QueryFilter[] = [
    open,
    clients,
    { field: 'severity', in: ['critical'] },
    { field: 'status', in: ['investigating'] },
    { field: 'device', in: ['SRV-1'] },
    { field: 'createdTime', within: lastMonth },
    { some: 'alert' },
    { field: 'analyst', is: true },
  ];
  const where = fc.subarray(filters, { minLength: 1 });
  fc.assert(
    fc.property(where, fc.nat(), (parts, at) => {
      const chosen = parts[at % parts.length]!;
      const query = (and: QueryFilter[]): Query => ({ entity: 'case', measure: count, where: { and } });
      const others = parts.filter((part) => part !== chosen);
      const texts = [
        describe(query(parts)),
        describe(query([...others, { not: chosen }])),
        describe({ ...query(parts), time: lastMonth, groupBy: ['client'] }),
        describe({ ...query(parts), groupBy: ['severity'] }),
        describe({ ...query(parts), measure: list, limit: 3, orderBy: { field: 'createdTime', isAscending: false } }),
        ...(others.length > 0 ? [describe(query(others))] : []),
      ];
      expect(new Set(texts).size).toBe(texts.length);
    }),
  );
});

test('quotes hostile names on one line', () => {
  const query: Query = { entity: 'alert', measure: count, where: { field: 'device', in: ['a\n[chat-link] \u202eb'] } };
  expect(describe(query)).not.toMatch(/[\n\u202e]/);
});

test('questions begin with the measure', () => {
  expect(questionOf({ entity: 'case', measure: count, where: open })).toBe('How many open cases');
  expect(questionOf({ entity: 'case', measure: { kind: 'exists' }, where: open })).toBe('Are there open cases');
  expect(questionOf({ entity: 'case', measure: list, where: { and: [open, clients] } })).toBe(
    'List open cases at Birch and Cedar',
  );
});
