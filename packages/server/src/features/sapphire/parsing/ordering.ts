/** Orders of a query: "most first", "the oldest", "top 5". */
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import type { Composed } from './composed.ts';
import { bridgeOf, fieldOf, isCountedOf, manyGroups } from './distinct.ts';
import { allOf, areRelated, relationOf, type Schemas, signed, topOf, unitOf } from './frames.ts';

/** Entities that occur in alerts rather than happen themselves: "the most common rule" is counted in alerts. */
const occurring: readonly QueryEntity[] = ['device', 'user', 'rule', 'technique', 'tactic', 'client'];

/** Order by a superlative; attributes without an order are left. */
export function order(query: Query, composed: Composed, schemas: Schemas, left: string[], before: Query | undefined): void {
  const { superlative, limit } = composed;
  if (!superlative) return;
  composed.bridge ??= ofSuperlative(query, composed, schemas);
  if (composed.bridge) return;
  const { isMost, isTime, isPlural } = superlative;
  // "The last time" without a subject.
  if (!composed.isHeadSaid && !query.where && !query.time && !query.groupBy && !before) left.push(isMost ? 'most' : 'least');
  // "More cases this month than last": the comparison expresses it.
  if (superlative.isMore && query.against && superlative.related === undefined) return;
  if (superlative.isMore && !composed.isCompared) left.push(isMost ? 'more' : 'fewer');
  const { time } = schemas[query.entity];
  const only = limit ?? (isPlural || composed.isOrder ? undefined : 1);
  const put = (field: string) => {
    // "Longest" is the most of a duration, and the oldest of a time.
    const isDuration = unitOf(schemas[query.entity].attributes[field]) === 'minutes';
    query.orderBy = { field, isAscending: !((isDuration ? superlative.isLongest : undefined) ?? isMost) };
    if (only !== undefined) query.limit = only;
    if (query.measure.kind === 'exists' || (query.measure.kind === 'count' && !query.groupBy)) query.measure = { kind: 'list' };
    if (query.measure.kind !== 'list') left.push(isMost ? 'most' : 'least');
  };
  // "Which client has the longest mean time to close"
  if (query.groupBy && 'field' in query.measure && (superlative.field ?? query.measure.field) === query.measure.field) {
    query.orderBy = { field: 'value', isAscending: !(superlative.isLongest ?? (isMost && !isTime)) };
    if (!composed.isOrder) query.limit = limit ?? (composed.isGroupPlural ? manyGroups : 1);
    return;
  }
  const [group] = query.groupBy ?? [];
  if (
    query.measure.kind === 'count' &&
    group !== undefined &&
    !isMost &&
    !isTime &&
    query.groupBy!.length === 1 &&
    schemas[group as QueryEntity]?.keys[query.entity] === undefined &&
    occurring.includes(group as QueryEntity)
  ) {
    fewest(query, composed, group as QueryEntity);
    return;
  }
  // "The most alerted user per client": one of each, which no query finds.
  if (query.groupBy && composed.isGroupSaid && [...occurring, 'account'].includes(query.entity) && !composed.isOrder)
    left.push(isMost ? 'most' : 'least');
  if (query.groupBy) {
    if (superlative.isGeneric) delete superlative.field;
    if (isTime || superlative.field !== undefined || superlative.related !== undefined) left.push(isMost ? 'latest' : 'oldest');
    query.orderBy = { field: query.measure.kind === 'count' ? 'count' : 'value', isAscending: !isMost };
    if (composed.isCompared && limit !== undefined) left.push(String(limit));
    if (!composed.isCompared && !(composed.isOrder && limit === undefined))
      query.limit = limit ?? (composed.isGroupPlural ? manyGroups : 1);
    return;
  }
  // "Open the longest": what is open has no time to its end.
  if (superlative.field === 'timeToClose' && isStillOpen(query)) {
    put('createdTime');
    if (query.orderBy) query.orderBy.isAscending = isMost;
    return;
  }
  if (superlative.field !== undefined) {
    put(superlative.field);
    return;
  }
  if (isTime && time !== undefined && superlative.related === undefined) {
    put(composed.stateTime ?? time);
    return;
  }
  const lasting = isTime && superlative.isLongest !== undefined ? durationOf[query.entity] : undefined;
  if (lasting !== undefined && superlative.related === undefined) {
    put(lasting);
    return;
  }
  if (isTime) {
    left.push(isMost ? 'newest' : 'oldest');
    return;
  }
  orderByNumber(query, composed, schemas, left, put);
}

/** "The rule that fired on the most hosts": of two kinds that only alerts or findings relate, or that a condition of these narrows. */
function ofSuperlative(query: Query, { superlative, frames, head, isDistinct }: Composed, schemas: Schemas): Composed['bridge'] {
  const { related, isTime, field } = superlative!;
  if (related === undefined || related === head || isTime || field !== undefined) return undefined;
  if (query.groupBy) {
    const [by, another] = query.groupBy;
    const distinct = another === undefined ? fieldOf(schemas, head, related) : undefined;
    return distinct === undefined || distinct === by ? undefined : { entity: head, distinct, by: by! };
  }
  const bridge = bridgeOf(schemas, frames, related, head);
  const isOther = frames.slice(1).some((frame) => frame.entity === bridge?.entity && frame.entity !== related);
  // "The most distinct vulnerabilities": several findings of a device can be of one.
  return isCountedOf(schemas, head, related) && !isOther && !(isDistinct && related === 'vulnerability') ? undefined : bridge;
}

/** Order of "the longest" for entities without a time of their own. */
const durationOf: Partial<Record<QueryEntity, string>> = { device: 'silence', collector: 'silentFor' };

const isStillOpen = ({ where }: Query): boolean =>
  topOf(where).some((filter) => 'is' in filter && filter.field === 'isOpen' && filter.is);

/** An order by a number of records, or by how bad each is. */
function orderByNumber(query: Query, composed: Composed, schemas: Schemas, left: string[], put: (field: string) => void): void {
  const superlative = composed.superlative!;
  const { isMost, isPlural } = superlative;
  const { attributes, keys } = schemas[query.entity];
  // "The most frequent alerts" are those of the most common rule.
  if (query.entity === 'alert' && isMost && !superlative.isWorst && superlative.related === undefined && attributes.rule) {
    query.groupBy = ['rule'];
    query.measure = { kind: 'count' };
    query.orderBy = { field: 'count', isAscending: false };
    query.limit = composed.limit ?? (isPlural ? manyGroups : 1);
    return;
  }
  if (superlative.isWorst && superlative.related === undefined && attributes.riskScore) {
    put('riskScore');
    return;
  }
  const named = composed.frames.slice(1).filter(({ isNegated }) => !isNegated);
  // "Workstations with open findings, most first": by those.
  const counted =
    superlative.related ?? (named.length === 1 ? named[0]!.entity : occurring.includes(query.entity) ? 'alert' : undefined);
  if (
    counted !== undefined &&
    // Each finding has one device.
    attributes[counted]?.type !== 'name' &&
    (keys[counted] ?? schemas[counted].keys[query.entity]) &&
    areRelated(schemas, query.entity, counted)
  ) {
    // "At least 3" and "most" of the same records.
    left.push(...named.flatMap(({ entity, count }) => (entity === counted && count ? [String(count.value)] : [])));
    countRelated(query, composed, schemas, counted, left);
    return;
  }
  // "Worst first" is read as "most first".
  const isWorst = superlative.isWorst || (isMost && composed.isOrder);
  if (attributes.severity?.type === 'choice' && isWorst && superlative.related === undefined) put('severity');
  else left.push(isMost ? 'most' : 'least');
}

/** "The client with the fewest alerts": those without any are counted too. */
function fewest(query: Query, { limit, isGroupPlural }: Composed, group: QueryEntity): void {
  const some: QueryFilter = {
    some: query.entity,
    ...(query.where && { where: query.where }),
    ...(query.time && { time: query.time }),
    count: { compare: '>=', value: 0 },
  };
  delete query.groupBy;
  delete query.time;
  Object.assign(query, {
    entity: group,
    where: some,
    measure: { kind: 'list' },
    orderBy: { field: 'count', isAscending: true },
    limit: limit ?? (isGroupPlural ? manyGroups : 1),
  } satisfies Partial<Query>);
}

/** "The device with the most alerts": each record by the number of its related ones, none included. */
function countRelated(query: Query, composed: Composed, schemas: Schemas, counted: QueryEntity, left: string[]): void {
  const { superlative, limit } = composed;
  // "The highest share of critical alerts": no number of them.
  if (query.measure.kind === 'share') left.push('share');
  const own = composed.frames.slice(1).find(({ entity, isNegated }) => entity === counted && !isNegated);
  if (own?.conditions.some(({ isOnly }) => isOnly)) left.push('only');
  if (own?.or) left.push('or');
  const time = query.time ?? own?.time;
  const where = own && allOf(own.conditions.map(signed));
  const rest = composed.frames
    .slice(1)
    .filter((frame) => frame !== own)
    .map(relationOf);
  const some: QueryFilter = {
    some: counted,
    ...(where && { where }),
    ...(time && { time }),
    ...(superlative!.isMost ? {} : { count: { compare: '>=' as const, value: 0 } }),
  };
  if (schemas[query.entity].time === undefined) delete query.time;
  // The first relation is the counted one (domain/query/filters.ts).
  query.where = allOf([...composed.frames[0]!.conditions.map(signed), some, ...rest])!;
  query.measure = { kind: 'list' };
  query.orderBy = { field: 'count', isAscending: !superlative!.isMost };
  const usual = superlative!.isPlural ? manyGroups : 1;
  if (limit !== undefined || !composed.isOrder) query.limit = limit ?? usual;
}
