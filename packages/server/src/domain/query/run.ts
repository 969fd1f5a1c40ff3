/** Runs a query within the caller's transaction, whose scope row-level security holds as well. */
import { providerId } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Query, QueryFilter, QueryMeasure } from '@parapet/contract/rules/query.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { readerOf } from '../visibility.ts';
import { checkQuery } from './check.ts';
import { Compiler, comparisons, isBucket, orderOf, type Place, placeOf } from './compile.ts';
import { deviceIdentity } from './deviceNames.ts';
import { automaticCloser } from './entities/case.ts';
import { conditionsOf, narrowed } from './filters.ts';
import { ownersOf } from './owners.ts';
import type { Cell, QueryResult } from './result.ts';
import type { Attribute, QueryContext } from './schema.ts';

type Sql = RawBuilder<unknown>;

export const maxRows = 200;
export const maxGroups = 50;
const defaultRows = 50;

/** Throws invalid for a query that `checkQuery` refuses, and forbidden for an entity that the viewer may not list. */
export async function runQuery(tx: Tx, query: Query, context: QueryContext): Promise<QueryResult> {
  const fault = checkQuery(query);
  if (fault !== undefined) throw problem.invalid({ query: [fault] });
  const result = await measured(tx, query, context);
  if (!query.against) return result;
  const { against, ...rest } = query;
  if (against.average) return { ...result, against: await averageOfOthers(tx, rest, context) };
  const other = await measured(tx, { ...rest, ...against }, context, false);
  return {
    ...result,
    against: {
      total: other.total,
      ...(other.value !== undefined && { value: other.value }),
      ...(other.groups && { groups: other.groups }),
    },
  };
}

async function measured(tx: Tx, query: Query, context: QueryContext, hasRows = true): Promise<QueryResult> {
  const { measure, groupBy = [] } = query;
  const total = await readTotal(tx, query, context);
  const owners = ownersOf(query);
  if (owners) {
    const { total: part } = await readTotal(tx, owners, context);
    return { total: total.total, value: part === 0 ? null : total.total / part, part, rows: [] };
  }
  if (groupBy.length > 0) return { ...total, rows: [], ...(await readGroups(tx, query, groupBy, context)) };
  const isListed = hasRows && (measure.kind === 'list' || measure.kind === 'exists');
  return { ...total, rows: isListed && total.total > 0 ? await readRows(tx, query, context) : [] };
}

/** The measure over records, as a number; `join` repeats a record for each of its values. */
function measureOf(compiler: Compiler, at: Place, measure: QueryMeasure): { value: Sql; part?: Sql; join?: Sql } {
  if (measure.kind === 'count' && measure.distinct !== undefined) {
    const attribute = at.schema.attributes[measure.distinct]!;
    const own = compiler.sqlOf(at, measure.distinct);
    const isMany = attribute.type === 'names';
    const key = identityOf(compiler, at, attribute, isMany ? sql`counted_values.name` : own);
    return {
      value: sql`count(distinct ${key})::float8`,
      ...(isMany && { join: sql`left join lateral unnest(${own}) counted_values (name) on true` }),
    };
  }
  if (measure.kind === 'share') {
    const part = sql`count(*) filter (where coalesce(${compiler.conditionOf(at, measure.of)}, false))`;
    return { value: sql`(100.0 * ${part} / nullif(count(*), 0))::float8`, part };
  }
  if (!('field' in measure)) return { value: sql`count(*)::float8` };
  const isTime = at.schema.attributes[measure.field]!.type === 'time';
  const own = compiler.sqlOf(at, measure.field);
  const field = isTime ? sql`(extract(epoch from ${own}) * 1000)::float8` : sql`(${own})::float8`;
  const value = {
    mean: sql`avg(${field})`,
    median: sql`percentile_cont(0.5) within group (order by ${field})`,
    max: sql`max(${field})`,
    min: sql`min(${field})`,
    sum: sql`sum(${field})`,
  }[measure.kind];
  return { value: sql`(${value})::float8` };
}

/** Key of what a value names: equal names of two clients differ, and names of one device do not. */
function identityOf({ context }: Compiler, { schema, row }: Place, attribute: Attribute, value: Sql): Sql {
  const client = schema.keys.client?.sql(row, context);
  const names = 'names' in attribute ? attribute.names : undefined;
  // Those whose names are hidden from a reader read as one.
  if (names === 'account' && readerOf(context.scope).organisationId !== providerId)
    throw problem.forbidden('People whose names you may not see would count as one.');
  if (names === 'account') return sql`nullif(lower(${value}), lower(${automaticCloser}))`;
  if (client === undefined || names === undefined) return sql`lower(${value})`;
  if (names === 'client' && attribute.title === 'client') return client;
  if (names === 'device') return deviceIdentity(client, value);
  return names === 'user' ? sql`${client} || '/' || lower(${value})` : sql`lower(${value})`;
}

/** The number of records is the figure. */
const isCounted = (measure: QueryMeasure): boolean =>
  measure.kind === 'list' || measure.kind === 'exists' || (measure.kind === 'count' && measure.distinct === undefined);

async function readTotal(tx: Tx, query: Query, context: QueryContext): Promise<Pick<QueryResult, 'total' | 'value' | 'part'>> {
  const compiler = new Compiler(context);
  const at = compiler.place(query.entity);
  const { value, part, join } = measureOf(compiler, at, query.measure);
  const total = join ? sql`count(distinct ${at.schema.id(at.row)})` : sql`count(*)`;
  const select = sql`select ${total}::integer as total, ${value} as value, ${part ?? sql`0`}::integer as part ${compiler.matching(at, query.where, query.time, join)}`;
  const { rows } = await sql<{ total: number; value: number | null; part: number }>`${compiler.statement(select)}`.execute(tx);
  const row = rows[0]!;
  return { total: row.total, ...(!isCounted(query.measure) && { value: row.value }), ...(part && { part: row.part }) };
}

/** The first rows of a checked query, without its figures. */
export async function readRows(tx: Tx, query: Query, context: QueryContext): Promise<QueryResult['rows']> {
  const compiler = new Compiler(context);
  const at = compiler.place(query.entity);
  const { schema, row } = at;
  const usual = Object.entries(schema.attributes).flatMap(([field, { isShown }]) => (isShown ? [field] : []));
  const order = query.orderBy?.field;
  const fields = [
    ...new Set([...usual, ...(query.show ?? []), ...(order !== undefined && schema.attributes[order] ? [order] : [])]),
  ];
  const { joins, keys, count } = orderOf(compiler, at, query);
  const columns = fields.map(
    (field, index) => sql`${cellOf(schema.attributes[field]!, compiler.sqlOf(at, field))} as ${sql.ref(`c${index}`)}`,
  );
  const organisation = schema.keys.client?.sql(row, context) ?? sql`null`;
  const named = schema.named ?? 'name';
  const select = sql`select ${schema.id(row)}::text as id, (${organisation})::integer as organisation,
      ${schema.attributes[named] ? sql`(${compiler.sqlOf(at, named)})::text` : sql`''`} as name, ${count ?? sql`null`}::integer as related
      ${columns.length > 0 ? sql`, ${sql.join(columns)}` : sql``}
    ${compiler.matching(at, query.where, query.time, joins)} order by ${keys} limit ${Math.min(query.limit ?? defaultRows, maxRows)}`;
  type Row = { id: string; organisation: number | null; name: string | null; related: number | null } & Record<
    string,
    Cell | Date
  >;
  const { rows } = await sql<Row>`${compiler.statement(select)}`.execute(tx);
  return rows.map((found) => ({
    identity: { id: found.id, organisationId: found.organisation ?? 0, name: found.name ?? '' },
    cells: {
      ...Object.fromEntries(fields.map((field, index) => [field, valueIn(found[`c${index}`])])),
      ...(count && { count: found.related }),
    },
  }));
}

const cellOf = ({ type }: Attribute, value: Sql): Sql => (type === 'number' ? sql`(${value})::float8` : value);
const valueIn = (value: Cell | Date | undefined): Cell => (value instanceof Date ? value.toISOString() : (value ?? null));

async function readGroups(
  tx: Tx,
  query: Query,
  groupBy: readonly string[],
  context: QueryContext,
): Promise<Pick<QueryResult, 'groups' | 'groupTotal'>> {
  const compiler = new Compiler(context);
  const at = compiler.place(query.entity);
  const joins: Sql[] = [];
  const keys = groupBy.map((field, index) => {
    const name = sql.ref(`k${index}`);
    const attribute = at.schema.attributes[field];
    // A bucket comes before an attribute of that name: a number instead of a choice.
    const value =
      isBucket(field) && at.schema.time !== undefined
        ? compiler.bucketOf(at, field, query.bucketTime)
        : compiler.sqlOf(at, field);
    if (attribute?.type !== 'names') return { field, attribute, name, value };
    const table = sql.ref(`names_${index}`);
    joins.push(sql`left join lateral (select distinct unnest(${value}) as name) ${table} on true`);
    return { field, attribute, name, value: sql`${table}.name` };
  });
  const { value, join } = measureOf(compiler, at, query.measure);
  if (join) joins.push(join);
  const columns = keys.map((key) => sql`${key.value} as ${key.name}`);
  const order = groupOrder(query, keys);
  const bound = query.having && sql`where value ${comparisons[query.having.compare]} ${query.having.value}::float8`;
  const select = sql`select g.*, count(*) over ()::integer as groups from (
      select ${sql.join(columns)}, ${value} as value, ${isCounted(query.measure) ? sql`count(*)` : value} as count ${compiler.matching(at, query.where, query.time, sql.join(joins, sql` `))}
      group by ${sql.join(keys.map((_, index) => sql.lit(index + 1)))}) g ${bound ?? sql``}
    order by ${order} limit ${Math.min(query.limit ?? maxGroups, maxGroups)}`;
  const { rows } = await sql<
    Record<string, Cell | Date> & { value: number | null; groups: number }
  >`${compiler.statement(select)}`.execute(tx);
  return {
    groups: rows.map((row) => ({ keys: keys.map((_, index) => valueIn(row[`k${index}`])), value: row.value ?? 0 })),
    groupTotal: rows[0]?.groups ?? 0,
  };
}

interface GroupKey {
  field: string;
  attribute: Attribute | undefined;
  name: Sql;
}

/** Groups without a value come last. Without a wish: buckets in their order, others by the measure, highest first. */
function groupOrder({ orderBy, groupBy = [] }: Query, keys: readonly GroupKey[]): Sql {
  const isInTime = isBucket(groupBy[0] ?? '');
  const { field, isAscending } =
    orderBy ?? (isInTime ? { field: groupBy[0]!, isAscending: true } : { field: 'value', isAscending: false });
  const sortedOf = ({ attribute, name }: GroupKey) =>
    attribute?.type === 'choice' && attribute.isOrdered && !isBucket(groupBy[0] ?? '') ? placeOf(attribute, name) : name;
  const wished = keys.find((key) => key.field === field);
  const direction = sql.raw(isAscending ? 'asc' : 'desc');
  const by = wished ? sortedOf(wished) : field === 'count' ? sql`count` : sql`value`;
  return sql.join([...keys.map(({ name }) => sql`${name} is null`), sql`${by} ${direction} nulls last`, ...keys.map(sortedOf)]);
}

/** The mean over the clients of the scope that the query does not name; without at least two there is none. */
async function averageOfOthers(tx: Tx, query: Query, context: QueryContext): Promise<NonNullable<QueryResult['against']>> {
  const { rows: clients } = await sql<{ id: string; name: string }>`select id::text, name from organisations o
    where ${within('o.id', context.scope)} and not o.is_partner and o.deactivated_at is null`.execute(tx);
  const conditions = conditionsOf(query.where);
  const own = new Set(conditions.filter(isClientFilter).flatMap((filter) => filter.in.map((name) => String(name).toLowerCase())));
  const others = clients.filter(({ name }) => !own.has(name.toLowerCase()));
  if (others.length < 2) return { total: others.length, value: null };
  const { where: _, ...rest } = query;
  const groups = await readByClient(tx, narrowed(rest, ...conditions.filter((filter) => !isClientFilter(filter))), context);
  // Clients without records count as 0.
  const none = ['count', 'list', 'exists', 'sum'].includes(query.measure.kind) ? 0 : null;
  const values = others.map(({ id }) => groups.get(id) ?? none).filter((value) => value !== null);
  return {
    total: others.length,
    value: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length,
  };
}

/** The measure by organisation. Not as groups, whose number is limited and whose names may be equal. */
async function readByClient(tx: Tx, query: Query, context: QueryContext): Promise<Map<string, number | null>> {
  const compiler = new Compiler(context);
  const at = compiler.place(query.entity);
  const { client } = at.schema.keys;
  if (!client) throw problem.invalid({ query: [`${at.schema.title[1]} have no client.`] });
  const { value, join } = measureOf(compiler, at, query.measure);
  const select = sql`select ${client.sql(at.row, context)} as client, ${value} as value ${compiler.matching(at, query.where, query.time, join)} group by 1`;
  const { rows } = await sql<{ client: string; value: number | null }>`${compiler.statement(select)}`.execute(tx);
  return new Map(rows.map((row) => [row.client, row.value]));
}

const isClientFilter = (filter: QueryFilter): filter is { field: string; in: string[] } =>
  'field' in filter && filter.field === 'client' && 'in' in filter;
