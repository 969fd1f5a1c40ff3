/**
 * The conditions of a query one by one, as likely queries are learnt and composed of them (`learned.ts`): JSON in one order of keys, with `N` for a
 * name, `T` for a time and `#` for a number of the question. A list of values is one condition for each.
 */
import type { Query, QueryComparison, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import type { EntitySchema } from '../../../domain/query/schema.ts';
import { canonicalFilter, canonicalQuery, withoutImplied } from './canonical.ts';
import { namesOf, type Schemas, topOf } from './frames.ts';
import type { noneOfThem } from './phrasing.ts';

export const [anyName, anyTime, anyNumber] = ['N', 'T', '#'];

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, each]) => [key, sorted(each)]),
        )
      : value;

type Compared = Extract<QueryFilter, { compare: unknown }>;
/** Values of an ordered choice that a comparison holds for; undefined for numbers. */
function valuesOf({ field, compare, value }: Compared, { attributes }: EntitySchema): string[] | undefined {
  const attribute = attributes[field];
  if (attribute?.type !== 'choice') return undefined;
  const all = Object.keys(attribute.choices);
  const place = all.indexOf(String(value));
  return all.filter((_, at) =>
    compare === '='
      ? at === place
      : compare.startsWith('>')
        ? at > place || (at === place && compare === '>=')
        : at < place || (at === place && compare === '<='),
  );
}

const isListed = (filter: QueryFilter): filter is Extract<QueryFilter, { in: unknown }> => 'in' in filter;
/** "Low or medium": one list of values. */
const isOneList = (filters: readonly QueryFilter[]): boolean =>
  filters.every((each) => isListed(each) && each.field === (filters[0] as { field: string }).field);

/** Names of clients, devices and others have their place in the question; of persons alone it is learnt which attribute they are of. */
function namesIn(filter: Extract<QueryFilter, { in: unknown }>, schema: EntitySchema): string[] | undefined {
  const attribute = schema.attributes[filter.field];
  if (attribute?.type !== 'name' && attribute?.type !== 'names') return undefined;
  return namesOf(attribute) === 'account' ? [anyName!] : [];
}

/** Without words of the one question: the same text for the same condition. */
export const conditionsOf = (filter: QueryFilter, entity: QueryEntity, schemas: Schemas, isNot = false): string[] =>
  conditionsIn(canonicalFilter(isNot ? { not: filter } : filter, entity, schemas), entity, schemas, false);

function conditionsIn(filter: QueryFilter, entity: QueryEntity, schemas: Schemas, isNot: boolean): string[] {
  const schema = schemas[entity];
  const each = (part: QueryFilter, not = isNot) => conditionsIn(part, entity, schemas, not);
  const signed = (part: unknown) => JSON.stringify(sorted(isNot ? { not: part } : part));
  if ('not' in filter) return each(filter.not, !isNot);
  if ('and' in filter && !isNot) return filter.and.flatMap((part) => each(part));
  if ('or' in filter && (isNot || isOneList(filter.or))) return filter.or.flatMap((part) => each(part));
  if ('and' in filter || 'or' in filter)
    return [
      signed(
        'and' in filter
          ? { and: filter.and.map((part) => inner(part, entity, schemas)) }
          : { or: filter.or.map((part) => inner(part, entity, schemas)) },
      ),
    ];
  if ('is' in filter) return [JSON.stringify(sorted({ ...filter, is: filter.is !== isNot }))];
  if ('contains' in filter) return [];
  const values = isListed(filter)
    ? (namesIn(filter, schema) ?? filter.in.map((value) => value))
    : 'compare' in filter && !('isOfAverage' in filter)
      ? valuesOf(filter, schema)
      : undefined;
  // A list of numbers, such as the hours of a morning, is one condition.
  if (values?.every((value) => typeof value === 'string'))
    return values.map((value) => signed({ field: (filter as { field: string }).field, in: [value] }));
  return [signed(inner(filter, entity, schemas))];
}

/** Of a condition within another one. */
function inner(filter: QueryFilter, entity: QueryEntity, schemas: Schemas): unknown {
  if ('and' in filter) return { and: filter.and.map((part) => inner(part, entity, schemas)) };
  if ('or' in filter) return { or: filter.or.map((part) => inner(part, entity, schemas)) };
  if ('not' in filter) return { not: inner(filter.not, entity, schemas) };
  if ('some' in filter) {
    const { some, where, time, count } = filter;
    const parts = topOf(where).flatMap((part) => conditionsWithin(part, some, schemas));
    return {
      some,
      ...(parts.length > 0 && { where: parts.length === 1 ? parts[0] : { and: parts } }),
      ...(time && { time: anyTime }),
      ...(count && {
        count: {
          ...count,
          ...(!count.isOfAverage && { compare: strict(count.compare) }),
          value: count.isOfAverage || (count.value === 1 && count.compare === '>') ? count.value : anyNumber,
        },
      }),
    };
  }
  if ('within' in filter) return { field: filter.field, within: anyTime };
  if (isListed(filter) && namesIn(filter, schemas[entity])) return { field: filter.field, in: [anyName] };
  if (!('compare' in filter)) return filter;
  const isCounted = typeof filter.value === 'number' && filter.value !== 0 && !filter.isOfAverage;
  return isCounted ? { ...filter, compare: strict(filter.compare), value: anyNumber } : filter;
}

/** The question defines whether a number is included. */
const strict = (compare: QueryComparison): string => compare.replace(/(?<=[<>])=/, '');

/** Names of related records are of the question as well. */
const conditionsWithin = (part: QueryFilter, some: QueryEntity, schemas: Schemas): unknown[] =>
  isListed(part) && namesIn(part, schemas[some]) ? [] : 'contains' in part ? [] : [inner(part, some, schemas)];

/** Of a query each kind of choice, and its conditions (those of a share begin with "of"). */
export interface QueryParts {
  entity: QueryEntity | typeof noneOfThem;
  measure: string;
  group: string;
  order: string;
  against: string;
  conditions: readonly string[];
}

const rows: ReadonlySet<string> = new Set(['list', 'count', 'exists']);

/** A list begins with its number, and either fits a question whether there are any. */
function measureOf({ measure }: Query): string {
  if (measure.kind === 'count' && measure.per) return `per ${measure.per}`;
  if (measure.kind === 'count' && measure.isShare) return 'shares';
  return rows.has(measure.kind)
    ? 'rows'
    : measure.kind === 'share'
      ? 'share'
      : `${measure.kind} ${(measure as { field: string }).field}`;
}

/** Of its canonical form. */
export function partsOfQuery(input: Query, schemas: Schemas): QueryParts {
  const query = canonicalQuery(input, schemas);
  const { entity, where, measure, groupBy = [], orderBy, against = {} } = query;
  const own = topOf(where).flatMap((filter) => conditionsOf(filter, entity, schemas));
  const ofShare = measure.kind === 'share' ? topOf(measure.of).flatMap((filter) => conditionsOf(filter, entity, schemas)) : [];
  return {
    entity,
    measure: measureOf(query),
    group: groupBy.join(',') || '-',
    order: orderBy ? `${orderBy.field} ${orderBy.isAscending ? 'asc' : 'desc'}` : '-',
    against: Object.keys(against).sort().join('+') || '-',
    conditions: [
      ...new Set([...withoutImplied(own, entity), ...withoutImplied(ofShare, entity).map((each) => `of ${each}`)]),
    ].sort(),
  };
}
