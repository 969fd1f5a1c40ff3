/** Faults of a query that its type allows: unknown fields, comparisons that a type does not have, values out of bounds. */
import {
  type Query,
  type QueryFilter,
  type QueryTime,
  queryBuckets,
  queryComparisons,
  queryLimits,
  queryOwners,
  queryPers,
} from '@parapet/contract/rules/query.ts';
import { relationOf } from './relations.ts';
import type { Attribute, EntitySchema } from './schema.ts';
import { schemaOf } from './schemas.ts';

type Fault = string | undefined;
type Some = Extract<QueryFilter, { some: unknown }>;
type Comparison = Extract<QueryFilter, { field: string }>;

const attributeOf = (schema: EntitySchema, field: string): Attribute | undefined =>
  Object.hasOwn(schema.attributes, field) ? schema.attributes[field] : undefined;
const first = <T>(all: readonly T[], fault: (each: T) => Fault): Fault => {
  for (const each of all) {
    const found = fault(each);
    if (found !== undefined) return found;
  }
  return undefined;
};
const noField = (schema: EntitySchema, field: string): string => `${schema.title[1]} have no attribute "${field.slice(0, 100)}".`;

const timeFault = (time: QueryTime): Fault => {
  const [start, end] = [Date.parse(time.start), Date.parse(time.end)];
  return Number.isNaN(start) || Number.isNaN(end) || Math.abs(start) > 8.64e14 || Math.abs(end) > 8.64e14
    ? `"${time.label.slice(0, 100)}" is no time.`
    : undefined;
};

const takesCompare = ({ type, ...rest }: Attribute): boolean =>
  type === 'number' || (type === 'choice' && 'isOrdered' in rest && rest.isOrdered === true);

function valuesFault(attribute: Attribute, values: readonly (string | number | boolean)[]): Fault {
  const { type, title } = attribute;
  if (type === 'time') return `${title} is compared with a time only.`;
  if (values.length > queryLimits.values) return `At most ${queryLimits.values} values can be compared.`;
  return first(values, (value) => {
    if (typeof value === 'string' && value.length > queryLimits.text) return 'A value is too long.';
    if (type === 'choice' && !Object.hasOwn(attribute.choices, String(value)))
      return `"${String(value).slice(0, 100)}" is no ${title}.`;
    if (type === 'number' && !Number.isFinite(value)) return `"${String(value).slice(0, 100)}" is no number.`;
    if (type === 'flag' && typeof value !== 'boolean') return `${title} is true or false.`;
    return undefined;
  });
}

function filterFault(schema: EntitySchema, filter: QueryFilter, depth: number): Fault {
  if (depth > queryLimits.depth) return 'The filters are nested too deeply.';
  const parts = 'and' in filter ? filter.and : 'or' in filter ? filter.or : 'not' in filter ? [filter.not] : undefined;
  if (parts)
    return parts.length > queryLimits.filters
      ? 'There are too many filters.'
      : first(parts, (part) => filterFault(schema, part, depth + 1));
  if ('some' in filter) return someFault(schema, filter, depth);
  return 'field' in filter ? comparisonFault(schema, filter) : 'A filter has no field.';
}

function someFault(schema: EntitySchema, filter: Some, depth: number): Fault {
  const other = schemaOf(filter.some);
  if (!other) return `"${String(filter.some).slice(0, 100)}" is nothing that can be asked about.`;
  if (!relationOf(schema, other)) return `${schema.title[1]} and ${other.title[1]} are not related.`;
  if (filter.count && !(queryComparisons.includes(filter.count.compare) && Number.isFinite(filter.count.value)))
    return 'The number of related records is no number.';
  return (
    (filter.time && (other.time === undefined ? `${other.title[1]} have no time.` : timeFault(filter.time))) ??
    (filter.where && filterFault(other, filter.where, depth + 1))
  );
}

function comparisonFault(schema: EntitySchema, filter: Comparison): Fault {
  const attribute = attributeOf(schema, filter.field);
  if (!attribute) return noField(schema, filter.field);
  const { type, title } = attribute;
  if ('within' in filter) return type === 'time' ? timeFault(filter.within) : `${title} is no time.`;
  if ('contains' in filter) {
    if (filter.contains.length > queryLimits.text) return 'A text is too long.';
    return ['text', 'name', 'names'].includes(type) ? undefined : `${title} is no text.`;
  }
  if ('compare' in filter) {
    if (!queryComparisons.includes(filter.compare) || !takesCompare(attribute)) return `${title} has no order.`;
    if (filter.isOfAverage && type !== 'number') return `${title} has no mean.`;
    return valuesFault(attribute, [filter.value]);
  }
  if ('is' in filter) return undefined;
  return 'in' in filter ? valuesFault(attribute, filter.in) : 'A filter has no comparison.';
}

const buckets: readonly string[] = queryBuckets;

/** Values with a name, which differ without doubt. */
const isDistinct = ({ type }: Attribute): boolean => ['text', 'choice', 'name', 'names'].includes(type);

function distinctFault(schema: EntitySchema, measure: Query['measure']): Fault {
  if (measure.kind !== 'count' || measure.distinct === undefined) return undefined;
  const attribute = attributeOf(schema, measure.distinct);
  if (!attribute) return noField(schema, measure.distinct);
  if (measure.per !== undefined || measure.isShare) return 'Different values have no mean number and no share of all.';
  return isDistinct(attribute) ? undefined : `Different values of ${attribute.title} are not counted.`;
}

/** Each record has one client or device at most. */
const isOwned = ({ entity, attributes }: EntitySchema, owner: string): boolean =>
  (queryOwners as readonly string[]).includes(owner) && owner !== entity && attributes[owner]?.type === 'name';

/** Shares of all and bounds need groups; `per` needs none. */
function measureFault(schema: EntitySchema, { measure, time, groupBy = [], having }: Query): Fault {
  const isShare = measure.kind === 'count' && measure.isShare === true;
  if (measure.kind === 'count' && measure.per !== undefined) {
    const isTimed = time !== undefined && (queryPers as readonly string[]).includes(measure.per);
    if (groupBy.length > 0 || !(isTimed || isOwned(schema, measure.per))) return 'A mean number needs a time and no groups.';
  }
  if ((having || isShare) && groupBy.length === 0) return 'A share of all and a bound of groups need groups.';
  const isBound = having && queryComparisons.includes(having.compare) && Number.isFinite(having.value);
  return having && !isBound ? 'The bound of the groups is no number.' : undefined;
}

/** The first fault as a sentence; undefined for a query that can run. */
export function checkQuery(query: Query): Fault {
  const { entity, measure, where, time, groupBy = [], orderBy, limit, show = [], against } = query;
  const schema = schemaOf(entity);
  if (!schema) return `"${String(entity).slice(0, 100)}" is nothing that can be asked about.`;
  const filters = [where, measure.kind === 'share' ? measure.of : undefined, against?.where].filter((each) => each !== undefined);
  const times = [time, against?.time].filter((each) => each !== undefined);
  const isField = (field: string) => attributeOf(schema, field) !== undefined;
  const isGroup = (field: string) => isField(field) || (buckets.includes(field) && schema.time !== undefined);
  const isOrder = (field: string) => isField(field) || ['count', 'value'].includes(field) || groupBy.includes(field);
  if (times.length > 0 && schema.time === undefined) return `${schema.title[1]} have no time.`;
  if (groupBy.length > queryLimits.groups) return `At most ${queryLimits.groups} groups can be combined.`;
  if (show.length > queryLimits.columns) return `At most ${queryLimits.columns} columns can be shown.`;
  const ofMeasure = measureFault(schema, query) ?? distinctFault(schema, measure);
  if (ofMeasure !== undefined) return ofMeasure;
  if (query.bucketTime !== undefined && attributeOf(schema, query.bucketTime)?.type !== 'time')
    return noField(schema, query.bucketTime);
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) return 'The limit is no positive number.';
  const numeric = 'field' in measure ? attributeOf(schema, measure.field) : undefined;
  if ('field' in measure && !numeric) return noField(schema, measure.field);
  const isTime = numeric?.type === 'time' && (measure.kind === 'max' || measure.kind === 'min');
  if (numeric && numeric.type !== 'number' && !isTime) return `${numeric.title} is no number.`;
  return (
    first(times, timeFault) ??
    first(groupBy, (field) => (isGroup(field) ? undefined : noField(schema, field))) ??
    first(show, (field) => (isField(field) ? undefined : noField(schema, field))) ??
    first(orderBy ? [orderBy.field] : [], (field) => (isOrder(field) ? undefined : noField(schema, field))) ??
    first(filters, (filter) => filterFault(schema, filter, 1))
  );
}
