/** Filters of a query as the conditions that must all hold. */
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';

export type Some = Extract<QueryFilter, { some: QueryEntity }>;

/** Conditions joined by "and", at any depth of it. */
export const conditionsOf = (where: QueryFilter | undefined): QueryFilter[] =>
  where === undefined ? [] : 'and' in where ? where.and.flatMap(conditionsOf) : [where];

/** The query with further conditions. */
export function narrowed(query: Query, ...more: readonly (QueryFilter | undefined)[]): Query {
  const all = [query.where, ...more].flatMap(conditionsOf);
  return all.length === 0 ? query : { ...query, where: all.length === 1 ? all[0]! : { and: all } };
}

/** Related records that a list counts: the first ones outside "or" and "not". */
export const countedSome = (where: QueryFilter | undefined): Some | undefined =>
  conditionsOf(where).find((filter): filter is Some => 'some' in filter);
