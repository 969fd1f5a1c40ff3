/** Usual questions (`usual.data.ts`) with what a question that was not understood says of its own: names, values, a time, a limit. */
import { readFileSync } from 'node:fs';
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import type { EntitySchema } from '../../../domain/query/schema.ts';
import { type Element, elementsOf, wordsIn } from './elements.ts';
import { allOf, filterFields, type Schemas, topOf } from './frames.ts';
import type { Carried, Wished } from './wishes.ts';

export interface Usual {
  /** In the words of the portal. */
  words: readonly string[];
  query: Query;
  /** Negations and absences alone, one of which a question that denies wants: "did not blow" is no breach. */
  denials: number;
  /** Attribute that a time of the question is of: "closed". */
  timed?: string;
}

const keys = new WeakMap<Element, string>();
/** An element's filter, to compare with those of a query. */
function keyOf(element: Element): string {
  const key = keys.get(element) ?? JSON.stringify(element.filter) ?? '';
  keys.set(element, key);
  return key;
}

type Related = Extract<QueryFilter, { some: QueryEntity }>;

const negativesIn = (filter: QueryFilter, isNegative: (filter: QueryFilter) => boolean): number =>
  'and' in filter
    ? filter.and.reduce((sum, each) => sum + negativesIn(each, isNegative), 0)
    : 'not' in filter || isNegative(filter)
      ? 1
      : 'some' in filter && filter.where
        ? negativesIn(filter.where, isNegative)
        : 0;

function usualOf(text: string, query: Query, schemas: Schemas): Usual {
  const words = wordsIn(text).filter((word) => !grammar.test(word));
  const all = elementsOf(query.entity, schemas);
  const negative = all.filter(({ isNegative }) => isNegative).map(keyOf);
  const isNegative = (filter: QueryFilter) => negative.includes(JSON.stringify(filter));
  const countOf = (fits: typeof isNegative) => (query.where ? negativesIn(query.where, fits) : 0);
  const has = (pattern: RegExp) => (words.some((word) => pattern.test(word)) ? 1 : 0);
  const timed = all.find(
    ({ kind, phrases }) => kind === 'time' && phrases.some(([word, more]) => word && !more && words.includes(word)),
  );
  return {
    words,
    query,
    denials: Math.max(
      countOf((filter) => isNegative(filter) && !isBad(filter)),
      has(lacking),
    ),
    ...(timed && timed.field !== schemas[query.entity].time && { timed: timed.field }),
  };
}

/** Words of usual questions that are like words of any question. */
const grammar = /^(?:how|many|who|that|the|are|were|was|is|of|by|with|in|to|for|on)$/;
/** States that deny something without a negation. */
const denying = /^(?:unprocessed|failed|expired|outdated|breached|silent|disabled|unused|unscanned|false)$/;
/** Those that mean "not …". */
const lacking = /^(?:unprocessed|unused|unscanned)$/;
const isBad = (filter: QueryFilter): boolean => 'in' in filter && filter.in.some((value) => denying.test(String(value)));

/** All, in the order of `usual.data.ts`. */
export const usualFile = () =>
  JSON.parse(readFileSync(new URL('./usual.queries', import.meta.url), 'utf8')) as { text: string; query: Query }[];

const made = new WeakMap<Schemas, Map<QueryEntity, Usual[]>>();

/** Of an entity; the file is read when a question is first not understood. */
export function usualQuestionsOf(entity: QueryEntity, schemas: Schemas): readonly Usual[] {
  let all = made.get(schemas);
  if (!all) {
    all = new Map();
    for (const { text, query } of usualFile()) {
      const own = all.get(query.entity) ?? [];
      own.push(usualOf(text, query, schemas));
      all.set(query.entity, own);
    }
    made.set(schemas, all);
  }
  return all.get(entity) ?? [];
}

const holds = ({ isDenied }: Carried, denials: number): boolean => !isDenied || denials === 1;

/** True if "latest" has no place: in groups, or beside another order. */
const isOtherwiseOrdered = ({ groupBy, orderBy }: Query, { time }: EntitySchema, { isByTime, isMost }: Wished): boolean =>
  isByTime &&
  isMost !== undefined &&
  (groupBy !== undefined || (orderBy !== undefined && (orderBy.field !== time || Boolean(orderBy.isAscending) === isMost)));

/** False if a part of the question would be lost. */
export function keepsQuestion({ query, denials }: Usual, schema: EntitySchema, wished: Wished, carried: Carried): boolean {
  const { measure, groupBy, orderBy } = query;
  const isMean = measure.kind === 'mean' || measure.kind === 'median';
  const isMost = orderBy ? !orderBy.isAscending : undefined;
  if (!holds(carried, denials) || isOtherwiseOrdered(query, schema, wished)) return false;
  if (wished.limit !== undefined && !orderBy && !groupBy && !wished.isByTime) return false;
  if ((measure.kind === 'share') !== wished.isShare || (wished.isMean && !isMean) || (wished.isDivided && !groupBy)) return false;
  if (wished.isMost !== undefined && !wished.isByTime && !(isMost === wished.isMost || (groupBy && !orderBy))) return false;
  // A number has no order.
  if (wished.isCount && orderBy && wished.isMost === undefined && !wished.hasOrder) return false;
  // An order by time has words that are known.
  return !(wished.hasOrder && wished.isMost === undefined && orderBy && schema.attributes[orderBy.field]?.type === 'time');
}

const hasTime = (query: Query, schemas: Schemas, entity: QueryEntity): boolean =>
  schemas[entity].time !== undefined && !query.time;

/** The query of a related entity's records, whose own time and names they are: "most alerts at Birch last week". */
export const relatedOf = ({ where }: Query): Related | undefined => {
  const [filter, another] = topOf(where)
    .flatMap((each) => ('not' in each ? [each.not] : [each]))
    .filter((each) => 'some' in each);
  return another || !filter ? undefined : (filter as Related);
};

/** A filter with its related records changed, denied or not. */
export const within = (filter: QueryFilter, change: (related: Related) => Related): QueryFilter =>
  'not' in filter ? { not: within(filter.not, change) } : 'some' in filter ? change(filter) : filter;

/** Filters of the question that the query lacks; undefined if one says something else of the same attribute. */
function addedTo(known: readonly QueryFilter[], carried: Carried, { query, timed }: Usual): QueryFilter[] | undefined {
  if (carried.filters.length === 0) return [];
  // "Wrapped up by Priya": closed by her.
  const doer = timed?.replace(/(?:Time|At)$/, 'By');
  const all = [...known, ...('of' in query.measure ? [query.measure.of] : [])].map((filter) => JSON.stringify(filter));
  const added = carried.filters
    .map(({ filter, options }) => options.find(({ field }) => field === doer)?.filter ?? filter)
    .filter((filter) => !all.includes(JSON.stringify(filter)));
  const fields = new Set(known.flatMap(filterFields));
  return added.flatMap(filterFields).some((field) => fields.has(field)) ? undefined : added;
}

/** The order that a superlative asks for: of groups, or by time ("newest"); undefined if the query cannot have it. */
function orderFor({ query }: Usual, { isByTime, isMost }: Wished, schemas: Schemas): { orderBy?: Query['orderBy'] } | undefined {
  const { orderBy, groupBy } = query;
  const { time } = schemas[query.entity];
  if (groupBy && isMost !== undefined && !isByTime && !orderBy)
    return { orderBy: { field: query.measure.kind === 'count' ? 'count' : 'value', isAscending: !isMost } };
  if (!isByTime || isMost === undefined || orderBy || groupBy) return orderBy ? { orderBy } : {};
  return time ? { orderBy: { field: time, isAscending: !isMost } } : undefined;
}

interface Added {
  filters: readonly QueryFilter[];
  time?: Carried['time'];
  count?: Related['count'];
}

const isRelation = (filter: QueryFilter): boolean => 'some' in filter;

/** Of the related records; `count` is the number of them, whatever the rest is of. */
function withRelated(query: Query, { filters, time, count }: Added): Query {
  const change = (each: Related): Related => {
    const where = allOf([...topOf(each.where), ...filters]);
    return { ...each, ...(where && { where }), ...(time && { time }), ...(count && { count }) };
  };
  return { ...query, where: allOf(topOf(query.where).map((filter) => within(filter, change)))! };
}

/** Of the records themselves. */
function withOwn(query: Query, timed: string | undefined, { filters, time, count }: Added): Query {
  const where = allOf([
    ...topOf(query.where).map((filter) => (count && 'some' in filter ? { ...filter, count } : filter)),
    ...filters,
    ...(time && timed ? [{ field: timed, within: time }] : []),
  ]);
  return { ...query, ...(where && { where }), ...(time && !timed && { time }) };
}

/** With the filters, the time and the limit of the question; undefined if they have no place. `isRelated`: they are of the related records. */
export function usualWith(
  usual: Usual,
  carried: Carried,
  wished: Wished,
  schemas: Schemas,
  isRelated: boolean,
): Query | undefined {
  const { query, timed } = usual;
  const related = relatedOf(query);
  const filters = addedTo(topOf(isRelated ? related?.where : query.where), carried, usual);
  const order = orderFor(usual, wished, schemas);
  const bound = wished.bound;
  if (!filters || !order) return undefined;
  if (bound && (bound.isMinutes || order.orderBy || !topOf(query.where).some(isRelation))) return undefined;
  const timedEntity = isRelated ? related?.some : query.entity;
  if (timedEntity === undefined || (carried.time && !(timed && !isRelated) && !hasTime(query, schemas, timedEntity)))
    return undefined;
  const isCount = wished.isCount && query.measure.kind === 'list' && !order.orderBy && !query.groupBy;
  const base: Query = {
    ...query,
    ...order,
    ...(wished.limit !== undefined && order.orderBy && { limit: wished.limit }),
    ...(isCount && { measure: { kind: 'count' } }),
  };
  const added: Added = {
    filters,
    ...(carried.time && { time: carried.time }),
    ...(bound && { count: { compare: bound.compare, value: bound.value } }),
  };
  return isRelated ? withRelated(base, added) : withOwn(base, timed, added);
}
