/** Conditions of a query one by one, as likely queries are learnt and composed of them. */
import type { Query, QueryFilter } from '@parapet/contract/rules/query.ts';
import { expect, test } from 'vitest';
import { schemas } from '../../../domain/query/schemas.ts';
import { conditionsOf, partsOfQuery } from './conditions.ts';

const time = { start: '2026-10-01T00:00:00Z', end: '2026-11-01T00:00:00Z', label: 'October' };

test.each<[string, QueryFilter, string[]]>([
  [
    'a list as one condition for each value',
    { field: 'severity', in: ['high', 'critical'] },
    ['{"field":"severity","in":["high"]}', '{"field":"severity","in":["critical"]}'],
  ],
  [
    'a comparison of severities as its values',
    { field: 'severity', compare: '>', value: 'medium' },
    ['{"field":"severity","in":["high"]}', '{"field":"severity","in":["critical"]}'],
  ],
  ['a denied flag as its opposite', { not: { field: 'isOpen', is: true } }, ['{"field":"isOpen","is":false}']],
  [
    'a number of the question by a mark',
    { field: 'age', compare: '>', value: 1440 },
    ['{"compare":">","field":"age","value":"#"}'],
  ],
  ['none as itself', { field: 'newAlerts', compare: '>', value: 0 }, ['{"compare":">","field":"newAlerts","value":0}']],
  ['a time by a mark', { field: 'closedTime', within: time }, ['{"field":"closedTime","within":"T"}']],
  ['no client', { field: 'client', in: ['Birch'] }, []],
  ['a person by a mark', { field: 'closedBy', in: ['Priya Raman'] }, ['{"field":"closedBy","in":["N"]}']],
  [
    'related records without their names',
    {
      not: {
        some: 'alert',
        where: {
          and: [
            { field: 'client', in: ['Birch'] },
            { field: 'severity', in: ['low'] },
          ],
        },
        time,
      },
    },
    ['{"not":{"some":"alert","time":"T","where":{"field":"severity","in":["low"]}}}'],
  ],
])('has %s', (_, filter, expected) => expect(conditionsOf(filter, 'case', schemas)).toEqual(expected));

test('separates the counted part of a share', () => {
  const query: Query = {
    entity: 'case',
    measure: { kind: 'share', of: { field: 'isReviewed', is: true } },
    where: { field: 'isOpen', is: false },
    groupBy: ['client'],
  };
  expect(partsOfQuery(query, schemas)).toEqual({
    entity: 'case',
    measure: 'share',
    group: 'client',
    order: '-',
    against: '-',
    conditions: ['of {"field":"isReviewed","is":true}', '{"field":"isOpen","is":false}'],
  });
});
