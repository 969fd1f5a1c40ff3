/** SQL of requests over all cases, approvals, approval rules and protected assets. */
import type { ResponseDetail } from '@parapet/contract/responseRequests.ts';
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { containing } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { faultOf, type PairFault } from '../../domain/approvers.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import { pending } from '../../domain/responseStates.ts';
import { shownName } from '../../domain/visibility.ts';
import type { ResponseRecord } from './responses.store.ts';

/** A request with the columns of its list row. */
export interface ResponseRequestRecord extends ResponseRecord {
  organisation_name: string;
  parent_id: number | null;
  is_partner: boolean;
  shown_requester: string;
  approvals: number;
  /** True once the reader has decided on it. */
  has_approved: boolean;
  /** Reason why the reader is no second person; null for a possible approver, and where no approval is awaited. */
  fault: PairFault | null;
  /** The same between the reader and those who have approved it; that of the first of them. */
  approver_fault: PairFault | null;
}

/** Reader of a list, and the time of reading. */
export interface Reader {
  userId: number;
  now: Date;
}

export interface ResponseRequestFilter {
  start: string;
  end: string;
  text: string;
  state: string[];
  action: string[];
  caseID?: number | undefined;
  rows?: QueryRows | undefined;
  page: number;
  pageSize: number;
}

const requestsOf = (tx: Tx, scope: Scope, { userId, now }: Reader) =>
  tx
    .selectFrom('responses as r')
    .innerJoin('organisations as o', 'o.id', 'r.organisation_id')
    .where(within('r.organisation_id', scope))
    .selectAll('r')
    .select([
      'o.name as organisation_name',
      'o.parent_id',
      'o.is_partner',
      shownName(scope, 'r.requested_by', 'r.requested_by_name').as('shown_requester'),
      sql<number>`(select count(*)::integer from response_approvals p where p.response_id = r.id and p.is_approved)`.as(
        'approvals',
      ),
      sql<boolean>`exists (select from response_approvals p where p.response_id = r.id and p.user_id = ${userId})`.as(
        'has_approved',
      ),
      sql<PairFault | null>`case when r.state = 'requested' and r.approvals_needed > 0
        then ${faultOf(sql`r.requested_by`, userId, now)} end`.as('fault'),
      sql<PairFault | null>`case when r.state = 'requested' and r.approvals_needed > 1 then (
        select f.fault from response_approvals p cross join lateral (select ${faultOf(sql`p.user_id`, userId, now)} as fault) f
        where p.response_id = r.id and p.is_approved and p.user_id <> ${userId} and f.fault is not null order by p.at, p.user_id limit 1) end`.as(
        'approver_fault',
      ),
    ]);

export const findResponseRequest = (
  tx: Tx,
  scope: Scope,
  reader: Reader,
  id: number,
): Promise<ResponseRequestRecord | undefined> => requestsOf(tx, scope, reader).where('r.id', '=', id).executeTakeFirst();

function fits({ start, end, text, action, caseID, rows }: ResponseRequestFilter): RawBuilder<boolean> {
  const conditions = [
    ...(rows
      ? isAmong('r', rows)
      : [
          sql`(r.state = any(${[...pending]}) or (r.requested_at >= ${start}::timestamptz and r.requested_at < ${end}::timestamptz))`,
        ]),
    ...(text === '' ? [] : [sql`(r.target ilike ${containing(text)} or r.device_name ilike ${containing(text)})`]),
    ...(action.length === 0 ? [] : [sql`r.action = any(${action})`]),
    ...(caseID === undefined ? [] : [sql`r.case_id = ${caseID}`]),
  ];
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** Pending ones first, then newest first; with the count of each state. */
export async function listResponseRequests(
  tx: Tx,
  scope: Scope,
  reader: Reader,
  filter: ResponseRequestFilter,
): Promise<{ rows: ResponseRequestRecord[]; total: number; states: { state: string; count: number }[] }> {
  const { rows: states } = await sql<{ state: string; count: number }>`
    select r.state, count(*)::integer as count from responses r
    where ${within('r.organisation_id', scope)} and ${fits(filter)} group by r.state order by r.state`.execute(tx);
  let query = requestsOf(tx, scope, reader).where(fits(filter));
  if (filter.state.length > 0) query = query.where('r.state', 'in', filter.state);
  const rows = await query
    .orderBy(sql`r.state = any(${[...pending]})`, 'desc')
    .orderBy('r.requested_at', 'desc')
    .orderBy('r.id', 'desc')
    .limit(filter.pageSize)
    .offset((filter.page - 1) * filter.pageSize)
    .execute();
  const chosen = states.filter(({ state }) => filter.state.length === 0 || filter.state.includes(state));
  return { rows, total: chosen.reduce((sum, { count }) => sum + count, 0), states };
}

export async function listSteps(tx: Tx, scope: Scope, responseId: number): Promise<ResponseDetail['steps']> {
  const rows = await tx
    .selectFrom('response_steps')
    .select(['at', 'state', 'detail', shownName(scope, 'actor_user_id', 'actor_name').as('actor')])
    .where(within('organisation_id', scope))
    .where('response_id', '=', responseId)
    .orderBy('id', 'desc')
    .limit(200)
    .execute();
  return rows.reverse().map(({ at, state, detail, actor }) => ({
    time: at.toISOString(),
    state: state as ResponseDetail['steps'][number]['state'],
    actor,
    detail: detail.slice(0, 2000),
  }));
}

/** The collected file with its task. */
export async function findFile(tx: Tx, scope: Scope, responseId: number) {
  return tx
    .selectFrom('collected_files as f')
    .innerJoin('agent_tasks as t', 't.id', 'f.task_id')
    .select(['f.task_id', 'f.organisation_id', 'f.path', 'f.sha256', 'f.size', 'f.is_stored'])
    .where(within('f.organisation_id', scope))
    .where('t.response_id', '=', responseId)
    .orderBy('f.id', 'desc')
    .executeTakeFirst();
}

/** Returns false where this person has already decided on the request. */
export async function insertApproval(tx: Tx, row: Insertable<Tables['response_approvals']>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('response_approvals')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export type RuleRecord = Selectable<Tables['approval_rules']>;
export type AssetRecord = Selectable<Tables['protected_assets']>;

export const listRules = (tx: Tx, scope: Scope, organisationId: number): Promise<RuleRecord[]> =>
  tx
    .selectFrom('approval_rules')
    .selectAll()
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', organisationId)
    .orderBy('id')
    .limit(200)
    .execute();

/** Returns undefined for a duplicate. */
export const insertRule = (tx: Tx, row: Insertable<Tables['approval_rules']>): Promise<RuleRecord | undefined> =>
  tx
    .insertInto('approval_rules')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const removeRule = (tx: Tx, scope: Scope, organisationId: number, id: number): Promise<RuleRecord | undefined> =>
  tx
    .deleteFrom('approval_rules')
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export const listAssets = (tx: Tx, scope: Scope, organisationId: number): Promise<AssetRecord[]> =>
  tx
    .selectFrom('protected_assets')
    .selectAll()
    .select(shownName(scope, 'created_by', 'created_by_name').as('created_by_name'))
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', organisationId)
    .orderBy('kind')
    .orderBy(sql`lower(value)`)
    .limit(1_000)
    .execute();

/** Returns undefined for a duplicate. */
export const insertAsset = (tx: Tx, row: Insertable<Tables['protected_assets']>): Promise<AssetRecord | undefined> =>
  tx
    .insertInto('protected_assets')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const removeAsset = (tx: Tx, scope: Scope, organisationId: number, id: number): Promise<AssetRecord | undefined> =>
  tx
    .deleteFrom('protected_assets')
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export async function countOf(tx: Tx, table: 'approval_rules' | 'protected_assets', organisationId: number): Promise<number> {
  const { count } = await tx
    .selectFrom(table)
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow();
  return count;
}

/** `scope` decides which name of the last editor is shown. */
export const findPolicy = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('installation_settings')
    .select([
      'is_single_operator',
      sql<boolean>`is_single_operator()`.as('is_in_effect'),
      'changed_by',
      shownName(scope, 'changed_by', 'changed_by_name').as('changed_by_name'),
      'changed_at',
    ])
    .executeTakeFirstOrThrow();

/** Counts over the installation: needs the system scope. */
export async function countStaff(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`select staff_count() as count`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Changes a setting of the installation: needs the system scope. */
export async function updatePolicy(tx: Tx, isSingleOperator: boolean, actor: Actor, now: Date): Promise<void> {
  await tx
    .updateTable('installation_settings')
    .set({ is_single_operator: isSingleOperator, changed_by: actor.userId, changed_by_name: actor.displayName, changed_at: now })
    .execute();
}

/** The case that a request belongs to. */
export const findCase = async (tx: Tx, row: Pick<ResponseRequestRecord, 'organisation_id' | 'case_id'>) =>
  row.case_id === null
    ? undefined
    : tx
        .selectFrom('cases')
        .selectAll()
        .where('organisation_id', '=', row.organisation_id)
        .where('id', '=', row.case_id)
        .executeTakeFirst();
