/** Builds the query of a composed reading; what it cannot express is added to the words left behind. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import {
  type Query,
  type QueryEntity,
  type QueryFilter,
  type QueryMeasure,
  type QueryValue,
  queryOwners,
  queryPers,
} from '@parapet/contract/rules/query.ts';
import type { Composed } from './composed.ts';
import { bound, withDistinct } from './distinct.ts';
import { allOf, type Condition, type Frame, isOrderable, namesOf, relationOf, type Schemas, signed, topOf } from './frames.ts';
import { order } from './ordering.ts';
import { bucketTimeOf, covers, eitherTime, mixedTimes, wasOpen } from './past.ts';

export interface Built {
  query: Query;
  left: string[];
}

/** Duration that "how long" measures of an entity. */
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
  const relations = (composed.frames.length > 1 ? related : []).map(relationOf);
  // A score is shown, not counted.
  let query: Query = {
    entity: composed.head,
    measure: composed.head === 'risk' && measure.kind === 'count' ? { kind: 'list' } : measure,
  };
  saidAsNouns(composed, schemas);
  const opposed = composed.isCompared && composed.times.length === 0 ? takeOpposed(head) : undefined;
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
  else if (time && head.time && (covers(time, head.time) || covers(head.time, time))) left.push(time.label);
  else if (time && head.time) query = eitherTime(query, [head.time, time], schemas);
  // "With alerts today and yesterday"
  else if (time) left.push(time.label);
  if (opposed && ['list', 'exists'].includes(query.measure.kind)) query.measure = { kind: 'count' };
  if (opposed) query.against = { where: allOf([...topOf(query.where).slice(0, -1 - relations.length), opposed, ...relations])! };
  if (composed.isPastOpen && query.time)
    if (composed.superlative || 'field' in query.measure) left.push('open');
    else {
      const past = wasOpen(query);
      if (!past) left.push('open');
      query = past ?? query;
    }
  // Parts of the opening time do not concern the closing.
  left.push(...mixedTimes(query, schemas));
  byStateTime(query, composed);
  divideCompared(query, composed);
  byAge(query);
  groupBy(query, composed, schemas, left, before);
  // Scores are no records to count.
  if (query.entity === 'risk' && !query.time && ['day', 'week', 'month'].includes(query.groupBy?.[0] ?? '')) left.push('time');
  if (query.entity === 'risk' && query.groupBy && query.measure.kind === 'count')
    query.measure = { kind: 'mean', field: 'riskScore' };
  // A mean is compared with one figure: of no list, no groups, and no order.
  if (composed.isAverage && (composed.head === 'client' || query.groupBy || query.show || composed.superlative))
    left.push('other clients');
  else if (composed.isAverage) query.against = { average: 'client' };
  // "Did Birch or Cedar have more alerts?"
  const many = manyValued(query.where);
  if (composed.superlative?.isMore && !query.against && many !== undefined && !['weekday', 'hour'].includes(many))
    composed.isCompared = true;
  if (composed.isCompared && !query.against) {
    const field = manyValued(query.where);
    // "Dogwood against Elm, alerts per device": both.
    if (field === 'hour') left.push('compared');
    else if (composed.isCombined) compareSides(query, composed, field, left);
    else if (!query.groupBy) compareValues(query, left, before);
    else if (field === undefined) left.push('compared');
    else if (!query.groupBy.includes(field)) query.groupBy.unshift(field);
  }
  const bucketTime = bucketTimeOf(query, composed, schemas);
  if (bucketTime !== undefined) query.bucketTime = bucketTime;
  if (composed.having && !composed.bridge) bound(query, composed.having, left);
  order(query, composed, schemas, left, before);
  query = withDistinct(query, composed, left);
  if (composed.isAlphabetic) alphabetically(query, schemas, left);
  // "The top 3 rules per client": a limit holds for all groups together.
  if (query.limit !== undefined && query.groupBy?.[1]) left.push('by');
  if (composed.limit !== undefined && !composed.superlative) {
    if (query.measure.kind === 'list' || query.groupBy) query.limit = composed.limit;
    else left.push(String(composed.limit));
  }
  // Groups show no columns; the client of each may be given as well.
  if (query.groupBy && query.show) {
    left.push(...query.show.filter((field) => field !== 'client' && field !== 'partner' && !query.groupBy!.includes(field)));
    delete query.show;
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
      if (isShareOfAll(composed)) return { kind: 'count', isShare: true };
      // "Ended up in a case rather than folded": both are counted.
      const same = composed.frames[0]!.conditions.filter(({ field }) => of.some((each) => each.field === field));
      const counted = of.length > 0 ? [...same, ...of] : countedIn(composed, schemas);
      composed.frames[0]!.conditions = composed.frames[0]!.conditions.filter((condition) => !same.includes(condition));
      if (of.length === 0)
        composed.frames[0]!.conditions = composed.frames[0]!.conditions.filter((condition) => !counted.includes(condition));
      left.push(...contradictions(counted));
      // "Cedar's share of critical ones against the average": Cedar's alerts, as those of others.
      const own = composed.isAverage ? counted.filter(({ field }) => field === 'client' || field === 'partner') : [];
      counted.splice(0, counted.length, ...counted.filter((each) => !own.includes(each)));
      composed.frames[0]!.conditions.push(...own);
      const filter = allOf([...counted.map(signed), ...(of.length > 0 ? [] : relationsCounted(composed))]);
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
      const per = [...queryPers, ...queryOwners].find((each) => composed.groups.length === 1 && composed.groups[0] === each);
      const isOwned = per !== undefined && schemas[head].attributes[per]?.type === 'name';
      // "Average alerts per day in October", "average alerts per client"
      if (kind === 'mean' && per !== undefined && (isOwned || composed.frames[0]!.time) && measured === undefined) {
        composed.groups = [];
        return { kind: 'count', per };
      }
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

/** "What share is each severity": every group as a share of all. */
const isShareOfAll = ({ groups, of, frames, isUniversal }: Composed): boolean =>
  groups.length > 0 &&
  of.length === 0 &&
  !isUniversal &&
  frames.length === 1 &&
  frames[0]!.conditions.every((each) => each.isNegated || groups.includes(each.field) || isSubject(each));

/** "Alder vs Birch, this month against last": a figure of each, in both times. */
function divideCompared(query: Query, { comparedWith, isCombined }: Composed): void {
  const many = topOf(query.where).find((filter) => 'in' in filter && filter.in.length > 1);
  if (!query.against?.time || query.groupBy || isCombined || !comparedWith || !many || !('in' in many)) return;
  if (comparedWith.length < many.in.length && many.in.includes(comparedWith[0]!)) query.groupBy = [many.field];
}

/** By name, or by the first of the groups. */
function alphabetically(query: Query, schemas: Schemas, left: string[]): void {
  const { attributes, named = 'name' } = schemas[query.entity];
  const field = query.groupBy?.[0] ?? named;
  if (query.orderBy || !(query.groupBy ?? attributes[field]) || !['list', 'count'].includes(query.measure.kind))
    left.push('alphabetically');
  else query.orderBy = { field, isAscending: true };
}

/** "The share of servers with critical findings": those with related records are counted, if no other condition concerns the head. */
function relationsCounted(composed: Composed): QueryFilter[] {
  const [head, ...related] = composed.frames as [Frame, ...Frame[]];
  if (related.length === 0 || !head.conditions.every(isSubject)) return [];
  composed.frames = [head];
  return related.map(relationOf);
}
const isSubject = ({ isNoun, filter }: Condition): boolean =>
  isNoun === true || ('in' in filter && ['client', 'partner', 'device', 'user'].includes(filter.field));

/** "How many SLA breaches": a flag used as a noun is a condition of the counted records. */
function saidAsNouns(composed: Composed, schemas: Schemas): void {
  // "How many findings did we fix" names the records themselves.
  const isCounted = composed.groups.length > 0 || ['count', 'exists'].includes(composed.measure ?? '');
  if (!isCounted || composed.isHeadSaid) return;
  const isFlag = (field: string) => schemas[composed.head].attributes[field]?.type === 'flag';
  for (const field of composed.shown.filter(isFlag))
    composed.frames[0]!.conditions.push({ field, filter: { field, is: true }, isNegated: false });
  composed.shown = composed.shown.filter((field) => !isFlag(field));
}

/** "Open against closed ones": removes the second of two opposed flags; the first stands last. */
function takeOpposed(head: Frame): QueryFilter | undefined {
  const isOpposed = (a: Condition, b: Condition) =>
    'is' in a.filter &&
    (('is' in b.filter && a.field === b.field && (a.filter.is !== a.isNegated) !== (b.filter.is !== b.isNegated)) ||
      (a.field === 'isWeekend' && b.field === 'weekday'));
  for (const first of head.conditions) {
    const second = head.conditions.slice(head.conditions.indexOf(first) + 1).find((each) => isOpposed(first, each));
    if (!second) continue;
    head.conditions = [...head.conditions.filter((each) => each !== first && each !== second), first];
    return signed(second);
  }
  return undefined;
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
function countedIn({ head, frames, isUniversal }: Composed, schemas: Schemas): Condition[] {
  const [{ conditions }] = frames as [Frame, ...Frame[]];
  if (isUniversal) return frames.length === 1 ? conditions.slice(-1) : [];
  const all = conditions.filter(({ field }) =>
    ['choice', 'flag', 'number', 'time'].includes(schemas[head].attributes[field]?.type ?? ''),
  );
  // "The share of servers without an agent": of the servers; "of critical cases closed automatically": of the critical ones.
  const others = all.filter(({ isNoun }) => !isNoun);
  const states = [others.filter(({ isBeforeNoun }) => !isBeforeNoun), others, all].find(({ length }) => length > 0) ?? [];
  if (frames.length > 1 && conditions.every(isSubject)) return [];
  const names = conditions.filter(({ field }) => schemas[head].attributes[field]?.type.startsWith('name'));
  return states.length > 0 ? states : names.length === 1 ? names : [];
}

/** Durations of closing are of the closing time, unless that of another verb is given, and so is a state of which two times are compared. */
function byStateTime(query: Query, { comparedState, hasTimeVerb }: Composed): void {
  const isMeasured = 'field' in query.measure && query.measure.field === 'timeToClose';
  const isBound = !hasTimeVerb && topOf(query.where).some((filter) => 'compare' in filter && filter.field === 'timeToClose');
  const field = query.entity === 'case' && (isMeasured || isBound) ? 'closedTime' : comparedState;
  if (field === undefined) return;
  const closed = (time: NonNullable<Query['time']>) => allOf([...topOf(query.where), { field, within: time }])!;
  if (query.against?.time) query.against = { where: closed(query.against.time) };
  if (query.time) query.where = closed(query.time);
  delete query.time;
}

/** "How long do findings stay unfixed": what is open has no time to its end, but an age. */
function byAge(query: Query): void {
  const { measure, where } = query;
  const isOpen = topOf(where).some((filter) => 'in' in filter && filter.field === 'state' && filter.in.includes('open'));
  if ('field' in measure && measure.field === 'timeToFix' && isOpen) query.measure = { ...measure, field: 'age' };
}

function groupBy(query: Query, composed: Composed, schemas: Schemas, left: string[], before: Query | undefined): void {
  const groups = [...composed.groups];
  const [only] = composed.shown;
  // "Who reviewed most": the given attribute is the group.
  if (
    composed.superlative &&
    composed.superlative.field === undefined &&
    !composed.superlative.isTime &&
    groups.length === 0 &&
    composed.shown.length === 1 &&
    only !== undefined
  ) {
    // "Risk scores, highest first": an order by it.
    if (isOrderable(schemas[query.entity].attributes[only]!) && !composed.superlative.isOften) composed.superlative.field = only;
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
    const stated =
      persons.find(([, { words }]) => words.includes(`${composed.whoVerb} by`)) ??
      (composed.whoVerb && (query.entity === 'vulnerability' || isDoneToOthers(composed.whoVerb, schemas))
        ? undefined
        : persons[0]) ??
      Object.entries(attributes).find(([, attribute]) => attribute.type === 'name' && attribute.names === 'user');
    const isOne =
      query.where !== undefined && topOf(query.where).some((filter) => 'field' in filter && filter.field === 'number');
    if (stated && (isOne || query.limit === 1) && groups.length === 0)
      query.show = [...new Set([...(query.show ?? []), stated[0]])];
    else if (stated) groups.push(stated[0]);
    // "Who is the noisiest client"
    else if (query.entity !== 'client' || !composed.superlative) left.push('who');
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

/** Days up to a month and a half, weeks up to half a year, else months. */
function trendOf({ entity, time }: Query, schemas: Schemas, left: string[]): string[] {
  if (schemas[entity].time === undefined) left.push('trend');
  const days = time ? (Date.parse(time.end) - Date.parse(time.start)) / dayMs : Number.POSITIVE_INFINITY;
  return schemas[entity].time === undefined ? [] : [days <= 45 ? 'day' : days <= 180 ? 'week' : 'month'];
}

/** "Reviewed by" is of reviews: no person of a case did it. */
const isDoneToOthers = (verb: string, schemas: Schemas): boolean =>
  Object.values(schemas).some(({ attributes }) =>
    Object.values(attributes).some((each) => namesOf(each) === 'account' && each.words.includes(`${verb} by`)),
  );

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

/** "Alder versus Birch and Cedar combined": one figure for each side. */
function compareSides(query: Query, { comparedWith = [] }: Composed, field: string | undefined, left: string[]): void {
  const top = topOf(query.where);
  const own = top.find((filter) => 'in' in filter && filter.field === field);
  const others = own && 'in' in own ? own.in.filter((value) => !comparedWith.includes(value)) : [];
  if (!own || !('in' in own) || comparedWith.length === 0 || others.length === 0 || query.groupBy)
    return void left.push('combined');
  const side = (values: readonly QueryValue[]) =>
    allOf(top.map((filter) => (filter === own ? { ...own, in: [...values] } : filter)))!;
  query.where = side(comparedWith);
  query.against = { where: side(others) };
  if (query.measure.kind === 'list' || query.measure.kind === 'exists') query.measure = { kind: 'count' };
}
