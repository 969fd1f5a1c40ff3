/** One form of the queries that have the same rows. */
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import { expect, test } from 'vitest';
import { schemas } from '../../../domain/query/schemas.ts';
import { canonicalFilter, canonicalQuery, withoutImplied } from './canonical.ts';

const filter = (entity: QueryEntity, input: QueryFilter) => canonicalFilter(input, entity, schemas);
const query = (input: Query) => canonicalQuery(input, schemas);
const time = { start: '2026-10-01T00:00:00Z', end: '2026-11-01T00:00:00Z', label: 'October' };

test.each<[string, QueryEntity, QueryFilter, QueryFilter]>([
  ['what is there is its flag', 'mail', { field: 'sentAt', is: true }, { field: 'state', in: ['sent'] }],
  ['what is absent is the flag denied', 'case', { field: 'closedTime', is: false }, { field: 'isOpen', is: true }],
  ['a value is its flag', 'case', { field: 'sla', in: ['breached'] }, { field: 'isBreached', is: true }],
  [
    'a denied value is the other one',
    'vulnerability',
    { not: { field: 'state', in: ['fixed'] } },
    { field: 'state', in: ['open'] },
  ],
  ['a denied value is its flag denied', 'case', { not: { field: 'status', in: ['closed'] } }, { field: 'isOpen', is: true }],
  ['related records are a flag', 'alert', { not: { some: 'case' } }, { field: 'hasCase', is: false }],
  ['at least one related record is any', 'rule', { some: 'alert', count: { compare: '>=', value: 1 } }, { some: 'alert' }],
  ['no related record is none', 'rule', { some: 'alert', count: { compare: '=', value: 0 } }, { not: { some: 'alert' } }],
  [
    'counted alerts are their number',
    'case',
    { some: 'alert', count: { compare: '>', value: 20 } },
    { field: 'alertCount', compare: '>', value: 20 },
  ],
  [
    'an attribute of the device is one of the record',
    'alert',
    { some: 'device', where: { field: 'type', in: ['server'] } },
    { field: 'deviceType', in: ['server'] },
  ],
  [
    'not above is at most',
    'suppression',
    { not: { field: 'hidden', compare: '>', value: 5 } },
    { field: 'hidden', compare: '<=', value: 5 },
  ],
  [
    'at least one is above none',
    'collector',
    { field: 'dropped', compare: '>=', value: 1 },
    { field: 'dropped', compare: '>', value: 0 },
  ],
  ['shares are not whole', 'vulnerability', { field: 'epss', compare: '<', value: 1 }, { field: 'epss', compare: '<', value: 1 }],
  [
    'counted alerts of a time stay',
    'case',
    { some: 'alert', time, count: { compare: '>', value: 20 } },
    { some: 'alert', time, count: { compare: '>', value: 20 } },
  ],
])('has one form: %s', (_, entity, input, expected) => expect(filter(entity, input)).toEqual(expected));

test('keeps its form', () => {
  const input: QueryFilter = { and: [{ not: { field: 'status', in: ['closed'] } }, { not: { some: 'review' } }] };
  expect(filter('case', filter('case', input))).toEqual(filter('case', input));
});

test('groups related records that are counted', () => {
  const orderBy = { field: 'count', isAscending: false };
  const devices: Query = { entity: 'device', measure: { kind: 'list' }, where: { some: 'alert', time }, orderBy, limit: 5 };
  expect(query(devices)).toEqual({ entity: 'alert', measure: { kind: 'count' }, time, groupBy: ['device'], limit: 5 });
});

test('omits what a list begins with, and nothing else', () => {
  const open: QueryFilter = { field: 'state', in: ['open'] };
  const list: Query = { entity: 'vulnerability', measure: { kind: 'list' }, where: open };
  expect(query(list).where).toBeUndefined();
  const share: Query = { ...list, measure: { kind: 'share', of: { field: 'state', in: ['fixed'] } } };
  expect(query(share).where).toEqual(open);
});

test('orders by the beginning in place of the length', () => {
  const list: Query = { entity: 'case', measure: { kind: 'list' }, orderBy: { field: 'age', isAscending: false } };
  expect(query(list).orderBy).toEqual({ field: 'createdTime', isAscending: true });
});

test('omits what another condition implies', () => {
  const [closed, at] = ['{"field":"isOpen","is":false}', '{"field":"closedTime","within":"T"}'];
  expect(withoutImplied([closed, at], 'case')).toEqual([at]);
  expect(withoutImplied([closed], 'case')).toEqual([closed]);
  expect(withoutImplied([closed, at], 'review')).toEqual([closed, at]);
});
