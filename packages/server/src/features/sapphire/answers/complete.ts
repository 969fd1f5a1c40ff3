/** Adds the beginning of its list to a query without a filter of that kind: the initial filter, and the last hours where the time is bound. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Query, QueryFilter } from '@parapet/contract/rules/query.ts';
import { narrowed } from '../../../domain/query/filters.ts';
import type { EntitySchema } from '../../../domain/query/schema.ts';
import { schemaOf } from '../../../domain/query/schemas.ts';

export function completed(query: Query, now: number): Query {
  const schema = schemaOf(query.entity);
  if (!schema) return query;
  const { initial, defaultHours } = schema;
  const isBound = defaultHours === undefined || isTimed(query, schema);
  // Days, of which the last hours are less than two.
  const hours = query.groupBy?.includes('day') ? 168 : defaultHours;
  const timed = isBound ? query : { ...query, time: lastHours(hours ?? 24, now) };
  if (!initial || (initial.isUntimed && isTimed(query, schema))) return timed;
  const own = new Set([...fieldsOf(initial.where), ...(initial.except ?? [])]);
  const filters = [query.where, query.against?.where, query.measure.kind === 'share' ? query.measure.of : undefined].flatMap(
    (filter) => (filter ? fieldsOf(filter) : []),
  );
  const measured = 'field' in query.measure ? [query.measure.field] : [];
  return [...filters, ...measured, ...(query.groupBy ?? [])].some((field) => own.has(field))
    ? timed
    : narrowed(timed, initial.where);
}

const isTimed = ({ time, where }: Query, schema: EntitySchema): boolean =>
  time !== undefined || (where !== undefined && fieldsOf(where).some((field) => schema.attributes[field]?.type === 'time'));

const lastHours = (hours: number, now: number) => ({
  start: new Date(now - hours * hourMs).toISOString(),
  end: new Date(now).toISOString(),
  label: hours === 168 ? 'the last 7 days' : `the last ${hours} hours`,
});

/** Attributes of the entity itself, at any depth. */
function fieldsOf(filter: QueryFilter): string[] {
  if ('and' in filter) return filter.and.flatMap(fieldsOf);
  if ('or' in filter) return filter.or.flatMap(fieldsOf);
  if ('not' in filter) return fieldsOf(filter.not);
  return 'field' in filter ? [filter.field] : [];
}
