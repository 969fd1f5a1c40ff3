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

/** The entities whose records a query reads, related ones included. */
export function entitiesOf({ entity, where, measure, against }: Query): Set<QueryEntity> {
  const found = new Set([entity]);
  const add = (filter: QueryFilter): void => {
    if ('and' in filter) filter.and.forEach(add);
    else if ('or' in filter) filter.or.forEach(add);
    else if ('not' in filter) add(filter.not);
    else if ('some' in filter) {
      found.add(filter.some);
      if (filter.where) add(filter.where);
    }
  };
  for (const filter of [where, measure.kind === 'share' ? measure.of : undefined, against?.where]) if (filter) add(filter);
  return found;
}
