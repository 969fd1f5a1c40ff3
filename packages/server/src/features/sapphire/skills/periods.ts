/** Queries of a summary of a period, and of the changes since a moment. */
import type { Query, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import { narrowed } from '../../../domain/query/filters.ts';

const count = { kind: 'count' } as const;
const byCount = { field: 'count', isAscending: false };

/** Alerts against the time before, cases with their outcome, and what was most common. */
export const periodQueries = (time: QueryTime, earlier: QueryTime, where?: QueryFilter): Query[] => [
  narrowed({ entity: 'alert', measure: count, time, against: { time: earlier } }, where),
  narrowed({ entity: 'alert', measure: count, time }, where, { field: 'severity', in: ['critical'] }),
  narrowed({ entity: 'case', measure: { kind: 'list' }, time }, where),
  narrowed({ entity: 'case', measure: count }, where, { field: 'isOpen', is: true }),
  narrowed({ entity: 'alert', measure: count, time, groupBy: ['rule'], orderBy: byCount, limit: 1 }, where),
  narrowed({ entity: 'alert', measure: count, time, groupBy: ['device'], orderBy: byCount, limit: 1 }, where),
];

/** New alerts, cases and responses. */
export const changeQueries = (time: QueryTime, where?: QueryFilter): Query[] => [
  narrowed({ entity: 'alert', measure: count, time }, where),
  narrowed({ entity: 'alert', measure: count, time }, where, { field: 'severity', in: ['critical'] }),
  narrowed({ entity: 'case', measure: { kind: 'list' }, time }, where),
  narrowed({ entity: 'response', measure: count, time }, where),
  narrowed({ entity: 'alert', measure: count, time, groupBy: ['rule'], orderBy: byCount, limit: 1 }, where),
];
