/** A likely query with the names, times and numbers of a question in place of its marks (`conditions.ts`). */
import type { Query, QueryComparison, QueryEntity, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import { anyName, anyNumber, anyTime } from './conditions.ts';
import { allOf, optionOf, type Related, type Schemas, topOf, unitOf, withRelated } from './frames.ts';
import { isOfShare, type Likely } from './learned.ts';
import type { Mentions, NumberMention } from './mentions.ts';

interface Filling {
  entity: QueryEntity;
  schemas: Schemas;
  numbers: NumberMention[];
  time: QueryTime | undefined;
  names: Mentions['names'];
  isTimeUsed: boolean;
  /** Within a negation. */
  isNot: boolean;
  /** One condition has a place for persons. */
  isOnePerson: boolean;
}

/** Name, time or number that a query requires and the question lacks, or the other way round. */
class NoPlace extends Error {}

/** The number of the unit of an attribute that has no place yet. */
function numberFor(filling: Filling, unit: string | undefined, compare: unknown, field?: string): NumberMention {
  const wanted = unit === 'minutes' || unit === 'percent' ? unit : undefined;
  const isRecord = field === 'number' || field === 'case';
  const at = filling.numbers.findIndex(
    (each) =>
      (each.isRecord ?? false) === isRecord && (each.unit === wanted || (wanted === 'percent' && each.unit === undefined)),
  );
  if (at < 0) throw new NoPlace();
  return { compare: compare as QueryComparison, ...filling.numbers.splice(at, 1)[0]! };
}

function timeFor(filling: Filling): QueryTime {
  if (!filling.time) throw new NoPlace();
  filling.isTimeUsed = true;
  return filling.time;
}

/** A person for the attribute, denied as the question has it; all of them where no other attribute requires one. */
function personFor(filling: Filling, field: string): QueryFilter {
  const optionIn = ({ options }: Filling['names'][number]) =>
    options.find((each) => each.entity === filling.entity && each.field === field);
  const found = filling.names.filter((name) => name.isDenied === filling.isNot && optionIn(name));
  const taken = filling.isOnePerson ? found : found.slice(0, 1);
  if (taken.length === 0) throw new NoPlace();
  for (const name of taken) filling.names.splice(filling.names.indexOf(name), 1);
  const filters = taken.map((name) => optionIn(name)!.filter);
  const [first] = filters;
  return 'in' in first! ? { ...first, in: filters.flatMap((each) => ('in' in each ? each.in : [])) } : first!;
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
    const { value: number, compare } = numberFor(filling, unitOf(attribute), filter.compare, field);
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

/** Of groups the largest. */
const largestOf = (measure: Query['measure']): string => ('field' in measure ? measure.field : 'count');

export interface Wanted {
  isCount: boolean;
  /** A superlative is among the words. */
  isMost: boolean;
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
  // "0 alerts" is none, "a single one" any.
  const [number, another] = numbers.filter(({ value, unit }) => unit !== undefined || value > 1);
  if (!number) return isOrdered ? limit : undefined;
  if (another || !isOrdered || number.unit || number.compare || number.isRecord) throw new NoPlace();
  return number.value;
}

function againstOf({ against }: Likely, [, second]: readonly QueryTime[]): Pick<Query, 'against'> {
  if (against === '-') return {};
  return against === 'average' ? { against: { average: 'client' } } : { against: { time: second! } };
}

function filledQuery(likely: Likely, mentioned: Mentions, schemas: Schemas, { isCount, isMost, limit }: Wanted): Query {
  const { entity, conditions, measure, order, group } = likely;
  const filling: Filling = {
    entity,
    schemas,
    numbers: [...mentioned.numbers],
    time: mentioned.times[0],
    names: [...mentioned.names],
    isTimeUsed: false,
    isNot: false,
    isOnePerson: conditions.filter((each) => each.includes(`["${anyName}"]`)).length === 1,
  };
  const filterOf = (condition: string) => filled(JSON.parse(condition), filling, entity) as QueryFilter;
  const ofShare = conditions.filter(isOfShare).map((condition) => filterOf(condition.slice(3)));
  const own = conditions.filter((condition) => !isOfShare(condition)).map(filterOf);
  const { filters, time } = placeTime(placeNames(own, filling), filling);
  const groupBy = group === '-' ? [] : group.split(',');
  const [field, direction] = order === '-' ? [] : order.split(' ');
  const isOrdered = field !== undefined || groupBy.length > 0;
  const rows = limitOf(isOrdered, filling, limit);
  const where = allOf(joined(filters));
  // The number of what.
  if (field === 'count' && groupBy.length === 0 && relationIn(filters).length === 0) throw new NoPlace();
  const kind = rowsOf(measure);
  if (field && groupBy.length > 0 && ![largestOf(kind), 'count', ...groupBy].includes(field)) throw new NoPlace();
  const isNumber = kind.kind === 'list' && (groupBy.length > 0 || (isCount && !field));
  return {
    entity,
    measure: measure === 'share' ? { kind: 'share', of: allOf(joined(ofShare))! } : isNumber ? { kind: 'count' } : kind,
    ...(where && { where }),
    ...(time && { time }),
    ...(groupBy.length > 0 && { groupBy }),
    ...(field && { orderBy: { field, isAscending: direction === 'asc' } }),
    ...(!field && isOrdered && (isMost || rows !== undefined) && { orderBy: { field: largestOf(kind), isAscending: false } }),
    ...(rows !== undefined && { limit: rows }),
    ...againstOf(likely, mentioned.times),
  };
}

/** Undefined if a name, a time or a number of the question has no place, or the query requires an absent one. */
export function assembled(likely: Likely, mentioned: Mentions, schemas: Schemas, wanted: Wanted): Query | undefined {
  const isPossible =
    ['-', 'average', 'time'].includes(likely.against) && mentioned.times.length <= (likely.against === 'time' ? 2 : 1);
  if (!isPossible || (likely.against === 'time' && mentioned.times.length < 2)) return undefined;
  // Two clients are compared with one another.
  const isOfClient = ({ options }: Mentions['names'][number]) => options.some(({ field }) => field === 'client');
  if (likely.against === 'average' && mentioned.names.filter(isOfClient).length > 1) return undefined;
  try {
    return filledQuery(likely, mentioned, schemas, wanted);
  } catch (error) {
    if (error instanceof NoPlace) return undefined;
    throw error;
  }
}
