/**
 * A query as SQL. Identifiers come from the schemas only and values are always bound. An absent value fulfils no condition, so that its negation
 * holds. Related records are counted once per key in a common table expression, whose rows are those that the scope shows.
 */
import type { Reach } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import {
  type Query,
  type QueryBucket,
  type QueryEntity,
  type QueryFilter,
  type QueryTime,
  type QueryValue,
  queryBuckets,
} from '@parapet/contract/rules/query.ts';
import { type RawBuilder, sql } from 'kysely';
import { containing, storable } from '../../core/db/like.ts';
import { lowered } from './attributes.ts';
import { conditionsOf, countedSome, type Some } from './filters.ts';
import { relationOf } from './relations.ts';
import type { Attribute, AttributeSql, EntitySchema, QueryContext } from './schema.ts';
import { schemaOf } from './schemas.ts';

type Sql = RawBuilder<unknown>;
type Condition = RawBuilder<boolean>;
type Comparison = Extract<QueryFilter, { field: string }>;

/** A row of an entity within a statement. */
export interface Place {
  schema: EntitySchema;
  row: Sql;
}

/** Number of related records: joined by `key = <alias>.key`. */
export interface Related {
  table: Sql;
  key: Sql;
}

export const isBucket = (field: string): field is QueryBucket => (queryBuckets as readonly string[]).includes(field);
export const comparisons = { '=': sql`=`, '<': sql`<`, '<=': sql`<=`, '>': sql`>`, '>=': sql`>=` };
const all = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
const isOwn = (filter: QueryFilter): boolean => 'is' in filter && filter.field === 'isMine' && filter.is;
const holds = (condition: Condition): Condition => sql<boolean>`coalesce(${condition}, false)`;

export class Compiler {
  readonly context: QueryContext;
  #aliases = 0;
  readonly #tables: Sql[] = [];
  readonly #counted = new Map<Some, Related>();
  /** Attributes that are read of each row. */
  readonly #read = new Map<Sql, Set<string>>();

  constructor(context: QueryContext) {
    this.context = context;
  }

  /** A row of the entity under an alias of its own. Throws forbidden for an entity that the viewer may not list. */
  place(entity: QueryEntity): Place {
    const schema = schemaOf(entity)!;
    if (this.#reachOf(schema) === undefined) throw problem.forbidden(`You may not see ${schema.title[1]}.`);
    return { schema, row: sql.raw(this.#alias(entity)) };
  }

  #reachOf({ allow, ownAllow }: EntitySchema): Reach | undefined {
    const { reach } = this.context;
    return reach(allow) ?? (ownAllow && reach(ownAllow) ? 'me' : undefined);
  }

  #alias(name: string): string {
    this.#aliases += 1;
    return `${name}_${this.#aliases}`;
  }

  sqlOf({ schema, row }: Place, field: string): Sql {
    this.#readOf(row).add(field);
    return schema.attributes[field]!.sql(row, this.context);
  }

  #readOf(row: Sql): Set<string> {
    const known = this.#read.get(row) ?? new Set();
    this.#read.set(row, known);
    return known;
  }

  bucketOf(at: Place, bucket: QueryBucket, field = at.schema.time!): Sql {
    const local = sql`(${this.sqlOf(at, field)} at time zone ${this.context.timeZone})`;
    if (bucket === 'hour') return sql`extract(hour from ${local})::integer`;
    if (bucket === 'weekday') return sql`extract(isodow from ${local})::integer`;
    if (bucket === 'month') return sql`to_char(${local}, 'YYYY-MM')`;
    return sql`to_char(date_trunc(${sql.lit(bucket)}, ${local}), 'YYYY-MM-DD')`;
  }

  /** Records of an entity that match, as FROM … WHERE …. Throws forbidden for records of others where only the own may be seen. */
  matching(at: Place, where: QueryFilter | undefined, time: QueryTime | undefined, joins: Sql = sql``): Sql {
    const { schema, row } = at;
    // None of others would be found: a false zero.
    if (this.#reachOf(schema) === 'me' && !conditionsOf(where).some(isOwn))
      throw problem.forbidden(`You have access to your own ${schema.title[1]} only.`);
    const conditions = [
      schema.within(row, this.context),
      ...(time === undefined || schema.time === undefined ? [] : [this.#inTime(at, schema.time, time)]),
      ...(where ? [this.conditionOf(at, where)] : []),
    ];
    return sql`from ${schema.from(row, this.context, { time, where, has: (field) => this.#readOf(row).has(field) })} ${joins} where ${all(conditions)}`;
  }

  #inTime(at: Place, field: string, { start, end }: QueryTime): Condition {
    const value = this.sqlOf(at, field);
    return sql<boolean>`(${value} >= ${new Date(start)} and ${value} < ${new Date(end)})`;
  }

  /** Table of key and number of related records, each counted once. */
  related(at: Place, some: Some): Related {
    const known = this.#counted.get(some);
    if (known) return known;
    const other = this.place(some.some);
    const relation = relationOf(at.schema, other.schema)!;
    const theirs = other.schema.keys[relation]!;
    const ours = at.schema.keys[relation]!;
    const theirKey = theirs.sql(other.row, this.context);
    const unnested = theirs.isMany ? sql`cross join lateral (select distinct unnest(${theirKey}) as key) u` : sql``;
    const pairs = sql`select ${theirs.isMany ? sql`u.key` : theirKey} as key, ${other.schema.id(other.row)} as id ${this.matching(other, some.where, some.time, unnested)}`;
    const table = sql.raw(this.#alias('related'));
    const id = sql`${at.schema.id(at.row)}::text`;
    const result = { table, key: ours.isMany ? id : ours.sql(at.row, this.context) };
    this.#tables.push(
      ours.isMany
        ? sql`${table} as materialized (select a.id as key, count(distinct b.id)::integer as n
            from (${this.#ownKeys(at.schema, ours.sql)}) a join (${pairs}) b on b.key = a.key group by 1)`
        : sql`${table} as materialized (select key, count(*)::integer as n from (${pairs}) b where key is not null group by 1)`,
    );
    this.#counted.set(some, result);
    return result;
  }

  #ownKeys({ entity, id }: EntitySchema, keys: AttributeSql): Sql {
    const own = this.place(entity);
    const { from, within } = own.schema;
    return sql`select ${id(own.row)}::text as id, unnest(${keys(own.row, this.context)}) as key
      from ${from(own.row, this.context, { time: undefined, where: undefined, has: () => true })} where ${within(own.row, this.context)}`;
  }

  #someOf(at: Place, some: Some): Condition {
    const { table, key } = this.related(at, some);
    if (!some.count) return sql<boolean>`${key} in (select key from ${table})`;
    const { compare, value, isOfAverage } = some.count;
    const { schema } = at;
    // Of all records in scope, those without related ones included.
    const size = isOfAverage
      ? sql`(${value}::float8 * (select sum(n) from ${table}) / nullif(${this.#overAll(schema, () => sql`count(*)`)}, 0))`
      : sql`${value}::float8`;
    const fits = sql<boolean>`n ${comparisons[compare]} ${size}`;
    // Records without related ones are in no table.
    const isLess = compare === '<' || compare === '<=';
    const isZeroIncluded = isOfAverage
      ? isLess
      : { '=': value === 0, '<': value > 0, '<=': value >= 0, '>': value < 0, '>=': value <= 0 }[compare];
    return isZeroIncluded
      ? sql<boolean>`not ${holds(sql`${key} in (select key from ${table} where not ${fits})`)}`
      : sql<boolean>`${key} in (select key from ${table} where ${fits})`;
  }

  /** An aggregate over all records of an entity in scope. */
  #overAll({ entity }: EntitySchema, value: (at: Place) => Sql): Sql {
    const all = this.place(entity);
    return sql`(select ${value(all)} ${this.matching(all, undefined, undefined)})`;
  }

  conditionOf(at: Place, filter: QueryFilter): Condition {
    if ('and' in filter) return all(filter.and.map((each) => this.conditionOf(at, each)));
    if ('or' in filter) {
      const either = filter.or.map((each) => this.conditionOf(at, each));
      return either.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(either, sql` or `)})`;
    }
    if ('not' in filter) return sql<boolean>`not ${holds(this.conditionOf(at, filter.not))}`;
    return 'some' in filter ? this.#someOf(at, filter) : this.#comparisonOf(at, filter);
  }

  #comparisonOf(at: Place, filter: Comparison): Condition {
    const attribute = at.schema.attributes[filter.field]!;
    const value = this.sqlOf(at, filter.field);
    if ('within' in filter) return this.#inTime(at, filter.field, filter.within);
    if ('contains' in filter) {
      const pattern = containing(filter.contains);
      return attribute.type === 'names'
        ? sql<boolean>`exists (select from unnest(${value}) as element where element ilike ${pattern})`
        : sql<boolean>`${value} ilike ${pattern}`;
    }
    if ('compare' in filter) {
      const [left, right] =
        attribute.type === 'choice'
          ? [placeOf(attribute, value), Object.keys(attribute.choices).indexOf(String(filter.value)) + 1]
          : [
              sql`(${value})::float8`,
              filter.isOfAverage
                ? sql`${Number(filter.value)}::float8 * ${this.#overAll(at.schema, (all) => sql`avg((${this.sqlOf(all, filter.field)})::float8)`)}`
                : Number(filter.value),
            ];
      return sql<boolean>`${left} ${comparisons[filter.compare]} ${right}`;
    }
    if ('is' in filter) {
      const isPresent = presentOf(attribute, value);
      return filter.is ? isPresent : sql<boolean>`not ${holds(isPresent)}`;
    }
    return this.#oneOf(at, attribute, value, filter.in);
  }

  #oneOf({ row }: Place, attribute: Attribute, value: Sql, wanted: readonly QueryValue[]): Condition {
    if (wanted.length === 0) return sql<boolean>`false`;
    if (attribute.type === 'flag') return sql<boolean>`coalesce(${value}, false) = any(${wanted.map(Boolean)}::boolean[])`;
    if (attribute.type === 'number') return sql<boolean>`(${value})::float8 = any(${wanted.map(Number)}::float8[])`;
    const texts = wanted.map((each) => storable(String(each)));
    if (attribute.matches) return attribute.matches(row, this.context, texts);
    if (attribute.type === 'choice') return sql<boolean>`${value} = any(${texts}::text[])`;
    if (attribute.type === 'names')
      return sql<boolean>`exists (select from unnest(${value}) as element where lower(element) = any(${lowered(texts)}))`;
    return sql<boolean>`lower(${value}) = any(${lowered(texts)})`;
  }

  /** A statement with the tables that its conditions need; to be called when all of its parts are compiled. */
  statement(select: Sql): Sql {
    return this.#tables.length === 0 ? select : sql`with ${sql.join(this.#tables)} ${select}`;
  }
}

/** Place of an ordered choice, from 1; null for others. */
export const placeOf = (attribute: Attribute & { type: 'choice' }, value: Sql): Sql =>
  sql`array_position(${Object.keys(attribute.choices)}::text[], ${value})`;

function presentOf({ type }: Attribute, value: Sql): Condition {
  if (type === 'flag') return sql<boolean>`${value}`;
  if (type === 'names') return sql<boolean>`cardinality(${value}) > 0`;
  return type === 'number' || type === 'time' ? sql<boolean>`${value} is not null` : sql<boolean>`${value} <> ''`;
}

/** Sort keys of the query’s list, and the number of related records that it counts. Ties come in the usual order of the list. */
export function orderOf(compiler: Compiler, at: Place, { where, orderBy }: Query): { joins: Sql; keys: Sql; count?: Sql } {
  const some = countedSome(where);
  const related = some && compiler.related(at, some);
  const joins = related ? sql`left join ${related.table} counted on counted.key = ${related.key}` : sql``;
  const count = related && sql`coalesce(counted.n, 0)`;
  const usual = at.schema.order;
  const orders = orderBy && orderBy.field !== usual.field ? [orderBy, usual] : [orderBy ?? usual];
  const last = orders[0]!.isAscending;
  const keys = [
    ...orders.map(({ field, isAscending }) => {
      const attribute = at.schema.attributes[field];
      const value = attribute ? sortable(attribute, compiler.sqlOf(at, field)) : (count ?? sql`null::integer`);
      return sql`${value} ${directionOf(isAscending)} nulls last`;
    }),
    sql`${at.schema.id(at.row)} ${directionOf(last)}`,
  ];
  return { joins, keys: sql.join(keys), ...(count && { count }) };
}

const directionOf = (isAscending: boolean): Sql => (isAscending ? sql`asc` : sql`desc`);

/** Ordered choices by their place, names without case, arrays by their length. */
function sortable(attribute: Attribute, value: Sql): Sql {
  if (attribute.type === 'choice' && attribute.isOrdered) return placeOf(attribute, value);
  if (attribute.type === 'names') return sql`cardinality(${value})`;
  return ['number', 'time', 'flag'].includes(attribute.type) ? value : sql`lower(${value})`;
}

/** `select <id> …` of all records that a checked query matches; with a limit, of the first ones in order. Throws forbidden. */
export function idsOf(query: Query, context: QueryContext): RawBuilder<unknown> {
  const compiler = new Compiler(context);
  const at = compiler.place(query.entity);
  const id = at.schema.id(at.row);
  if (query.limit === undefined) return compiler.statement(sql`select ${id} ${compiler.matching(at, query.where, query.time)}`);
  const { joins, keys } = orderOf(compiler, at, query);
  const select = sql`select ${id} ${compiler.matching(at, query.where, query.time, joins)} order by ${keys} limit ${query.limit}`;
  return compiler.statement(select);
}
