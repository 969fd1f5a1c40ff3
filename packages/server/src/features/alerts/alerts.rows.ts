/** SQL of alert rows: the contract’s columns, and pages in the contract’s orders, read along an index wherever possible. */
import type { AlertRow, alertSorts } from '@parapet/contract/alerts.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import type { Range } from '../../domain/ranges.ts';
import type { Catalogue } from './alerts.catalogue.ts';
import { conditionsIn, conditionsOf, type Filter } from './alerts.filter.ts';

export type Sort = (typeof alertSorts)[number];

export interface AlertPageQuery {
  filter: Filter;
  range: Range;
  sort: Sort;
  order: 'asc' | 'desc';
  offset: number;
  limit: number;
  /** Selects only rows with, or only rows without, the sorted device or user: the latter come last in every order. */
  has?: boolean;
  /** By time, newest first: only rows below this one. Time as PostgreSQL prints it, with more precision than a Date. */
  below?: { position: string; id: number };
}

/** Merges one list per organisation up to this number; beyond it, one scan in the order of time is cheaper. */
export const mergedByTime = 16;
/** An index that begins with the organisation allows no other order. */
const mergedByName = 300;

const sortKeys: Record<Sort, string | undefined> = {
  createdTime: undefined,
  criticality: 'a.criticality',
  rule: 'r.title',
  deviceName: 'a.device_name',
  userName: 'a.user_name',
  count: 'a.fire_count',
};

/** Ties by time, then by id, in the same direction, so that ascending is descending reversed. */
function orderBy({ sort, order }: Pick<AlertPageQuery, 'sort' | 'order'>): RawBuilder<unknown> {
  const direction = sql.raw(order);
  const key = sortKeys[sort];
  return sql`order by ${key ? sql`${sql.ref(key)} ${direction}, ` : sql``}a.at ${direction}, a.id ${direction}`;
}

/** Builds the query of whole alert rows, in order. */
function pageOf(scope: Scope, query: AlertPageQuery): RawBuilder<unknown> {
  const { filter, range, sort, offset, limit, has, below } = query;
  const order = orderBy(query);
  const source = sort === 'rule' ? sql`alerts a join rules r on r.id = a.rule_id` : sql`alerts a`;
  const organisations = scope === 'system' ? [] : scope.organisationIds;
  const isNamed = sort === 'deviceName' || sort === 'userName' || filter.devices !== undefined || filter.user !== undefined;
  const isMerged = organisations.length > 1 && organisations.length <= (isNamed ? mergedByName : mergedByTime) && sort !== 'rule';
  const levels = filter.criticalities ?? [];
  const isByLevel = isMerged && levels.length > 1 && sort === 'createdTime';
  const conditions = [
    isMerged ? sql<boolean>`a.organisation_id = h.organisation_id` : within('a.organisation_id', scope),
    sql<boolean>`a.at >= ${new Date(range.start)} and a.at < ${new Date(range.end)}`,
    ...(isByLevel ? [sql<boolean>`a.criticality = h.criticality`] : []),
    ...conditionsOf(isByLevel ? { ...filter, criticalities: undefined } : filter),
    // The first condition lets the planner select the months to read.
    ...(below
      ? [
          sql<boolean>`a.at <= ${below.position}::timestamptz`,
          sql<boolean>`(a.at, a.id) < (${below.position}::timestamptz, ${below.id}::integer)`,
        ]
      : []),
    ...(has === undefined ? [] : [sql<boolean>`${sql.ref(sortKeys[sort]!)} is ${sql.raw(has ? 'not null' : 'null')}`]),
  ];
  const one = (take: number, skip: number) =>
    sql`select a.* from ${source} where ${sql.join(conditions, sql` and `)} ${order} limit ${take} offset ${skip}`;
  if (!isMerged) return one(limit, offset);
  const heads = isByLevel
    ? sql`unnest(${[...organisations]}::integer[]) h1 (organisation_id) cross join unnest(${levels}::smallint[]) h2 (criticality)`
    : sql`unnest(${[...organisations]}::integer[]) h1 (organisation_id)`;
  return sql`select a.* from (select * from ${heads}) h cross join lateral (${one(limit + offset, 0)}) a ${order} limit ${limit} offset ${offset}`;
}

// Names of organisations are few and short: a single client’s name is read once, not joined fifty times.
const nameOf = (scope: Scope): RawBuilder<unknown> =>
  scope !== 'system' && scope.organisationIds.length === 1
    ? sql`(select name from organisations where id = ${scope.organisationIds[0]})`
    : sql`(select name from organisations where id = a.organisation_id)`;

const columnsIn = (scope: Scope): RawBuilder<unknown> => sql`
  a.id, a.organisation_id as "clientOrganizationID", ${nameOf(scope)} as "clientOrganizationName", left(a.summary, 2000) as "alertSummary",
  a.rule_id as "ruleId", a.criticality as "criticalityNumber", left(a.device_name, 2000) as "deviceName", left(a.user_name, 2000) as "userName",
  a.fire_count as count, a.is_new as "newAlert", a.at as "createdTime", a.last_at as "lastSeenTime"`;

export interface StoredRow {
  id: number;
  clientOrganizationID: number;
  clientOrganizationName: string;
  alertSummary: string;
  ruleId: number;
  criticalityNumber: number;
  deviceName: string | null;
  userName: string | null;
  count: number;
  newAlert: boolean;
  createdTime: Date;
  lastSeenTime: Date;
}

/** Reads the rows of a query for whole alert rows, aliased `a`. */
export async function readRows(tx: Tx, scope: Scope, alerts: RawBuilder<unknown>): Promise<StoredRow[]> {
  return (await sql<StoredRow>`select ${columnsIn(scope)} from (${alerts}) a`.execute(tx)).rows;
}

export interface AlertKey {
  alert_id: number;
  alert_at: Date;
}

/** In the order of the keys. The time selects the single month of each. */
export const readByKeys = (tx: Tx, scope: Scope, keys: readonly AlertKey[]): Promise<StoredRow[]> =>
  readRows(
    tx,
    scope,
    sql`select a.* from unnest(${keys.map((key) => key.alert_id)}::integer[], ${keys.map((key) => key.alert_at)}::timestamptz[]) with ordinality k (id, at, place)
      join alerts a on a.id = k.id and a.at = k.at and ${within('a.organisation_id', scope)} order by k.place`,
  );

export const readPage = (tx: Tx, scope: Scope, query: AlertPageQuery): Promise<StoredRow[]> =>
  readRows(tx, scope, pageOf(scope, query));

/** A page with its position, so that the next one continues below it. */
export const readPlacedPage = async (
  tx: Tx,
  scope: Scope,
  query: AlertPageQuery,
): Promise<(StoredRow & { position: string })[]> =>
  (
    await sql<StoredRow & { position: string }>`
      select ${columnsIn(scope)}, a.at::text as position from (${pageOf(scope, query)}) a`.execute(tx)
  ).rows;

/** A page and a figure in one round trip; without rows there is no figure. */
export async function readPageAndTotal(
  tx: Tx,
  scope: Scope,
  query: AlertPageQuery,
  total: RawBuilder<number>,
): Promise<{ results: StoredRow[]; total: number | undefined }> {
  const { rows } = await sql<StoredRow & { total: number }>`
    select ${columnsIn(scope)}, (select ${total}) as total from (${pageOf(scope, query)}) a`.execute(tx);
  return { results: rows, total: rows[0]?.total };
}

/**
 * Reads which devices and users of these rows are isolated or blocked now, as observed by the response ledger:
 * one query per page.
 */
async function flagsOf(tx: Tx, rows: readonly StoredRow[]): Promise<(row: StoredRow) => Flags> {
  const names = new Map<string, { id: number; name: string }>();
  for (const { clientOrganizationID: id, deviceName, userName } of rows)
    for (const name of [deviceName, userName]) if (name !== null) names.set(keyOf(id, name), { id, name });
  if (names.size === 0) return () => none;
  const named = [...names.values()];
  const { rows: found } = await sql<{ id: number; name: string; kind: Tables['response_flags']['kind'] }>`
    select named.id, named.name, f.kind from unnest(${named.map(({ id }) => id)}::integer[], ${named.map(({ name }) => name)}::text[]) named (id, name)
    join response_flags f on f.organisation_id = named.id and f.value_key = lower(named.name)`.execute(tx);
  const set = new Set(found.map(({ id, name, kind }) => `${kind} ${keyOf(id, name)}`));
  const has = (kind: Tables['response_flags']['kind'], id: number, name: string | null) =>
    name !== null && set.has(`${kind} ${keyOf(id, name)}`);
  return ({ clientOrganizationID: id, deviceName, userName }) => ({
    deviceIsolated: has('deviceIsolated', id, deviceName),
    deviceBlocked: has('deviceBlocked', id, deviceName),
    userDisabled: has('userDisabled', id, userName),
  });
}
type Flags = Pick<AlertRow, 'deviceIsolated' | 'deviceBlocked' | 'userDisabled'>;
const none: Flags = { deviceIsolated: false, deviceBlocked: false, userDisabled: false };
const keyOf = (organisationId: number, name: string) => `${organisationId} ${name}`;

/** Converts to the contract’s rows. */
export async function toAlertRows(tx: Tx, catalogue: Catalogue, rows: readonly StoredRow[]): Promise<AlertRow[]> {
  let rules = await catalogue.rules(tx);
  if (rows.some((row) => !rules.byId.has(row.ruleId))) rules = await catalogue.renewed(tx);
  const flags = await flagsOf(tx, rows);
  return rows.map((row) => {
    const rule = rules.byId.get(row.ruleId);
    return {
      id: row.id,
      clientOrganizationID: row.clientOrganizationID,
      clientOrganizationName: row.clientOrganizationName,
      alertSummary: row.alertSummary,
      ruleID: rule?.key ?? '',
      rule: rule?.title.slice(0, 2000) ?? '',
      category: rule?.category.slice(0, 2000) ?? '',
      severity: severityOf(row.criticalityNumber),
      criticalityNumber: row.criticalityNumber,
      deviceName: row.deviceName,
      userName: row.userName,
      count: row.count,
      status: row.newAlert ? 'new' : 'seen',
      newAlert: row.newAlert,
      ...flags(row),
      mitreTechnique: rule?.technique ?? null,
      createdTime: row.createdTime.toISOString(),
      lastSeenTime: row.lastSeenTime.toISOString(),
    };
  });
}

/** Counts up to `limit`. */
export async function countUpTo(
  tx: Tx,
  scope: Scope,
  filter: Filter,
  range: Range,
  limit: number,
  has?: string,
): Promise<number> {
  const conditions = [...conditionsIn(scope, range, filter), ...(has ? [sql<boolean>`${sql.ref(`a.${has}`)} is not null`] : [])];
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from alerts a where ${sql.join(conditions, sql` and `)} limit ${limit}) counted`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}
