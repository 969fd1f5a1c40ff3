/**
 * Lists of cases. Which rows a page has is found first, by their numbers alone, where an index can along it; only those are read whole. Counting
 * stops at a bound, and so does paging.
 */
import { type CaseFilters, type CaseRow, caseAges, type caseSorts } from '@parapet/contract/caseList.ts';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { caseStatusValues } from '@parapet/contract/rules/cases.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { judgedVerdicts } from '@parapet/contract/rules/judgement.ts';
import { maxId } from '@parapet/contract/rules/values.ts';
import { type RawBuilder, sql } from 'kysely';
import { containing, storable } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { isAnswerUnseen, isBreached, isWaiting } from '../../domain/caseTimes.ts';
import { namesOfDevice } from '../../domain/deviceCounts.ts';
import { hasUser } from '../../domain/identities.ts';
import { isFoundMalicious, judgedVerdict } from '../../domain/judgedVerdict.ts';
import { isAmong, type QueryRows, queryRows } from '../../domain/query/listed.ts';
import type { Range } from '../../domain/ranges.ts';
import { shownName } from '../../domain/visibility.ts';
import { columnsFor, type StoredCase, toCaseRow } from './cases.rows.ts';

export const countLimit = 10_000;

export interface CaseListQuery {
  filters: CaseFilters;
  /** Of the query among the filters. */
  rows?: QueryRows | undefined;
  range: Range;
  sort: (typeof caseSorts)[number];
  order: 'asc' | 'desc';
  offset: number;
  limit: number;
  now: number;
}

type CaseSelection = Pick<CaseListQuery, 'filters' | 'rows' | 'range' | 'now'>;

/** Rows and range that the query among the filters selects, else the list’s range. */
export function caseSelection(actor: Actor, scope: Scope, filters: CaseFilters, range: Range, now: number): CaseSelection {
  const rows = queryRows(actor, scope, filters.query, now);
  return { filters, rows, range: rows?.range ?? range, now };
}

const verdictColumn = judgedVerdict(sql`c`);
const sortKeys: Record<CaseListQuery['sort'], RawBuilder<unknown> | undefined> = {
  createdTime: undefined,
  lastAlertTime: sql`c.last_alert_at`,
  criticality: sql`c.criticality`,
  casePercentage: sql`c.percentage`,
  // Order of the life cycle.
  status: sql`array_position(${sql.lit(`{${caseStatusValues.join()}}`)}::text[], c.status)`,
  alertCount: sql`c.alert_count`,
  client: sql`o.name`,
  verdict: sql`array_position(${sql.lit(`{${judgedVerdicts.map((verdict) => `"${verdict}"`).join()}}`)}::text[], ${verdictColumn})`,
  urgency: sql`-c.criticality`,
};

/** Sort keys; ties by time, then by id, in the same direction, so that ascending is the exact reverse of descending. */
function keysOf({ sort, order }: Pick<CaseListQuery, 'sort' | 'order'>): RawBuilder<unknown> {
  const direction = sql.raw(order);
  const key = sortKeys[sort];
  return sql`${key ? sql`${key} ${direction}, ` : sql``}c.created_at ${direction}, c.id ${direction}`;
}

const oneOf = (column: RawBuilder<unknown>, values: readonly (string | number)[], type: string): RawBuilder<boolean>[] =>
  values.length === 0
    ? []
    : values.length === 1
      ? [sql<boolean>`${column} = ${values[0]}`]
      : [sql<boolean>`${column} = any(${[...values]}::${sql.raw(type)}[])`];

function conditionsOf(scope: Scope, { filters, rows, range, now }: CaseSelection): RawBuilder<unknown> {
  const {
    status,
    severity,
    resolution,
    verdict,
    analyst,
    device,
    user,
    breached,
    waiting,
    answered,
    confirmed,
    excluded,
    age,
    text,
  } = filters;
  const analysts = analyst.filter((id) => id !== 0);
  const unassigned = analyst.includes(0) ? [sql<boolean>`c.analyst_user_id is null`] : [];
  const isAnalyst = [...oneOf(sql`c.analyst_user_id`, analysts, 'integer'), ...unassigned];
  const conditions = [
    within('c.organisation_id', scope),
    sql<boolean>`c.created_at >= ${new Date(range.start)} and c.created_at < ${new Date(range.end)}`,
    ...oneOf(sql`c.status`, status, 'text'),
    ...oneOf(
      sql`c.criticality`,
      severity.map((name) => criticalityOf[name]),
      'smallint',
    ),
    ...oneOf(sql`c.resolution`, resolution, 'text'),
    ...oneOf(verdictColumn, verdict, 'text'),
    ...(isAnalyst.length > 0 ? [sql<boolean>`(${sql.join(isAnalyst, sql` or `)})`] : []),
    ...(device === undefined ? [] : [sql<boolean>`c.device_names && ${namesOfDevice(storable(device))}`]),
    ...(user === undefined ? [] : [hasUser(sql`c`, sql`c.user_names`, [storable(user)], scope)]),
    ...(excluded === undefined ? [] : [sql<boolean>`c.is_excluded = ${excluded}`]),
    ...(breached === undefined ? [] : [breached ? isBreached(new Date(now)) : sql<boolean>`not ${isBreached(new Date(now))}`]),
    ...(waiting === undefined ? [] : [waiting ? isWaiting(now) : sql<boolean>`not ${isWaiting(now)}`]),
    ...(answered === undefined ? [] : [answered ? isAnswerUnseen : sql<boolean>`not ${isAnswerUnseen}`]),
    ...(confirmed === undefined ? [] : [sql<boolean>`${isFoundMalicious(sql`c`)} = ${confirmed}`]),
    ...(age === undefined ? [] : isOfAge(caseAges[age], now)),
    ...(text === '' ? [] : [matches(text)]),
    ...isAmong('c', rows),
  ];
  return sql.join(conditions, sql` and `);
}

const isOfAge = ([from, to]: readonly [number, number | null], now: number): RawBuilder<boolean>[] => [
  ...(from === 0 ? [] : [sql<boolean>`c.created_at < ${new Date(now - from * dayMs)}`]),
  ...(to === null ? [] : [sql<boolean>`c.created_at >= ${new Date(now - to * dayMs)}`]),
];

function matches(text: string): RawBuilder<boolean> {
  const pattern = containing(text);
  const number = /^#?(\d{1,10})$/.exec(text)?.[1];
  return sql<boolean>`(c.title ilike ${pattern}
    or array_to_string(c.device_names, chr(10)) ilike ${pattern} or array_to_string(c.user_names, chr(10)) ilike ${pattern}
    ${number !== undefined && Number(number) <= maxId ? sql`or c.id = ${Number(number)}` : sql``})`;
}

/** Joins the organisation only where needed, so that an index-only scan stays possible. */
const sourceOf = ({ sort, filters }: Pick<CaseListQuery, 'sort' | 'filters'>): RawBuilder<unknown> =>
  sort === 'client' || filters.breached !== undefined
    ? sql`cases c join organisations o on o.id = c.organisation_id`
    : sql`cases c`;

/** All matching cases as a query of organisation_id, id and at, for bulk jobs. */
export const selectCases = (scope: Scope, query: CaseSelection): RawBuilder<unknown> =>
  sql`select c.organisation_id, c.id, null::timestamptz as at from ${sourceOf({ sort: 'createdTime', ...query })} where ${conditionsOf(scope, query)}`;

export async function listCases(
  tx: Tx,
  scope: Scope,
  query: CaseListQuery,
): Promise<{ results: CaseRow[]; total: number; totalIsAtLeast: boolean }> {
  const { offset, limit, now } = query;
  const keys = keysOf(query);
  const source = sourceOf(query);
  const conditions = conditionsOf(scope, query);
  const { rows } = await sql<StoredCase>`
    select ${columnsFor(scope)} from (
      select c.id, row_number() over (order by ${keys}) as place from ${source} where ${conditions} order by ${keys} limit ${limit} offset ${offset}) page
    join cases c on c.id = page.id join organisations o on o.id = c.organisation_id order by page.place`.execute(tx);
  const results = rows.map((row) => toCaseRow(row, now));
  // The last page gives the total without a count.
  if (rows.length < limit && (rows.length > 0 || offset === 0))
    return { results, total: offset + rows.length, totalIsAtLeast: false };
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from (select from ${source} where ${conditions} limit ${countLimit + 1}) matched`.execute(tx);
  const total = counted[0]?.total ?? 0;
  return { results, total: Math.min(total, countLimit), totalIsAtLeast: total > countLimit };
}

/** A batch of an export, newest first; `below` is the last row of the previous batch. */
export async function listPart(
  tx: Tx,
  scope: Scope,
  query: CaseSelection & Pick<CaseListQuery, 'limit'>,
  below: { position: string; id: number } | undefined,
): Promise<{ rows: CaseRow[]; below: { position: string; id: number } | undefined }> {
  const { rows } = await sql<StoredCase & { position: string }>`
    select ${columnsFor(scope)}, c.created_at::text as position from cases c join organisations o on o.id = c.organisation_id
    where ${conditionsOf(scope, query)} ${below ? sql`and (c.created_at, c.id) < (${below.position}::timestamptz, ${below.id}::integer)` : sql``}
    order by c.created_at desc, c.id desc limit ${query.limit}`.execute(tx);
  const last = rows.at(-1);
  return { rows: rows.map((row) => toCaseRow(row, query.now)), below: last && { position: last.position, id: last.id } };
}

const maxAnswers = 50;

/** Cases of the analyst or of none, with an answer of the client that no analyst has seen, newest answer first. */
export async function listUnseenAnswers(tx: Tx, scope: Scope, userId: number, now: number) {
  const mine = sql`cases c join organisations o on o.id = c.organisation_id
    where ${within('c.organisation_id', scope)} and ${isAnswerUnseen} and coalesce(c.analyst_user_id = ${userId}, true)`;
  const { rows } = await sql<StoredCase & { total: number }>`
    select ${columnsFor(scope)}, count(*) over ()::integer as total from ${mine}
    order by c.client_answered_at desc, c.id desc limit ${maxAnswers}`.execute(tx);
  return { results: rows.map((row) => toCaseRow(row, now)), total: rows[0]?.total ?? 0 };
}

export interface Facet {
  value: string;
  label: string;
  count: number;
}

/** Counts of a timeframe's cases by filter value, in one pass. */
export async function countFacets(tx: Tx, scope: Scope, range: Range) {
  const { rows } = await sql<{
    status: string;
    criticality: number;
    verdict: string | null;
    resolution: string | null;
    analyst: number | null;
    count: number;
  }>`select c.status, c.criticality, ${verdictColumn} as verdict, c.resolution, c.analyst_user_id as analyst, count(*) as count from cases c
    where ${within('c.organisation_id', scope)} and c.created_at >= ${new Date(range.start)} and c.created_at < ${new Date(range.end)}
    group by 1, 2, 3, 4, 5`.execute(tx);
  const sums = <K extends keyof (typeof rows)[number]>(key: K) => {
    const counts = new Map<(typeof rows)[number][K], number>();
    for (const row of rows) counts.set(row[key], (counts.get(row[key]) ?? 0) + row.count);
    return counts;
  };
  const analysts = sums('analyst');
  const ids = [...analysts.keys()].filter((id) => id !== null);
  const { rows: named } = await sql<{ id: number; name: string }>`
    select wanted.id, found.name from unnest(${ids}::integer[]) wanted (id)
    cross join lateral (select ${shownName(scope, 'c.analyst_user_id', 'c.analyst_name')} as name from cases c where c.analyst_user_id = wanted.id and ${within('c.organisation_id', scope)} limit 1) found`.execute(
    tx,
  );
  return {
    status: sums('status'),
    criticality: sums('criticality'),
    verdict: sums('verdict'),
    resolution: sums('resolution'),
    analysts,
    named,
  };
}
