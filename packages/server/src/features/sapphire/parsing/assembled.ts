/** Queries of what a question is likely to ask (`learned.ts`), with the names, times and numbers that it has; of one that cannot have them, none. */
import type { Query, QueryComparison, QueryEntity, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import { isDivided, type Offer } from './bank.ts';
import { anyName, anyNumber, anyTime, conditionsOf } from './conditions.ts';
import { compared } from './counting.ts';
import { elementsOf } from './elements.ts';
import { allOf, optionOf, type Related, type Schemas, topOf, unitOf, withRelated } from './frames.ts';
import type { Option } from './items.ts';
import { fieldPart, isOfShare, type Likely, LikelyQueries } from './learned.ts';
import type { Segment } from './segments.ts';

const maxLikely = 120;
const plainWords = 10;
/** Shares from which on several parts are one question, and a word that is not understood is denied by the query. */
const [wholeLikely, deniedLikely] = [0.5, 0.4];

interface NumberSaid {
  value: number;
  unit?: 'minutes' | 'percent';
  /** As said before it: "more than 5". */
  compare?: QueryComparison;
}

/** Of a question, besides its words. */
interface Said {
  times: QueryTime[];
  names: { options: readonly Option[]; isDenied: boolean }[];
  numbers: NumberSaid[];
}

const denies = ({ items }: Segment): boolean => Boolean(items.not ?? items.except);
const joins = ({ items }: Segment): boolean =>
  Boolean(
    items.preposition ??
      items.filler ??
      items.and ??
      items.or ??
      items.comma ??
      items.value ??
      items.entity ??
      items.that ??
      items.have,
  );
/** After a negation, with nothing but values and what joins them between. */
function isDeniedAt(segments: readonly Segment[], at: number): boolean {
  let isAfterComma = false;
  for (let before = at - 1; before >= 0; before--) {
    const { items } = segments[before]!;
    // "Except Birch, Cedar", but "not silent, Cedar"
    if (denies(segments[before]!)) return items.except !== undefined || !isAfterComma;
    if (!joins(segments[before]!)) return false;
    isAfterComma ||= items.comma !== undefined;
  }
  return false;
}

const isNamed = ({ items: { value } }: Segment): boolean => value?.isName === true && !value.isGuess;

function saidIn(segments: readonly Segment[]): Said {
  const said: Said = { times: [], names: [], numbers: [] };
  for (const [at, segment] of segments.entries()) {
    const { time, value, number } = segment.items;
    if (time) {
      if (time.time.label !== 'all time') said.times.push(time.time);
    } else if (isNamed(segment)) said.names.push({ options: value!.options, isDenied: isDeniedAt(segments, at) });
    else if (number) {
      const [before, after] = [segments[at - 1]?.items, segments[at + 1]?.items];
      const compare = before?.compare ?? after?.compare;
      // "Two factor" counts nothing.
      if (/^[a-z]+$/i.test(segment.text) && !after?.entity && !compare) continue;
      said.numbers.push({
        value: number.value,
        ...(number.unit && { unit: number.unit }),
        ...(compare && !compare.isAge && { compare: compare.comparison }),
      });
    }
  }
  return said;
}

/** Conditions of an entity that the lexicon reads. */
function knownConditions(segments: readonly Segment[], entity: QueryEntity, schemas: Schemas): ReadonlySet<string> {
  const known = new Set<string>();
  for (const [at, segment] of segments.entries()) {
    const { value, time, bucket } = segment.items;
    if (!value || value.isName || value.isGuess || time || bucket) continue;
    const option = optionOf(value.options, entity, []);
    const comparison = segments[at - 1]?.items.compare ?? segments[at + 1]?.items.compare;
    const filter =
      option && comparison && isOrdered(option, schemas) ? compared(option, comparison.comparison).filter : option?.filter;
    if (filter) for (const each of conditionsOf(filter, entity, schemas, isDeniedAt(segments, at))) known.add(each);
  }
  return known;
}

const isOrdered = ({ entity, field }: Option, schemas: Schemas): boolean => {
  const attribute = schemas[entity].attributes[field];
  return attribute?.type === 'choice' && attribute.isOrdered === true;
};

interface Filling {
  entity: QueryEntity;
  schemas: Schemas;
  numbers: NumberSaid[];
  time: QueryTime | undefined;
  names: Said['names'];
  isTimeUsed: boolean;
  /** Within a negation. */
  isNot: boolean;
}

/** A name, a time or a number that a query wants and the question lacks, or the other way round. */
class NoPlace extends Error {}

/** The number of the unit of an attribute that has no place yet. */
function numberFor(filling: Filling, unit: string | undefined, compare: unknown): NumberSaid {
  const wanted = unit === 'minutes' || unit === 'percent' ? unit : undefined;
  const at = filling.numbers.findIndex((each) => each.unit === wanted || (wanted === 'percent' && each.unit === undefined));
  if (at < 0) throw new NoPlace();
  return { compare: compare as QueryComparison, ...filling.numbers.splice(at, 1)[0]! };
}

function timeFor(filling: Filling): QueryTime {
  if (!filling.time) throw new NoPlace();
  filling.isTimeUsed = true;
  return filling.time;
}

/** A person for the attribute, denied as the question has it. */
function personFor(filling: Filling, field: string): QueryFilter {
  const at = filling.names.findIndex(
    ({ options, isDenied }) =>
      isDenied === filling.isNot && options.some((each) => each.entity === filling.entity && each.field === field),
  );
  if (at < 0) throw new NoPlace();
  const [name] = filling.names.splice(at, 1);
  return name!.options.find((each) => each.entity === filling.entity && each.field === field)!.filter;
}

/** A condition with what the question has in place of its marks. */
function filled(value: unknown, filling: Filling, entity: QueryEntity): unknown {
  if (Array.isArray(value)) return value.map((each) => filled(each, filling, entity));
  if (value === null || typeof value !== 'object') return value;
  const filter = value as Record<string, unknown>;
  const field = filter.field as string | undefined;
  const attribute = field === undefined ? undefined : filling.schemas[entity].attributes[field];
  if (filter.not !== undefined) {
    const inner = { ...filling, isNot: !filling.isNot };
    const not = filled(filter.not, inner, entity);
    filling.isTimeUsed ||= inner.isTimeUsed;
    return { not };
  }
  if (filter.within === anyTime) return { field, within: timeFor(filling) };
  if (filter.value === anyNumber && field !== undefined) {
    const { value: number, compare } = numberFor(filling, unitOf(attribute), filter.compare);
    return { ...filter, compare, value: number };
  }
  if (Array.isArray(filter.in) && filter.in[0] === anyName) return personFor(filling, field!);
  if (typeof filter.some === 'string') {
    const some = filter.some as QueryEntity;
    const count = filter.count as { value: unknown; compare: unknown } | undefined;
    const bound = count?.value === anyNumber ? numberFor(filling, undefined, count.compare) : undefined;
    return {
      some,
      ...(filter.where !== undefined && { where: filled(filter.where, filling, some) }),
      ...(filter.time === anyTime && { time: timeFor(filling) }),
      ...(count && { count: bound ? { compare: bound.compare, value: bound.value } : count }),
    };
  }
  return Object.fromEntries(Object.entries(filter).map(([key, each]) => [key, filled(each, filling, entity)]));
}

/** Values of one attribute are one list. */
function joined(filters: readonly QueryFilter[]): QueryFilter[] {
  const lists = new Map<string, { filter: QueryFilter; values: (string | number | boolean)[] }>();
  const result: QueryFilter[] = [];
  for (const filter of filters) {
    const [inner, isNot] = 'not' in filter ? [filter.not, true] : [filter, false];
    if (!('in' in inner)) {
      result.push(filter);
      continue;
    }
    const key = `${isNot} ${inner.field}`;
    const list = lists.get(key);
    if (list) list.values.push(...inner.in.filter((value) => !list.values.includes(value)));
    else lists.set(key, { filter, values: [...inner.in] });
  }
  return [
    ...result,
    ...[...lists.values()].map(({ filter, values }): QueryFilter => {
      const inner = 'not' in filter ? filter.not : filter;
      const list = { field: (inner as { field: string }).field, in: values };
      return 'not' in filter ? { not: list } : list;
    }),
  ];
}

const relationIn = (filters: readonly QueryFilter[]): Related[] =>
  filters.flatMap((filter) => ('some' in filter ? [filter] : 'not' in filter && 'some' in filter.not ? [filter.not] : []));

/** Names that are left are of the records, else of the only related ones; throws if they have no place. */
function placeNames(filters: QueryFilter[], { names, entity }: Filling): QueryFilter[] {
  const [related, another] = relationIn(filters);
  const own: QueryFilter[] = [];
  const others: QueryFilter[] = [];
  for (const { options, isDenied } of names) {
    const option = optionOf(options, entity, []);
    const other = option || !related || another ? undefined : optionOf(options, related.some, []);
    const filter = (option ?? other)?.filter;
    if (!filter) throw new NoPlace();
    (option ? own : others).push(isDenied ? { not: filter } : filter);
  }
  return [
    ...filters.map((filter) => (others.length > 0 ? withRelated(filter, (each) => narrowed(each, others)) : filter)),
    ...own,
  ];
}

/** Related records narrowed further. */
function narrowed(related: Related, where: readonly QueryFilter[], time?: QueryTime): Related {
  const all = allOf(joined([...topOf(related.where), ...where]));
  return { ...related, ...(all && { where: all }), ...(time && { time }) };
}

const rowsOf = (name: string): Query['measure'] => {
  const [kind = '', field = ''] = name.split(' ');
  if (kind === 'per') return { kind: 'count', per: field as 'day' };
  if (kind === 'shares') return { kind: 'count', isShare: true };
  return kind === 'rows' || kind === 'share' ? { kind: 'list' } : ({ kind, field } as Query['measure']);
};

interface Wanted {
  isCount: boolean;
  /** Of a superlative of one. */
  limit?: number;
}

/** The time that no condition took: the own one, else that of the only related records. */
function placeTime(
  filters: QueryFilter[],
  { time, isTimeUsed, entity, schemas }: Filling,
): { filters: QueryFilter[]; time?: QueryTime } {
  if (!time || isTimeUsed) return { filters };
  if (schemas[entity].time) return { filters, time };
  const [related, another] = relationIn(filters);
  if (!related || another || !schemas[related.some].time) throw new NoPlace();
  return { filters: filters.map((filter) => withRelated(filter, (each) => narrowed(each, [], time))) };
}

/** Rows of an order: a number without a place. */
function limitOf(isOrdered: boolean, { numbers }: Filling, limit: number | undefined): number | undefined {
  const [number, another] = numbers;
  if (!number) return isOrdered ? limit : undefined;
  if (another || !isOrdered || number.unit || number.compare) throw new NoPlace();
  return number.value;
}

function againstOf({ against }: Likely, [, second]: readonly QueryTime[]): Pick<Query, 'against'> {
  if (against === '-') return {};
  return against === 'average' ? { against: { average: 'client' } } : { against: { time: second! } };
}

function filledQuery(likely: Likely, said: Said, schemas: Schemas, { isCount, limit }: Wanted): Query {
  const { entity, conditions, measure, order, group } = likely;
  const filling: Filling = {
    entity,
    schemas,
    numbers: [...said.numbers],
    time: said.times[0],
    names: [...said.names],
    isTimeUsed: false,
    isNot: false,
  };
  const filterOf = (condition: string) => filled(JSON.parse(condition), filling, entity) as QueryFilter;
  const ofShare = conditions.filter(isOfShare).map((condition) => filterOf(condition.slice(3)));
  const own = conditions.filter((condition) => !isOfShare(condition)).map(filterOf);
  const { filters, time } = placeTime(placeNames(own, filling), filling);
  const groupBy = group === '-' ? [] : group.split(',');
  const [field, direction] = order === '-' ? [] : order.split(' ');
  const rows = limitOf(field !== undefined, filling, limit);
  const where = allOf(joined(filters));
  // The number of what.
  if (field === 'count' && groupBy.length === 0 && relationIn(filters).length === 0) throw new NoPlace();
  const kind = rowsOf(measure);
  const isNumber = kind.kind === 'list' && (groupBy.length > 0 || (isCount && !field));
  return {
    entity,
    measure: measure === 'share' ? { kind: 'share', of: allOf(joined(ofShare))! } : isNumber ? { kind: 'count' } : kind,
    ...(where && { where }),
    ...(time && { time }),
    ...(groupBy.length > 0 && { groupBy }),
    ...(field && { orderBy: { field, isAscending: direction === 'asc' } }),
    ...(rows !== undefined && { limit: rows }),
    ...againstOf(likely, said.times),
  };
}

/** Undefined if a name, a time or a number of the question has no place, or the query wants one that is not there. */
function assembled(likely: Likely, said: Said, schemas: Schemas, wanted: Wanted): Query | undefined {
  const isPossible =
    ['-', 'average', 'time'].includes(likely.against) && said.times.length <= (likely.against === 'time' ? 2 : 1);
  if (!isPossible || (likely.against === 'time' && said.times.length < 2)) return undefined;
  try {
    return filledQuery(likely, said, schemas, wanted);
  } catch (error) {
    if (error instanceof NoPlace) return undefined;
    throw error;
  }
}

/** Attributes that are never left out. */
const kept: ReadonlySet<string> = new Set(['weekday', 'hour', 'isWeekend', 'isWorkingHours'].map((field) => `field ${field}`));
const opposite = (condition: string): string => {
  const filter = JSON.parse(condition) as { not?: unknown; is?: boolean };
  return JSON.stringify(filter.not ?? (filter.is === undefined ? { not: filter } : { ...filter, is: !filter.is }));
};

/** False if the question denies something and the query does not, or the other way round, or a weekday or an hour would be lost. */
function keepsDenials(
  { conditions }: Likely,
  query: Query,
  known: ReadonlySet<string>,
  segments: readonly Segment[],
  schemas: Schemas,
): boolean {
  const own = new Set(conditions.map((condition) => condition.replace(/^of /, '')));
  if ([...known].some((each) => own.has(opposite(each)) || (kept.has(fieldPart(each)) && !own.has(each)))) return false;
  const isDenied = segments.some(
    (segment, at) =>
      denies(segment) && !segments.slice(at + 1).find(({ items }) => !(items.preposition ?? items.filler))?.items.value?.isName,
  );
  // What is unprocessed is denied by its kind.
  if (!isDenied || query.entity === 'rejected') return true;
  const negative = new Set(
    elementsOf(query.entity, schemas).flatMap(({ filter, isNegative }) =>
      filter && isNegative ? conditionsOf(filter, query.entity, schemas) : [],
    ),
  );
  return [...own].some((each) => negative.has(each) || /"not":|"is":false/.test(each));
}

/** The likely queries of a question; one without a noun is of the records of the question before. */
export function likelyOf(
  text: string,
  segments: readonly Segment[],
  names: ReadonlySet<string>,
  schemas: Schemas,
  before: QueryEntity | undefined,
): LikelyQueries {
  const said = segments.flatMap(({ items }) => (items.entity ? [items.entity.entity] : []));
  const entities = new Set(said.length === 0 && before ? [before] : said);
  const known = new Map<QueryEntity, ReadonlySet<string>>();
  const conditionsOf = (entity: QueryEntity) => {
    const own = known.get(entity) ?? knownConditions(segments, entity, schemas);
    known.set(entity, own);
    return own;
  };
  const { times, names: named, numbers } = saidIn(segments);
  const isPossible = (condition: string) =>
    (times.length > 0 || !condition.includes(`"${anyTime}"`)) &&
    (named.length > 0 || !condition.includes(`"${anyName}"`)) &&
    (numbers.length > 0 || !condition.includes(`"${anyNumber}"`));
  const isPlain =
    (segments.at(-1)?.to ?? 0) < plainWords ||
    segments.some(({ items, text: said }) => items.versus ?? /^compared?$/i.test(said));
  return new LikelyQueries(text, names, { entities, conditionsOf, isPossible, isPlain });
}

/** A negation of a word that is not understood. */
const deniesUnknown = (segments: readonly Segment[]): boolean =>
  segments.some(
    (segment, at) =>
      denies(segment) && segments.slice(at + 1).find(({ items }) => !(items.preposition ?? items.filler))?.items.unknown,
  );

/** With what the question has, the likeliest first; the score is the probability among those that can be asked. */
export function learnedOffers(likely: LikelyQueries, segments: readonly Segment[], schemas: Schemas): Offer[] {
  const said = saidIn(segments);
  const isCount = segments.some(({ items }) => items.measure?.measure === 'count');
  const isOne = segments.some(
    ({ items, isPlural }, at) =>
      items.entity &&
      !isPlural &&
      segments.slice(0, at).some(({ items: before, text: word }) => before.superlative ?? (before.unknown && /est$/i.test(word))),
  );
  const all = likely.best(maxLikely).flatMap((each) => {
    const query = assembled(each, said, schemas, { isCount, ...(isOne && { limit: 1 }) });
    return query ? [{ each, query }] : [];
  });
  const total = all.reduce((sum, { each }) => sum + Math.exp(each.score), 0);
  const offers = all
    .filter(({ each, query }) => keepsDenials(each, query, likely.known.conditionsOf(each.entity), segments, schemas))
    .map(({ each, query }): Offer => ({ kind: 'learned', queries: [query], score: Math.exp(each.score) / total }));
  // One query would lose a part of several questions, unless all of them are surely one.
  const least = isDivided(segments) ? wholeLikely : deniesUnknown(segments) ? deniedLikely : 0;
  return (offers[0]?.score ?? 0) < least ? [] : offers;
}
