/** Continues from the question before: new parts replace those they concern, the rest stays. */
import { type Query, type QueryEntity, type QueryFilter, queryBuckets } from '@parapet/contract/rules/query.ts';
import type { Built } from './build.ts';
import type { Composed } from './composed.ts';
import { allOf, areRelated, filterFields, type Schemas, topOf } from './frames.ts';
import { hasContent } from './parts.ts';
import type { Segment } from './segments.ts';

/** "Cedar", then "not Cedar". */
const contradicts = (fresh: QueryFilter, remaining: QueryFilter): boolean =>
  'not' in fresh &&
  'in' in fresh.not &&
  'in' in remaining &&
  fresh.not.field === remaining.field &&
  remaining.in.every((value) => 'in' in fresh.not && fresh.not.in.includes(value));

/** "Mine" and "unassigned" define the analyst. */
const concept = (field: string): string =>
  field === 'isMine' || field === 'isAssigned' ? 'analyst' : field === 'isWeekend' ? 'weekday' : field;

/** "And last week", after records with others: what the new words leave open of these stays; of several, if they leave all but the time open. */
function continued(filter: QueryFilter, before: readonly QueryFilter[]): QueryFilter[] {
  if (!('some' in filter)) return [filter];
  const related = before.flatMap((each) => ('some' in each && each.some === filter.some ? [each] : []));
  if (related.length === 0 || (filter.where && related[1])) return [filter];
  const fields = new Set(topOf(filter.where).flatMap(filterFields));
  return related.map(({ where, time, count, some }) => {
    const rest = topOf(where).filter((each) => !filterFields(each).some((field) => fields.has(field)));
    const all = allOf([...rest, ...topOf(filter.where)]);
    return {
      some,
      ...(all && { where: all }),
      ...((filter.time ?? time) && { time: filter.time ?? time! }),
      ...((filter.count ?? count) && { count: filter.count ?? count! }),
    };
  });
}

/** "How old is it" after the first of an order: a column of that one. */
function shownOf({ where, show = [] }: Query, query: Query): string[] | undefined {
  if (!('field' in query.measure)) return undefined;
  const { field } = query.measure;
  const isStillOpen = topOf(where).some((filter) => 'is' in filter && filter.field === 'isOpen' && filter.is);
  return [...new Set([...show, ...(query.show ?? []), isStillOpen && field === 'timeToClose' ? 'age' : field])];
}

/** Another figure of the same records, without a new condition. */
function ofSame(previous: Query, { query, left }: Built, composed: Composed): Built | undefined {
  if (query.where) return undefined;
  const ofFirst = previous.limit === 1 && !previous.groupBy && !query.groupBy && shownOf(previous, query);
  if (ofFirst) return { query: { ...previous, show: ofFirst }, left };
  // "And how often": the first of an order has its number beside it.
  if (
    previous.orderBy?.field === 'count' &&
    previous.limit !== undefined &&
    composed.measure === 'count' &&
    !query.groupBy &&
    !query.time
  )
    return { query: previous, left };
  // "What share is that": of the same records without the last condition.
  const last = topOf(previous.where).at(-1);
  const isUnsaid = composed.of.length === 0 && left.includes('share');
  if (composed.measure === 'share' && isUnsaid && last && !query.groupBy && previous.measure.kind !== 'share') {
    const rest = allOf(topOf(previous.where).slice(0, -1));
    const { where: _, groupBy: __, orderBy: ___, limit: ____, ...plain } = previous;
    return {
      query: { ...plain, ...(rest && { where: rest }), measure: { kind: 'share', of: last } },
      left: left.filter((word) => word !== 'share'),
    };
  }
  return undefined;
}

/** "Only the first 3" in the order before, and "and the fewest" in the other; undefined for anything else. */
function ofOrder(previous: Query, { query, left }: Built, { superlative, limit, isHeadSaid }: Composed): Built | undefined {
  if (!previous.orderBy || !superlative || isHeadSaid) return undefined;
  if (superlative.isFirst && limit !== undefined && topOf(query.where).length === 0)
    return { query: { ...previous, limit }, left };
  if (superlative.isTime || superlative.field !== undefined || query.groupBy) return undefined;
  return { query: reordered(previous, !superlative.isMost, limit), left };
}

/** `built` is the reading of the new words with the entity of the question before. */
export function follow(previous: Query, { query, left }: Built, composed: Composed, schemas: Schemas): Built {
  const own = topOf(query.where);
  const { superlative } = composed;
  // "Only the top 3": of the groups before.
  if (previous.groupBy && superlative && own.length === 0 && !query.groupBy && !composed.isHeadSaid)
    if (superlative.isTime || superlative.field !== undefined || superlative.related !== undefined)
      return { query, left: [...left, superlative.isMost ? 'most' : 'least'] };
    else
      return {
        query: { ...previous, orderBy: { field: 'count', isAscending: !superlative.isMost }, limit: composed.limit ?? 1 },
        left,
      };
  const again = ofSame(previous, { query, left }, composed);
  if (again) return again;
  const inOrder = ofOrder(previous, { query, left }, composed);
  if (inOrder) return inOrder;
  // "And who works on them" after the first three: a column of these.
  if (composed.reference === 'those' && previous.limit !== undefined && composed.isWho && query.groupBy && !previous.groupBy)
    return { query: { ...previous, show: query.groupBy }, left };
  // "Does it have …" after the first of an order concerns that one; only its number is kept, not the record.
  if (composed.reference === 'those' && previous.limit !== undefined && own.length > 0) return { query, left: [...left, 'it'] };
  const isNarrowing = composed.reference === 'those';
  const fresh = isNarrowing ? own : own.flatMap((filter) => continued(filter, topOf(previous.where)));
  const fields = new Set(fresh.flatMap((filter) => ('not' in filter ? [] : filterFields(filter).map(concept))));
  let remaining = topOf(previous.where);
  if (composed.reference === 'rest' || composed.isElliptic) {
    const last = remaining.at(-1);
    if (last === undefined) return { query, left: [...left, composed.isElliptic ? 'not' : 'the rest'] };
    remaining = [...remaining.slice(0, -1), 'not' in last ? last.not : { not: last }];
  } else if (!isNarrowing)
    remaining = remaining
      .filter((filter) => !fresh.some((each) => contradicts(each, filter)))
      .filter((filter) => !filterFields(filter).some((field) => fields.has(concept(field))));
  if (previous.measure.kind === 'share' && composed.measure === 'count') remaining.push(previous.measure.of);
  // "Closed in October", "and in September": the new time takes the place of the old, of whatever time it was.
  // "New ones in November" after those fixed then: another time is meant.
  if (composed.hasTimeVerb) remaining = remaining.filter((filter) => !('within' in filter));
  const timed = query.time && remaining.find((filter) => 'within' in filter);
  if (timed && 'within' in timed)
    remaining = remaining.map((filter) => (filter === timed ? { ...timed, within: query.time! } : filter));
  const where = allOf([...remaining, ...fresh]);
  const time = timed ? previous.time : (query.time ?? previous.time);
  const isMeasured =
    composed.measure !== undefined || composed.groups.length > 0 || composed.isWho || composed.superlative !== undefined;
  const groups = query.groupBy ?? (composed.measure === undefined && !composed.superlative ? previous.groupBy : undefined);
  // "Split by partner" divides what was measured.
  const isOnlyDivided =
    composed.measure === undefined &&
    !composed.isWho &&
    composed.superlative === undefined &&
    previous.measure.kind !== 'list' &&
    previous.measure.kind !== 'exists';
  const measure = isMeasured && !isOnlyDivided && !(composed.measure === 'list' && groups) ? query.measure : previous.measure;
  const bucketTime = query.bucketTime ?? (groups === previous.groupBy ? previous.bucketTime : undefined);
  const having = query.having ?? (groups === previous.groupBy ? previous.having : undefined);
  const order = query.orderBy ?? (groups === previous.groupBy ? previous.orderBy : undefined);
  const limit = query.limit ?? (order === previous.orderBy && !isMeasured ? previous.limit : undefined);
  const isOld = query.time === undefined || previous.against?.average;
  const against = query.against ?? (isOld && composed.reference !== 'those' ? previous.against : undefined);
  const show = query.show ?? (composed.reference === 'same' ? previous.show : undefined);
  const next: Query = {
    entity: previous.entity,
    measure: measure.kind === 'exists' && fresh.length > 0 && composed.measure === undefined ? { kind: 'list' } : measure,
    ...(where && { where }),
    ...(time && schemas[previous.entity].time !== undefined && { time }),
    ...(groups && { groupBy: groups }),
    ...(bucketTime && { bucketTime }),
    ...(having && { having }),
    ...(order && { orderBy: order }),
    ...(limit !== undefined && { limit }),
    ...(against && { against }),
    ...(show && { show }),
  };
  // A number shows no columns.
  const isNumber = ['count', 'share'].includes(next.measure.kind) && !groups && !against;
  return { query: next, left: isNumber && query.show ? [...left, ...query.show] : left };
}

/** The same in another order; with the fewest first, those with none count too. */
function reordered(previous: Query, isAscending: boolean, limit = previous.limit): Query {
  const { field } = previous.orderBy!;
  if (field !== 'count') return { ...previous, orderBy: { field, isAscending }, ...(limit !== undefined && { limit }) };
  const filters = topOf(previous.where).map((filter) => {
    if (!('some' in filter)) return filter;
    const { count: _, ...some } = filter;
    return isAscending ? { ...some, count: { compare: '>=' as const, value: 0 } } : some;
  });
  const where = allOf(filters);
  return {
    ...previous,
    ...(where && { where }),
    orderBy: { field: 'count', isAscending },
    ...(limit !== undefined && { limit }),
  };
}

/** "And Priya" after "closed by Nadia": in the same role. */
export function inRoleOf(previous: Query, { query, left }: Built, schemas: Schemas): Built {
  const namesOf = (field: string) => (schemas[previous.entity].attributes[field] as { names?: string } | undefined)?.names;
  const before = topOf(previous.where).flatMap((filter) => ('in' in filter ? [filter.field] : []));
  const roleOf = (filter: QueryFilter): QueryFilter => {
    if (!('in' in filter) || namesOf(filter.field) !== 'account' || before.includes(filter.field)) return filter;
    const roles = before.filter((field) => namesOf(field) === 'account');
    return roles.length === 1 ? { ...filter, field: roles[0]! } : filter;
  };
  const where = allOf(topOf(query.where).map(roleOf));
  return { query: { ...query, ...(where && { where }) }, left };
}

/** "Which devices" after "critical findings at Birch": the records of another entity that have those before. */
export function relatedTo(previous: Query, { query, left }: Built, schemas: Schemas): Built | undefined {
  if (query.entity === previous.entity || !areRelated(schemas, query.entity, previous.entity) || previous.limit !== undefined)
    return undefined;
  const { where, time } = previous;
  const some: QueryFilter = { some: previous.entity, ...(where && { where }), ...(time && { time }) };
  // "Which client sends the most": of what was counted before.
  const rest = topOf(query.where).filter(
    (filter) =>
      !(query.orderBy?.field === 'count' && 'some' in filter && filter.some === 'alert' && !filter.where && !filter.time),
  );
  return { query: { ...query, where: allOf([some, ...rest])! }, left };
}

/** "And cases?" after "alerts at Birch last week": the same of another entity; undefined if a filter holds for the one before alone. */
export function retargeted(previous: Query, { query, left }: Built, composed: Composed, schemas: Schemas): Built | undefined {
  const { attributes, time: ownTime } = schemas[query.entity];
  const fresh = topOf(query.where);
  const own = new Set(fresh.flatMap(filterFields).map(concept));
  const remaining = topOf(previous.where)
    .map((filter) => moved(filter, previous.entity, query.entity, schemas))
    .filter((filter) => filter === undefined || !filterFields(filter).some((field) => own.has(concept(field))));
  if (remaining.includes(undefined) || 'field' in previous.measure || previous.measure.kind === 'share' || previous.against)
    return undefined;
  const time = query.time ?? (fresh.some((filter) => 'within' in filter) ? undefined : previous.time);
  if (time && !ownTime) return undefined;
  const groups = query.groupBy ?? (composed.measure === undefined ? previous.groupBy : undefined);
  if (groups?.some((field) => attributes[field] === undefined && !buckets.has(field))) return undefined;
  const where = allOf([...(remaining as QueryFilter[]), ...fresh]);
  const measure = composed.measure === undefined ? previous.measure : query.measure;
  return {
    query: {
      ...query,
      measure: groups && measure.kind === 'list' ? { kind: 'count' } : measure,
      ...(where && { where }),
      ...(time && { time }),
      ...(groups && { groupBy: groups }),
      ...(groups && groups === previous.groupBy && previous.having && { having: previous.having }),
    },
    left,
  };
}
const buckets: ReadonlySet<string> = new Set(queryBuckets);

/** A filter of one entity for another that has the same attribute: names, severity, category. */
function moved(filter: QueryFilter, from: QueryEntity, to: QueryEntity, schemas: Schemas): QueryFilter | undefined {
  if ('not' in filter) {
    const inner = moved(filter.not, from, to, schemas);
    return inner && { not: inner };
  }
  if (!('field' in filter)) return undefined;
  const own = schemas[from].attributes[filter.field];
  const nameOf = (attribute: typeof own) =>
    attribute?.type === 'name' || attribute?.type === 'names' ? attribute.names : undefined;
  const kind = nameOf(own);
  const field =
    kind === undefined
      ? filter.field
      : nameOf(schemas[to].attributes[filter.field]) === kind
        ? filter.field
        : Object.keys(schemas[to].attributes).find((each) => nameOf(schemas[to].attributes[each]) === kind);
  const other = field === undefined ? undefined : schemas[to].attributes[field];
  if (!own || !other || field === undefined) return undefined;
  if (kind === undefined && !(own.title === other.title && own.type === other.type && shared.has(own.title))) return undefined;
  return { ...filter, field } as QueryFilter;
}
/** Titles of attributes that mean the same of every entity. */
const shared = new Set(['severity', 'category', 'device type', 'on a weekend', 'weekday', 'hour of the day', 'in working hours']);

/** The question before was about one device, user or client as a whole. */
export const isSubject = ({ entity, where, groupBy, measure }: Query): boolean =>
  where !== undefined &&
  measure.kind === 'list' &&
  !groupBy &&
  'in' in where &&
  where.in.length === 1 &&
  (where.field === 'name' || (entity === 'risk' && where.field === 'client'));

/** The last query before, with those beside it that differ in their measure alone: "MTTA and MTTR". */
export function siblingsOf(previous: readonly Query[]): Query[] {
  const last = previous.at(-1)!;
  const key = ({ measure: _, ...rest }: Query) => JSON.stringify(rest);
  return previous.filter((query) => 'field' in query.measure && 'field' in last.measure && key(query) === key(last)).length > 1
    ? previous.filter((query) => key(query) === key(last))
    : [last];
}

/**
 * Relation of a short question with another noun to the one before: `same` of that noun ("and cases?"), its records (`others`: "which devices"), or a
 * `column` ("and its owner").
 */
export function asksAbout(segments: readonly Segment[]): 'same' | 'others' | 'column' | undefined {
  const content = segments.filter(hasContent).filter(({ items }) => items.measure?.measure !== 'list' && !items.distinct);
  if (content.length > 3) return undefined;
  const [first] = segments;
  const noun = content.find(({ items }) => items.entity);
  if (!first || !noun) return undefined;
  if (first.items.follow ?? first.items.and ?? (first === noun ? first.items.entity : undefined)) return 'same';
  const isAsked = segments
    .slice(0, 3)
    .some(
      ({ items, text }) =>
        (items.which ?? items.who) !== undefined || items.measure?.measure === 'count' || /\b(?:which|what)$/i.test(text),
    );
  if (!isAsked) return undefined;
  return noun.isPlural || content.some(({ items }) => items.measure) ? 'others' : 'column';
}

/** "Alerts on it", "are those devices online": the noun is one of others, which have those before. */
export function refersToRecords(segments: readonly Segment[]): boolean {
  const content = segments.filter(hasContent);
  const at = content.findIndex(
    ({ items }) => items.reference && !items.filler && !items.reference.isSame && !items.reference.isRest,
  );
  return at >= 0 && (content[at + 1]?.items.entity !== undefined || (at === content.length - 1 && at > 0));
}
