/** Builds the query of a composed reading; what it cannot express is added to the words left behind. */
import type { Query, QueryEntity, QueryFilter, QueryMeasure } from '@parapet/contract/rules/query.ts';
import type { Composed } from './composed.ts';
import { allOf, areRelated, type Condition, isOrderable, relationOf, type Schemas, signed, topOf } from './frames.ts';

export interface Built {
  query: Query;
  left: string[];
}

/** Entities that occur in alerts rather than happen themselves: "the most common rule" is counted in alerts. */
const occurring: readonly QueryEntity[] = ['device', 'user', 'rule', 'technique', 'tactic', 'client'];
const manyGroups = 10;
/** What "how long" measures of an entity. */
const durations: Partial<Record<QueryEntity, string>> = {
  case: 'timeToClose',
  response: 'duration',
  vulnerability: 'timeToFix',
  suppression: 'duration',
};

/** `before` is continued from: values named there can be compared or divided now. */
export function build(composed: Composed, schemas: Schemas, before: Query | undefined): Built {
  const left = [...composed.left];
  const [head, ...related] = composed.frames as [Composed['frames'][0], ...Composed['frames']];
  const measure = measureOf(composed, schemas, left, before);
  const relations = related.map(relationOf);
  // A score is shown, not counted.
  let query: Query = {
    entity: composed.head,
    measure: composed.head === 'risk' && measure.kind === 'count' ? { kind: 'list' } : measure,
  };
  if (measure.kind === 'share' && composed.of.length === 0) {
    const counted = countedIn(composed, schemas);
    head.conditions = head.conditions.filter((condition) => !counted.includes(condition));
  }
  left.push(...contradictions(head.conditions));
  const where = allOf([...head.conditions.map(signed), ...relations]);
  if (where) query.where = where;
  if (head.time) query.time = head.time;
  if (composed.shown.length > 0) query.show = [...new Set(composed.shown)];
  composed.times = composed.times.filter(({ start, end }) => start !== head.time?.start || end !== head.time.end);
  const [time] = composed.times;
  if (composed.times.length > 1) left.push(composed.times[1]!.label);
  else if (time && composed.isCompared) query.against = { time };
  else if (before && composed.isCompared && query.time && !composed.isAverage) {
    // "Is that less than the day before?"
    query.against = { time: query.time };
    delete query.time;
  } else if (time && head.time && !composed.areTimesJoined) left.push(time.label);
  else if (time && head.time) query = eitherTime(query, [head.time, time], schemas);
  byClosing(query);
  groupBy(query, composed, schemas, left, before);
  if (composed.isAverage && composed.head === 'client') left.push('other clients');
  else if (composed.isAverage) query.against = { average: 'client' };
  // "Did Birch or Cedar have more alerts?"
  const many = manyValued(query.where);
  if (composed.superlative?.isMore && !query.against && many !== undefined && !['weekday', 'hour'].includes(many))
    composed.isCompared = true;
  if (composed.isCompared && !query.against) {
    const field = manyValued(query.where);
    // "Dogwood against Elm, alerts per device": both.
    if (field === 'hour') left.push('compared');
    else if (!query.groupBy) compareValues(query, left, before);
    else if (field !== undefined && !query.groupBy.includes(field)) query.groupBy.unshift(field);
  }
  order(query, composed, schemas, left, before);
  if (composed.limit !== undefined && !composed.superlative) {
    if (query.measure.kind === 'list' || query.groupBy) query.limit = composed.limit;
    else left.push(String(composed.limit));
  }
  // A number shows no columns: "how many alerts in cases" meant a filter.
  if (['count', 'exists', 'share'].includes(query.measure.kind) && !query.groupBy && !query.against)
    left.push(...(query.show ?? []));
  return { query, left };
}

function measureOf(composed: Composed, schemas: Schemas, left: string[], previous: Query | undefined): QueryMeasure {
  const { measure: kind, measured, head, of } = composed;
  switch (kind) {
    case 'share': {
      // "Ended up in a case rather than folded": both are counted.
      const same = composed.frames[0]!.conditions.filter(({ field }) => of.some((each) => each.field === field));
      const counted = of.length > 0 ? [...same, ...of] : countedIn(composed, schemas);
      composed.frames[0]!.conditions = composed.frames[0]!.conditions.filter((condition) => !same.includes(condition));
      const filter = allOf(counted.map(signed));
      if (filter) return { kind, of: filter };
      left.push('share');
      return { kind: 'count' };
    }
    case 'mean':
    case 'median':
    case 'max':
    case 'min':
    case 'sum': {
      const before = previous && 'field' in previous.measure && previous.entity === head ? previous.measure.field : undefined;
      const field = measured ?? composed.superlative?.field ?? before ?? (composed.isDuration ? durations[head] : undefined);
      if (field !== undefined && schemas[head].attributes[field]) return { kind, field };
      left.push(kind === 'mean' ? 'average' : kind);
      return { kind: 'count' };
    }
    case undefined: {
      // "Time to close by client": its mean.
      const [shown] = composed.shown;
      const attribute = shown === undefined ? undefined : schemas[head].attributes[shown];
      if (composed.groups.length > 0 && shown !== undefined && attribute?.type === 'number' && attribute.unit === 'minutes') {
        composed.shown = composed.shown.slice(1);
        return { kind: 'mean', field: shown };
      }
      return { kind: composed.groups.length > 0 || composed.isAverage || composed.isCompared ? 'count' : 'list' };
    }
    case 'list':
      return { kind: composed.groups.length > 0 ? 'count' : 'list' };
    case 'exists':
      return { kind: composed.groups.length > 0 ? 'count' : 'exists' };
    default:
      return { kind: 'count' };
  }
}

/** A flag that is both true and false: one of the two words was meant otherwise. */
const contradictions = (conditions: readonly Condition[]): string[] =>
  conditions.flatMap(({ field, filter, isNegated }) =>
    'is' in filter &&
    filter.is !== isNegated &&
    conditions.some(
      (other) =>
        (other.field === field && 'is' in other.filter && other.filter.is === other.isNegated) ||
        (field === 'isWeekend' && other.field === 'weekday'),
    )
      ? [field]
      : [],
  );

/** Of "the share of critical cases at Birch" the severity is counted, the client is not; of "the share of alerts at Birch" the client. */
function countedIn({ head, frames }: Composed, schemas: Schemas): Condition[] {
  const { conditions } = frames[0]!;
  const all = conditions.filter(({ field }) =>
    ['choice', 'flag', 'number'].includes(schemas[head].attributes[field]?.type ?? ''),
  );
  // "The share of servers without an agent": of the servers.
  const others = all.filter(({ isNoun }) => !isNoun);
  const states = others.length > 0 ? others : all;
  const names = conditions.filter(({ field }) => schemas[head].attributes[field]?.type.startsWith('name'));
  return states.length > 0 ? states : names.length === 1 ? names : [];
}

/** How long closing took is counted when it happened: cases closed in the time. */
function byClosing(query: Query): void {
  if (query.entity !== 'case' || !('field' in query.measure) || query.measure.field !== 'timeToClose') return;
  const closed = (time: NonNullable<Query['time']>) =>
    allOf([...(query.where ? [query.where] : []), { field: 'closedTime', within: time }])!;
  if (query.against?.time) query.against = { where: closed(query.against.time) };
  if (query.time) query.where = closed(query.time);
  delete query.time;
}

function eitherTime(query: Query, times: readonly NonNullable<Query['time']>[], schemas: Schemas): Query {
  const field = schemas[query.entity].time!;
  const { time: _, ...rest } = query;
  const either: QueryFilter = { or: times.map((within) => ({ field, within })) };
  return { ...rest, where: allOf([...(query.where ? [query.where] : []), either])! };
}

function groupBy(query: Query, composed: Composed, schemas: Schemas, left: string[], before: Query | undefined): void {
  const groups = [...composed.groups];
  const [only] = composed.shown;
  // "Who reviewed most": the attribute said is what is counted by.
  if (
    composed.superlative &&
    composed.superlative.field === undefined &&
    !composed.superlative.isTime &&
    groups.length === 0 &&
    composed.shown.length === 1 &&
    only !== undefined
  ) {
    // "Risk scores, highest first": an order by it.
    if (isOrderable(schemas[query.entity].attributes[only]!)) composed.superlative.field = only;
    else {
      groups.push(only);
      delete query.show;
    }
  }
  if (composed.isTrend && groups.length === 0) groups.push(...trendOf(query, schemas, left));
  const { attributes } = schemas[query.entity];
  if (composed.isWho && query.entity !== 'account' && query.entity !== 'user') {
    const persons = Object.entries(attributes).filter(
      ([, attribute]) => attribute.type === 'name' && attribute.names === 'account',
    );
    const said =
      persons.find(([, { words }]) => words.includes(`${composed.whoVerb} by`)) ??
      persons[0] ??
      Object.entries(attributes).find(([, attribute]) => attribute.type === 'name' && attribute.names === 'user');
    const isOne =
      query.where !== undefined && topOf(query.where).some((filter) => 'field' in filter && filter.field === 'number');
    if (said && (isOne || query.limit === 1) && groups.length === 0) query.show = [...new Set([...(query.show ?? []), said[0]])];
    else if (said) groups.push(said[0]);
    // "Who is the noisiest client"
    else if (query.entity !== 'client') left.push('who');
  }
  if (composed.isEach) {
    const many = only ?? manyValued(query.where) ?? manyValued(before?.where);
    if (only !== undefined) delete query.show;
    if (many) groups.push(many);
    else if (groups.length === 0) left.push('each');
  }
  if (groups.length === 0) return;
  query.groupBy = [...new Set(groups)];
  if (query.measure.kind === 'list' || query.measure.kind === 'exists') query.measure = { kind: 'count' };
}

const dayMs = 86_400_000;
/** Days up to a month and a half, weeks up to half a year, else months. */
function trendOf({ entity, time }: Query, schemas: Schemas, left: string[]): string[] {
  if (schemas[entity].time === undefined) left.push('trend');
  const days = time ? (Date.parse(time.end) - Date.parse(time.start)) / dayMs : Number.POSITIVE_INFINITY;
  return schemas[entity].time === undefined ? [] : [days <= 45 ? 'day' : days <= 180 ? 'week' : 'month'];
}

/** The attribute of which several values were named: "Birch and Cedar". */
function manyValued(where: QueryFilter | undefined): string | undefined {
  for (const filter of topOf(where)) if ('in' in filter && filter.in.length > 1) return filter.field;
  return undefined;
}

function compareValues(query: Query, left: string[], before: Query | undefined): void {
  const field = manyValued(query.where) ?? manyValued(before?.where);
  if (field === undefined) {
    // "Better than the industry average": both are shown.
    if (query.entity !== 'risk' || (query.show?.length ?? 0) === 0) left.push('compared');
    return;
  }
  // Scores stand beside each other.
  if (query.entity === 'risk') return;
  query.groupBy = [field];
  if (query.measure.kind === 'list' || query.measure.kind === 'exists') query.measure = { kind: 'count' };
}

function order(query: Query, composed: Composed, schemas: Schemas, left: string[], before: Query | undefined): void {
  const { superlative, limit } = composed;
  if (!superlative) return;
  const { isMost, isTime, isPlural } = superlative;
  // "The last time" of nothing said.
  if (!composed.isHeadSaid && !query.where && !query.time && !query.groupBy && !before) left.push(isMost ? 'most' : 'least');
  // "More cases this month than last": the comparison says it.
  if (superlative.isMore && query.against && superlative.related === undefined) return;
  if (superlative.isMore && !composed.isCompared) left.push(isMost ? 'more' : 'fewer');
  const { attributes, time, keys } = schemas[query.entity];
  const only = limit ?? (isPlural || composed.isOrder ? undefined : 1);
  const put = (field: string) => {
    query.orderBy = { field, isAscending: !isMost };
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
  if (query.groupBy) {
    if (superlative.isGeneric) delete superlative.field;
    if (isTime || superlative.field !== undefined || superlative.related !== undefined) left.push(isMost ? 'latest' : 'oldest');
    query.orderBy = { field: query.measure.kind === 'count' ? 'count' : 'value', isAscending: !isMost };
    if (composed.isCompared && limit !== undefined) left.push(String(limit));
    if (!composed.isCompared && !(composed.isOrder && limit === undefined))
      query.limit = limit ?? (composed.isGroupPlural ? manyGroups : 1);
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
  if (isTime) {
    left.push(isMost ? 'newest' : 'oldest');
    return;
  }
  // "The most frequent alerts" are those of the most common rule.
  if (query.entity === 'alert' && isMost && !superlative.isWorst && superlative.related === undefined && attributes.rule) {
    query.groupBy = ['rule'];
    query.measure = { kind: 'count' };
    query.orderBy = { field: 'count', isAscending: false };
    query.limit = limit ?? (isPlural ? manyGroups : 1);
    return;
  }
  if (superlative.isWorst && superlative.related === undefined && attributes.riskScore) {
    put('riskScore');
    return;
  }
  const counted = superlative.related ?? (occurring.includes(query.entity) ? 'alert' : undefined);
  if (
    counted !== undefined &&
    (keys[counted] ?? schemas[counted].keys[query.entity]) &&
    areRelated(schemas, query.entity, counted)
  ) {
    countRelated(query, composed, schemas, counted);
    return;
  }
  if (attributes.severity?.type === 'choice' && superlative.isWorst && superlative.related === undefined) put('severity');
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
function countRelated(query: Query, composed: Composed, schemas: Schemas, counted: QueryEntity): void {
  const { superlative, limit } = composed;
  const own = composed.frames.slice(1).find(({ entity, isNegated }) => entity === counted && !isNegated);
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
  query.where = allOf([...composed.frames[0]!.conditions.map(signed), ...rest, some])!;
  query.measure = { kind: 'list' };
  query.orderBy = { field: 'count', isAscending: !superlative!.isMost };
  query.limit = limit ?? (superlative!.isPlural ? manyGroups : 1);
}
