/** Queries of a summary of a period, and of the changes since a moment. */
import type { Query, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';

const count = { kind: 'count' } as const;
const byCount = { field: 'count', isAscending: false };
const narrowed = (where: QueryFilter | undefined, ...more: QueryFilter[]): Pick<Query, 'where'> => {
  const parts = [...(where ? [where] : []), ...more];
  return parts.length === 0 ? {} : { where: parts.length === 1 ? parts[0]! : { and: parts } };
};

/** Alerts against the time before, cases with their outcome, and what was most common. */
export const periodQueries = (time: QueryTime, earlier: QueryTime, where?: QueryFilter): Query[] => [
  { entity: 'alert', measure: count, time, against: { time: earlier }, ...narrowed(where) },
  { entity: 'alert', measure: count, time, ...narrowed(where, { field: 'severity', in: ['critical'] }) },
  { entity: 'case', measure: { kind: 'list' }, time, ...narrowed(where) },
  { entity: 'case', measure: count, ...narrowed(where, { field: 'isOpen', is: true }) },
  { entity: 'alert', measure: count, time, groupBy: ['rule'], orderBy: byCount, limit: 1, ...narrowed(where) },
  { entity: 'alert', measure: count, time, groupBy: ['device'], orderBy: byCount, limit: 1, ...narrowed(where) },
];

/** New alerts, cases and responses. */
export const changeQueries = (time: QueryTime, where?: QueryFilter): Query[] => [
  { entity: 'alert', measure: count, time, ...narrowed(where) },
  { entity: 'alert', measure: count, time, ...narrowed(where, { field: 'severity', in: ['critical'] }) },
  { entity: 'case', measure: { kind: 'list' }, time, ...narrowed(where) },
  { entity: 'response', measure: count, time, ...narrowed(where) },
  { entity: 'alert', measure: count, time, groupBy: ['rule'], orderBy: byCount, limit: 1, ...narrowed(where) },
];
