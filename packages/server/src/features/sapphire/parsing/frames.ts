/** Frames of a reading: an entity with its conditions; the head’s, and those of related records ("devices with open cases"). */
import type { QueryEntity, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import type { Attribute, EntitySchema } from '../../../domain/query/schema.ts';
import type { Option } from './items.ts';

export type Schemas = Readonly<Record<QueryEntity, EntitySchema>>;

/** Nouns that stand for another entity as well: a portal user is called a user. */
export const homonyms: Partial<Record<QueryEntity, readonly QueryEntity[]>> = {
  user: ['account'],
  account: ['user'],
  mail: ['mailSubscription'],
};

export interface Condition {
  field: string;
  filter: QueryFilter;
  isNegated: boolean;
  /** Used as the noun of the head: "servers". */
  isNoun?: boolean;
  /** Stands before the noun of the records: "critical cases closed automatically". */
  isBeforeNoun?: boolean;
  /** After "only", of related records: there are none of others. */
  isOnly?: boolean;
}

export interface Frame {
  entity: QueryEntity;
  conditions: Condition[];
  time?: QueryTime;
  count?: Extract<QueryFilter, { some: QueryEntity }>['count'];
  isNegated: boolean;
  /** "With open cases or silent": filters of the head that hold instead. */
  or?: QueryFilter[];
}

/** Link of a condition to the one before it: `and` and `or` by their words, `next` without a word between them. */
export type Joiner = 'and' | 'or' | 'next';

/** Adds a condition: values of one attribute become one list, "or" between attributes an alternative. */
export function addCondition(frame: Frame, condition: Condition, joiner: Joiner, isSameExclusion: boolean): void {
  const { conditions } = frame;
  const last = conditions.at(-1);
  const same = conditions.find(
    (each) =>
      each.field === condition.field && each.isNegated === condition.isNegated && 'in' in each.filter && 'in' in condition.filter,
  );
  if (same && 'in' in same.filter && 'in' in condition.filter) {
    same.filter = { ...same.filter, in: [...new Set([...same.filter.in, ...condition.filter.in])] };
    return;
  }
  // "About mimikatz or lsass", "except mimikatz or lsass": texts of one attribute.
  if (
    last &&
    joiner === 'or' &&
    last.field === condition.field &&
    last.isNegated === condition.isNegated &&
    isText(last.filter)
  ) {
    last.filter = { or: [...('or' in last.filter ? last.filter.or : [last.filter]), condition.filter] };
    return;
  }
  if (last && joiner === 'or' && last.field !== condition.field && !isSameExclusion) {
    last.filter = { or: [signed(last), signed(condition)] };
    last.field += `|${condition.field}`;
    last.isNegated = false;
    return;
  }
  conditions.push(condition);
}

const isText = (filter: QueryFilter): boolean => 'contains' in filter || ('or' in filter && filter.or.every(isText));

export const signed = ({ filter, isNegated }: Condition): QueryFilter => (isNegated ? { not: filter } : filter);

/** One filter of several; undefined of none. */
export const allOf = (filters: readonly QueryFilter[]): QueryFilter | undefined =>
  filters.length === 0 ? undefined : filters.length === 1 ? filters[0] : { and: [...filters] };

/** The parts of a filter that all hold. */
export const topOf = (where: QueryFilter | undefined): QueryFilter[] =>
  where === undefined ? [] : 'and' in where ? where.and : [where];

export type Related = Extract<QueryFilter, { some: QueryEntity }>;

/** A filter with its related records changed, denied or not. */
export const withRelated = (filter: QueryFilter, change: (related: Related) => Related): QueryFilter =>
  'not' in filter ? { not: withRelated(filter.not, change) } : 'some' in filter ? change(filter) : filter;

/** A related frame as a condition of the head. */
export const relationOf = (frame: Frame): QueryFilter => (frame.or ? { or: [...frame.or, relatedOf(frame)] } : relatedOf(frame));

function relatedOf({ entity, conditions, time, count, isNegated }: Frame): QueryFilter {
  const where = allOf(conditions.map(signed));
  const some: QueryFilter = { some: entity, ...(where && { where }), ...(time && { time }), ...(count && { count }) };
  const own = isNegated ? { not: some } : some;
  // "With only low alerts": with such alerts, and with no others.
  const only = conditions.find((each) => each.isOnly);
  if (!only || isNegated) return own;
  const { count: _, ...plain } = some;
  const others = conditions.map((each) => signed(each === only ? { ...only, isNegated: !only.isNegated } : each));
  return { and: [own, { not: { ...plain, where: allOf(others)! } }] };
}

/** True if records of the two are related by a key besides their client. */
export function areRelated(schemas: Schemas, a: QueryEntity, b: QueryEntity): boolean {
  const [own, other] = [schemas[a].keys, schemas[b].keys];
  return (Object.keys(own) as QueryEntity[]).some(
    (key) => (key === a || key === b || key !== 'client') && other[key] !== undefined,
  );
}

/** Of a word’s filters those of an entity; the wished attribute first. */
export const optionOf = (options: readonly Option[], entity: QueryEntity, fields: readonly string[]): Option | undefined => {
  const own = options.filter((option) => option.entity === entity);
  // The name of a tactic is one of a category as well; the column of the lists wins.
  return own.find(({ field }) => fields.includes(field)) ?? own.find(({ field }) => field === 'category') ?? own[0];
};

/** Attributes that a filter concerns; of related records their entity. */
export const filterFields = (filter: QueryFilter): string[] =>
  'and' in filter
    ? filter.and.flatMap(filterFields)
    : 'or' in filter
      ? filter.or.flatMap(filterFields)
      : 'not' in filter
        ? filterFields(filter.not)
        : 'some' in filter
          ? [`some ${filter.some}`]
          : [filter.field];

/** An attribute that a record has, or lacks. */
export const presence = (field: string, type: string, isPresent: boolean): Condition => ({
  field,
  filter: type === 'number' ? { field, compare: '>', value: 0 } : { field, is: true },
  isNegated: !isPresent,
});
/** True for attributes with a most and a least. */
export const isOrderable = (attribute: Attribute): boolean =>
  attribute.type === 'number' || attribute.type === 'time' || (attribute.type === 'choice' && attribute.isOrdered === true);

export const unitOf = (attribute: { type: string } | undefined) => (attribute as { unit?: string } | undefined)?.unit;
export const namesOf = (attribute: { type: string } | undefined) => (attribute as { names?: string } | undefined)?.names;
