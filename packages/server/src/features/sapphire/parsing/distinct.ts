/** Numbers of different records: "the rule that fired on the most hosts", "how many techniques per client". */
import type { Query, QueryEntity } from '@parapet/contract/rules/query.ts';
import type { Bridge, Composed } from './composed.ts';
import { allOf, areRelated, type Frame, filterFields, namesOf, relationOf, type Schemas, signed } from './frames.ts';

export const manyGroups = 10;

/** The attribute of an entity's records that names records of another; a vulnerability is the same on many devices. */
export function fieldOf(schemas: Schemas, entity: QueryEntity, named: QueryEntity): string | undefined {
  if (named === 'vulnerability') return entity === 'vulnerability' ? 'cve' : undefined;
  const attribute = schemas[entity].attributes[named];
  return namesOf(attribute) === named ? named : undefined;
}

/** True if a record can have several of another kind: each finding has one device. */
export const isCountedOf = (schemas: Schemas, head: QueryEntity, other: QueryEntity): boolean =>
  areRelated(schemas, head, other) && schemas[head].attributes[other]?.type !== 'name';

/** Records that have both: those that the question names, alerts, or findings. */
export function bridgeOf(schemas: Schemas, frames: readonly Frame[], distinct: QueryEntity, by: QueryEntity): Bridge | undefined {
  if (distinct === by) return undefined;
  for (const entity of new Set([...frames.slice(1).map((frame) => frame.entity), 'alert' as const, 'vulnerability' as const])) {
    const [own, other] = [fieldOf(schemas, entity, distinct), fieldOf(schemas, entity, by)];
    if (own !== undefined && other !== undefined) return { entity, distinct: own, by: other };
  }
  return undefined;
}

/** Attributes that have another name in records of the bridge. */
const carried = (entity: QueryEntity, head: QueryEntity, field: string): string | undefined =>
  entity === head || field === 'client' || field === 'partner'
    ? field
    : head === 'device' && field === 'type'
      ? 'deviceType'
      : undefined;

/** The query of the bridge in place of the head's; what it cannot hold is left. */
function bridged(query: Query, { frames, head, bridge }: Composed, left: string[]): Query {
  const { entity, distinct, by } = bridge!;
  const [own, ...related] = frames as [Frame, ...Frame[]];
  const merged = related.filter((frame) => frame.entity === entity && frame !== own);
  const times = [query.time, ...merged.map(({ time }) => time)].filter((time) => time !== undefined);
  for (const { isNegated, count, conditions } of merged)
    if (isNegated || count || conditions.some(({ isOnly }) => isOnly)) left.push('different');
  // A time of the devices is none of their alerts.
  if (times.length > 1 || (query.time && entity !== head)) left.push(times.at(-1)!.label);
  if (query.against || query.show || query.groupBy?.some((field) => field !== by)) left.push('different');
  const of = own.conditions.flatMap((condition) => {
    const field = carried(entity, head, condition.field);
    const { filter } = condition;
    if (field !== undefined && 'field' in filter) return [signed({ ...condition, filter: { ...filter, field } })];
    if (entity === head) return [signed(condition)];
    left.push(...filterFields(filter));
    return [];
  });
  const rest = related.filter((frame) => !merged.includes(frame));
  left.push(...(entity === head ? [] : rest.map((frame) => frame.entity)));
  const where = allOf([
    ...of,
    ...merged.flatMap(({ conditions }) => conditions.map(signed)),
    ...(entity === head ? rest.map(relationOf) : []),
  ]);
  const [time] = times;
  return {
    entity,
    measure: { kind: 'count', distinct },
    groupBy: [by],
    ...(where && { where }),
    ...(time && { time }),
  };
}

/** A bound of groups; those without records are in no group. */
export function bound(query: Query, having: NonNullable<Query['having']>, left: string[]): void {
  if (query.groupBy && !query.against && having.value >= (having.compare === '>' ? 0 : 1)) query.having = having;
  else left.push(String(having.value));
}

/** Different values in place of records; listed, each with the number of its records. */
function countDistinct(query: Query, distinct: string, left: string[]): void {
  if (query.measure.kind === 'list' && !query.groupBy && !query.orderBy && !query.show) {
    query.groupBy = [distinct];
    query.measure = { kind: 'count' };
  } else if (query.measure.kind === 'count' && !query.measure.per && !query.measure.isShare)
    query.measure = { kind: 'count', distinct };
  else left.push('different');
}

/** Groups of the records in which the two kinds meet, in the order of a superlative. */
function ofBridge(query: Query, composed: Composed, left: string[]): Query {
  const { superlative, limit, isOrder, measure } = composed;
  const isPlural = query.groupBy ? composed.isGroupPlural : superlative?.isPlural;
  if (measure !== undefined && !['count', 'list', 'exists'].includes(measure)) left.push(measure);
  const result = bridged(query, composed, left);
  if (composed.having) bound(result, composed.having, left);
  if (!superlative) return result;
  // Those without any are in no group.
  if (!superlative.isMost) left.push('fewest');
  const usual = isOrder ? undefined : isPlural ? manyGroups : 1;
  const first = limit ?? usual;
  return {
    ...result,
    orderBy: { field: 'count', isAscending: !superlative.isMost },
    ...(first !== undefined && { limit: first }),
  };
}

/** The query with different values in place of records, where the question names them. */
export function withDistinct(query: Query, composed: Composed, left: string[]): Query {
  if (composed.bridge) return ofBridge(query, composed, left);
  if (composed.distinct !== undefined) countDistinct(query, composed.distinct, left);
  return query;
}
