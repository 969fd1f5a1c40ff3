/**
 * One form of the queries that have the same rows: likely queries are learnt, composed and compared in it (`learned.ts`,
 * docs/decisions/0109-one-form-of-queries.md). For comparison only: an answer has the query as it was read.
 */
import type { Query, QueryComparison, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import type { EntitySchema } from '../../../domain/query/schema.ts';
import { completed } from '../answers/complete.ts';
import { allOf, type Schemas, topOf, unitOf } from './frames.ts';

const is = (field: string, value = true): QueryFilter => ({ field, is: value });
const oneOf = (field: string, value: string): QueryFilter => ({ field, in: [value] });
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** An attribute that is there, by entity: its flag or its value. */
const present: Partial<Record<QueryEntity, Readonly<Record<string, QueryFilter>>>> = {
  alert: { user: is('hasUser') },
  event: { user: is('hasUser') },
  case: { analyst: is('isAssigned'), closedTime: is('isOpen', false) },
  device: { tag: is('isTagged'), lastScanAt: is('isScanned') },
  account: { lastSignInAt: is('hasSignedIn') },
  vulnerability: { fixedVersion: is('hasFix'), fixedAt: oneOf('state', 'fixed') },
  review: { reviewer: is('isAssigned'), decidedAt: is('isDecided') },
  mail: { sentAt: oneOf('state', 'sent'), error: is('hasError') },
  report: { lastSentAt: is('wasSent'), lastError: is('hasFailed') },
  collector: { errorText: is('hasErrors') },
};

/** Related records of any kind, by entity: the flag of the record. */
const related: Partial<Record<QueryEntity, Partial<Record<QueryEntity, QueryFilter>>>> = {
  alert: { case: is('hasCase'), user: is('hasUser'), device: is('device'), rule: is('rule'), technique: is('technique') },
  device: { tag: is('isTagged'), collector: is('hasAgent') },
};

export const flagOfRelated = (entity: QueryEntity, some: QueryEntity): QueryFilter | undefined => related[entity]?.[some];

/** Attributes of a record's device that it has as well. */
const ofDevice: Partial<Record<QueryEntity, Readonly<Record<string, string>>>> = {
  alert: { type: 'deviceType', isIsolated: 'deviceIsolated' },
  collector: { type: 'deviceType', isIsolated: 'isIsolated' },
  event: { type: 'deviceType' },
  response: { type: 'deviceType' },
  vulnerability: { type: 'deviceType' },
};

/** Values of the same rows as another condition. */
const values: Partial<Record<QueryEntity, readonly (readonly [QueryFilter, QueryFilter])[]>> = {
  alert: [[oneOf('disposition', 'inCase'), is('hasCase')]],
  case: [
    [oneOf('investigationStatus', '5'), oneOf('resolution', 'falsePositive')],
    [oneOf('investigationStatus', '6'), oneOf('resolution', 'truePositive')],
    [oneOf('sla', 'breached'), is('isBreached')],
    [oneOf('status', 'closed'), is('isOpen', false)],
    [{ field: 'status', in: ['closed', 'escalated:closed'] }, is('isOpen', false)],
  ],
  review: [[oneOf('decision', 'Pending'), is('isDecided', false)]],
  vulnerability: [[{ not: oneOf('state', 'fixed') }, oneOf('state', 'open')]],
};

const inverse: Readonly<Record<QueryComparison, QueryComparison | undefined>> = {
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
  '=': undefined,
};

type Compared = Extract<QueryFilter, { compare: unknown }>;
/** Of numbers without a part: at least one is above none. */
function comparedWithNone(filter: Compared, schema: EntitySchema | undefined): Compared {
  const { compare, value } = filter;
  if (unitOf(schema?.attributes[filter.field]) || filter.isOfAverage) return filter;
  if (value === 1 && compare === '>=') return { ...filter, compare: '>', value: 0 };
  if ((value === 1 && compare === '<') || (value === 0 && compare === '=')) return { ...filter, compare: '<=', value: 0 };
  return filter;
}

type Some = Extract<QueryFilter, { some: unknown }>;
function canonicalRelated(filter: Some, entity: QueryEntity, schemas: Schemas): QueryFilter {
  const { some, where: input, time, count } = filter;
  const where = input && canonicalFilter(input, some, schemas);
  if (count && !count.isOfAverage) {
    const { count: _, ...plain } = filter;
    const { compare, value } = count;
    if ((compare === '>=' && value === 1) || (compare === '>' && value === 0)) return canonicalRelated(plain, entity, schemas);
    if ((compare === '<' && value === 1) || (value === 0 && (compare === '=' || compare === '<=')))
      return canonicalFilter({ not: plain }, entity, schemas);
    if (some === 'alert' && !where && !time && schemas[entity].attributes.alertCount)
      return { field: 'alertCount', compare, value };
  }
  if (!where && !time && !count) return flagOfRelated(entity, some) ?? filter;
  if (some === 'device' && !time && !count && where && 'field' in where) {
    const field = ofDevice[entity]?.[where.field];
    if (field) return { ...where, field };
  }
  return { ...filter, ...(where && { where }) };
}

/** Flags that are denied are their opposites, and numbers not above one are at most it. */
function denied(filter: QueryFilter): QueryFilter {
  if ('not' in filter) return filter.not;
  if ('is' in filter) return { ...filter, is: !filter.is };
  const compare = 'compare' in filter && typeof filter.value === 'number' ? inverse[filter.compare] : undefined;
  return compare && 'compare' in filter ? { ...filter, compare } : { not: filter };
}

export function canonicalFilter(filter: QueryFilter, entity: QueryEntity, schemas: Schemas): QueryFilter {
  const again = (part: QueryFilter): QueryFilter => canonicalFilter(part, entity, schemas);
  if ('and' in filter) return { and: filter.and.flatMap((part) => topOf(again(part))) };
  if ('or' in filter) return { or: filter.or.map(again) };
  const own = values[entity]?.find(([value]) => same(value, filter))?.[1];
  if (own) return own;
  if ('not' in filter) {
    const not = denied(again(filter.not));
    return values[entity]?.find(([value]) => same(value, not))?.[1] ?? not;
  }
  if ('some' in filter) return canonicalRelated(filter, entity, schemas);
  if ('is' in filter) {
    const flag = present[entity]?.[filter.field];
    return flag ? (filter.is ? flag : denied(flag)) : filter;
  }
  // An email is sent at once, or not at all.
  if (entity === 'mail' && 'within' in filter && filter.field === 'sentAt') return oneOf('state', 'sent');
  return 'compare' in filter ? comparedWithNone(filter, schemas[entity]) : filter;
}

/** Conditions that others imply, by entity: the one, and a pattern of those. */
const implied: Partial<Record<QueryEntity, readonly (readonly [string, RegExp])[]>> = {
  case: [
    [
      '{"field":"isOpen","is":false}',
      /^\{"(?:compare":"[<>]=?",")?field":"(?:closedTime|closedBy|timeToClose|resolution","in)"|isClosedAutomatically","is":true|"sla","in":\["(?:met|missed)"/,
    ],
    [
      '{"field":"isOpen","is":true}',
      /^\{"compare":"[<>]=?","field":"dueIn"|^\{"field":"(?:isBreached","is":true|sla","in":\["(?:running|warning|breached|paused)")/,
    ],
    ['{"field":"isAssigned","is":true}', /^\{"field":"(?:analyst","in"|isMine","is":true)/],
  ],
  vulnerability: [
    ['{"field":"state","in":["fixed"]}', /^\{"(?:compare":"[<>]=?",")?field":"(?:fixedAt|timeToFix)"/],
    ['{"field":"state","in":["accepted"]}', /^\{"field":"(?:acceptedBy|acceptedUntil|acceptReason)"/],
  ],
  review: [
    ['{"field":"isDecided","is":false}', /^\{"compare":"[<>]=?","field":"waitingTime"/],
    ['{"field":"isDecided","is":true}', /^\{"field":"(?:decidedAt|agreesWithVerdict|decision)"/],
  ],
  account: [['{"field":"hasSignedIn","is":true}', /^\{"field":"lastSignInAt"/]],
  device: [['{"field":"isScanned","is":true}', /^\{"field":"lastScanAt"/]],
  collector: [['{"field":"hasErrors","is":true}', /^\{"field":"errorText"/]],
};

/** Without those that another one implies: "fixed" of what was fixed in a time. */
export const withoutImplied = (conditions: readonly string[], entity: string): string[] =>
  conditions.filter(
    (each) =>
      !implied[entity as QueryEntity]?.some(
        ([condition, pattern]) => each === condition && conditions.some((other) => other !== each && pattern.test(other)),
      ),
  );

/** Orders by a length of time are those by its beginning, the other way round. */
const since: Partial<Record<QueryEntity, Readonly<Record<string, string>>>> = {
  device: { age: 'firstSeenAt', silence: 'lastEventAt' },
  collector: { silentFor: 'lastSeenAt' },
  client: { age: 'createdAt' },
};

/** Of groups the first is the largest, and "the newest" of a list are its first ones. */
function orderOf({ orderBy, groupBy, entity }: Query, schemas: Schemas): Query['orderBy'] {
  if (!orderBy || (groupBy && !orderBy.isAscending)) return undefined;
  const schema = schemas[entity];
  const field = since[entity]?.[orderBy.field] ?? (orderBy.field === 'age' ? schema.time : undefined);
  return field && !groupBy ? { field, isAscending: !orderBy.isAscending } : orderBy;
}

const isOfClient = (filter: QueryFilter): boolean =>
  'field' in filter && (filter.field === 'client' || filter.field === 'partner');

/** None as well: "the client with the fewest alerts". */
const isAnyCount = ({ compare, value }: NonNullable<Some['count']>): boolean => compare === '>=' && value === 0;

/** "Devices with the most alerts" are the groups of alerts by device. */
function grouped(query: Query, schemas: Schemas): Query {
  const [found, ...rest] = [...topOf(query.where)].sort((a, b) => Number('some' in b) - Number('some' in a));
  const isGrouped =
    query.orderBy?.field === 'count' &&
    !query.groupBy &&
    found !== undefined &&
    'some' in found &&
    (!found.count || isAnyCount(found.count)) &&
    schemas[found.some].attributes[query.entity] !== undefined &&
    rest.every(isOfClient);
  if (!isGrouped) return query;
  const { some, where: own, time = query.time } = found as Some;
  const { orderBy, limit } = query;
  const where = allOf([...rest, ...topOf(own)]);
  return {
    entity: some,
    measure: { kind: 'count' },
    groupBy: [query.entity],
    orderBy: orderBy!,
    ...(where && { where }),
    ...(time && { time }),
    ...(limit !== undefined && { limit }),
  };
}

/** Without the filter that the list begins with anyway. */
function uninitial(query: Query, schemas: Schemas): Query {
  const { initial } = schemas[query.entity];
  const all = topOf(query.where);
  if (!initial || !all.some((filter) => same(filter, initial.where))) return query;
  const rest = allOf(all.filter((filter) => !same(filter, initial.where)));
  const { where: _, ...bare } = query;
  const without: Query = { ...bare, ...(rest && { where: rest }) };
  return topOf(completed(without, 0).where).some((filter) => same(filter, initial.where)) ? without : query;
}

/** Of entities and attributes that the schema has. */
export function canonicalQuery(input: Query, schemas: Schemas): Query {
  const query = grouped(input, schemas);
  const { where, measure, groupBy, orderBy: _, ...rest } = query;
  const orderBy = orderOf(query, schemas);
  const own = { ...query, ...(where && { where: canonicalFilter(where, query.entity, schemas) }) };
  const { where: narrowed } = uninitial(own, schemas);
  return {
    ...rest,
    measure: measure.kind === 'share' ? { ...measure, of: canonicalFilter(measure.of, query.entity, schemas) } : measure,
    ...(narrowed && { where: narrowed }),
    ...(groupBy && { groupBy: [...groupBy].sort() }),
    ...(orderBy && { orderBy }),
  };
}
