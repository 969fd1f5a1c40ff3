/** SQL of the ledger of responses: requests and their steps, the flags that alerts show, response tasks, paths for blocking. */
import type { CaseTask, Response } from '@parapet/contract/caseDetail.ts';
import type { ResponseDetail } from '@parapet/contract/responseRequests.ts';
import { type TaskAction, taskText } from '@parapet/contract/rules/cases.ts';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { findShownName, readerOf, shownName } from '../../domain/visibility.ts';
import type { CaseRecord } from '../cases/cases.changes.ts';

export type ResponseRecord = Selectable<Tables['responses']>;
export type TaskRecord = Selectable<Tables['case_tasks']>;
type FlagKind = Tables['response_flags']['kind'];

/** States in which a request still waits for somebody. */
export const pending = ['requested', 'approved', 'sent'];
export const isPending = ({ state }: Pick<ResponseRecord, 'state'>): boolean => pending.includes(state);

/** The ledger of a case, newest first. */
export async function listResponses(tx: Tx, scope: Scope, caseId: number): Promise<Response[]> {
  const rows = await tx
    .selectFrom('responses')
    .selectAll()
    .select(shownName(scope, 'requested_by', 'requested_by_name').as('shown_requester'))
    .where(within('organisation_id', scope))
    .where('case_id', '=', caseId)
    .orderBy('id', 'desc')
    .limit(200)
    .execute();
  return rows.map((row) => shownResponse({ ...row, requested_by_name: row.shown_requester }));
}

/** One that was just asked for or changed; somebody else may have asked for it before. */
export const showResponse = async (tx: Tx, scope: Scope, row: ResponseRecord): Promise<Response> => {
  const who = { userId: row.requested_by, name: row.requested_by_name };
  return shownResponse({ ...row, requested_by_name: await findShownName(tx, readerOf(scope).organisationId, who) });
};

/** `requested_by_name` as the reader may know it. */
export const shownResponse = (row: ResponseRecord): Response => ({
  id: row.id,
  clientOrganizationID: row.organisation_id,
  caseID: row.case_id,
  action: row.action as Response['action'],
  target: row.target.slice(0, 2000),
  state: row.state as Response['state'],
  isManual: row.is_manual,
  requestedBy: row.requested_by_name,
  requestedTime: row.requested_at.toISOString(),
  changedTime: row.changed_at.toISOString(),
  detail: row.detail.slice(0, 2000),
});

/** How far a task is, in words. */
const resultTexts: Record<string, string> = {
  requested: 'Requested; it waits for approval',
  approved: 'Approved; a person does it and confirms',
  sent: 'Sent',
  acknowledged: 'Confirmed as done',
  verified: 'Done, and seen',
  failed: 'Failed',
  expired: 'Expired: nobody confirmed it in time',
  released: 'Taken back',
};

export async function listTasks(tx: Tx, scope: Scope, caseId: number): Promise<CaseTask[]> {
  const rows = await tx
    .selectFrom('case_tasks')
    .leftJoin('responses', 'responses.id', 'case_tasks.response_id')
    .where(within('case_tasks.organisation_id', scope))
    .where('case_tasks.case_id', '=', caseId)
    .selectAll('case_tasks')
    .select('responses.state')
    .orderBy('task_number')
    .limit(100)
    .execute();
  return rows.map((row) => ({
    taskNumber: row.task_number,
    device: row.device_name,
    task: taskText(row.action as TaskAction, row.target, row.is_sent),
    action: row.action as TaskAction,
    target: row.target,
    isSent: row.is_sent,
    result: row.state === null ? 'Proposed' : (resultTexts[row.state] ?? ''),
  }));
}

const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A device by its uuid or, in any case, any of its names; as it is written in the case's alerts. Undefined where no alert names it. */
export async function findDeviceOfCase(tx: Tx, record: CaseRecord, uuidOrName: string): Promise<string | undefined> {
  const uuid = isUuid.test(uuidOrName) ? uuidOrName : null;
  const { rows } = await sql<{ name: string }>`
    with asked as (
      select name from devices where organisation_id = ${record.organisation_id} and coalesce(merged_into, id) in (
        select coalesce(merged_into, id) from devices
        where organisation_id = ${record.organisation_id} and (id = ${uuid}::uuid or name_key = lower(${uuidOrName})))
      union all select ${uuidOrName})
    select a.device_name as name
    from asked join case_alerts c on c.case_id = ${record.id}
      join alerts a on a.organisation_id = c.organisation_id and a.id = c.alert_id and a.at = c.alert_at and lower(a.device_name) = lower(asked.name)
    where c.organisation_id = ${record.organisation_id}
    order by lower(a.device_name) = lower(${uuidOrName}) desc
    limit 1`.execute(tx);
  return rows[0]?.name;
}

/** A user as the case's alerts write the name. */
export async function findUserOfCase(tx: Tx, record: CaseRecord, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select a.user_name as name from case_alerts c
      join alerts a on a.organisation_id = c.organisation_id and a.id = c.alert_id and a.at = c.alert_at
    where c.organisation_id = ${record.organisation_id} and c.case_id = ${record.id} and lower(a.user_name) = lower(${name})
    limit 1`.execute(tx);
  return rows[0]?.name;
}

/** An artifact of the case as its events write it. */
export async function findArtifact(
  tx: Tx,
  record: CaseRecord,
  value: string,
  kinds: readonly Tables['case_artifacts']['kind'][],
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('case_artifacts')
    .select('value')
    .where('organisation_id', '=', record.organisation_id)
    .where('case_id', '=', record.id)
    .where('kind', 'in', [...kinds])
    .where(sql<boolean>`lower(value) = lower(${value})`)
    .limit(1)
    .executeTakeFirst();
  return row?.value;
}

type Target = Pick<ResponseRecord, 'organisation_id' | 'target' | 'device_name'>;
const sameTarget = ({ organisation_id, target, device_name }: Target) =>
  sql<boolean>`organisation_id = ${organisation_id} and lower(target) = lower(${target})
    and coalesce(lower(device_name), '') = coalesce(lower(${device_name}::text), '')`;

/** The request of this action that still waits, kept from changing. */
export const lockPending = (tx: Tx, action: string, target: Target): Promise<ResponseRecord | undefined> =>
  tx
    .selectFrom('responses')
    .selectAll()
    .where('action', '=', action)
    .where('state', 'in', pending)
    .where(sameTarget(target))
    .forUpdate()
    .executeTakeFirst();

/** Undefined where somebody asked for the same at the same time. */
export const insertResponse = (tx: Tx, row: Insertable<Tables['responses']>): Promise<ResponseRecord | undefined> =>
  tx
    .insertInto('responses')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const findResponse = (tx: Tx, scope: Scope, id: number): Promise<ResponseRecord | undefined> =>
  tx.selectFrom('responses').selectAll().where(within('organisation_id', scope)).where('id', '=', id).executeTakeFirst();

export const lockResponse = (tx: Tx, scope: Scope, id: number): Promise<ResponseRecord | undefined> =>
  tx
    .selectFrom('responses')
    .selectAll()
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export interface Step {
  state: ResponseDetail['steps'][number]['state'];
  at: Date;
  /** Undefined for the portal and its agents. */
  by: Pick<Actor, 'userId' | 'displayName'> | undefined;
  detail: string;
}

/** The step that made the request is written with it; this one follows. */
export async function takeStep(
  tx: Tx,
  { id, organisation_id }: ResponseRecord,
  step: Step & { state: Response['state'] },
  set: Updateable<Tables['responses']> = {},
): Promise<ResponseRecord> {
  await insertStep(tx, { id, organisation_id }, step);
  return tx
    .updateTable('responses')
    .set({ ...set, state: step.state, changed_at: step.at, detail: step.detail })
    .where('id', '=', id)
    .where('organisation_id', '=', organisation_id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function insertStep(
  tx: Tx,
  { id, organisation_id }: Pick<ResponseRecord, 'id' | 'organisation_id'>,
  { state, at, by, detail }: Step,
): Promise<void> {
  await tx
    .insertInto('response_steps')
    .values({
      organisation_id,
      response_id: id,
      at,
      state,
      actor_user_id: by?.userId ?? null,
      actor_name: by?.displayName ?? '',
      detail,
    })
    .execute();
}

/** Columns beside the state, which only a step changes. */
export async function updateResponse(
  tx: Tx,
  { id, organisation_id }: Pick<ResponseRecord, 'id' | 'organisation_id'>,
  set: Pick<Updateable<Tables['responses']>, 'release_at' | 'detail'>,
): Promise<void> {
  await tx.updateTable('responses').set(set).where('id', '=', id).where('organisation_id', '=', organisation_id).execute();
}

/** What the clock has something to do about: approval that nobody gave, what nobody did in time, and what is to be undone by itself. */
export const listDue = (
  tx: Tx,
  now: Date,
  due: 'approval' | 'expiry' | 'release',
): Promise<Pick<ResponseRecord, 'id' | 'case_id' | 'organisation_id'>[]> =>
  tx
    .selectFrom('responses')
    .select(['id', 'case_id', 'organisation_id'])
    .where(
      due === 'approval'
        ? sql<boolean>`state = 'requested' and approve_until <= ${now}`
        : due === 'expiry'
          ? sql<boolean>`state = any(${pending}) and expires_at <= ${now}`
          : sql<boolean>`release_at <= ${now}`,
    )
    .orderBy('id')
    .limit(1000)
    .execute();

const flagged: Record<FlagKind, string[]> = {
  deviceIsolated: ['isolate'],
  userDisabled: ['blockUser', 'disable'],
  deviceBlocked: ['block'],
};

/** What holds now, as the ledger knows it, newest first; a device's under any of its names, through its flag. */
export const listHolders = (tx: Tx, organisationId: number, kind: FlagKind, target: string): Promise<ResponseRecord[]> =>
  tx
    .selectFrom('responses')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('state', 'in', ['acknowledged', 'verified'])
    .where('action', 'in', flagged[kind])
    .where(
      sql<boolean>`(lower(target) = lower(${target}) or id = (select response_id from response_flags
        where organisation_id = ${organisationId} and kind = ${kind} and value_key = lower(${target})))`,
    )
    .orderBy('id', 'desc')
    .limit(100)
    .execute();

/** All alerts with this device, under any of its names, or this user show it from now on, or no longer. */
export async function putFlag(
  tx: Tx,
  flag: { organisationId: number; kind: FlagKind; values: readonly string[]; responseId: number; at: Date },
  isOn: boolean,
): Promise<void> {
  const { organisationId, kind, values, responseId, at } = flag;
  if (isOn)
    await sql`insert into response_flags (organisation_id, kind, value_key, response_id, since)
      select distinct ${organisationId}::integer, ${kind}, lower(v), ${responseId}::integer, ${at}::timestamptz from unnest(${[...values]}::text[]) v
      on conflict (organisation_id, kind, value_key) do update set response_id = excluded.response_id, since = excluded.since`.execute(
      tx,
    );
  else
    await sql`delete from response_flags where organisation_id = ${organisationId} and kind = ${kind}
      and value_key in (select lower(v) from unnest(${[...values]}::text[]) v)`.execute(tx);
}

export const lockTasks = (tx: Tx, record: CaseRecord): Promise<TaskRecord[]> =>
  tx
    .selectFrom('case_tasks')
    .selectAll()
    .where('organisation_id', '=', record.organisation_id)
    .where('case_id', '=', record.id)
    .orderBy('task_number')
    .forUpdate()
    .execute();

export async function insertTask(tx: Tx, row: Insertable<Tables['case_tasks']>): Promise<void> {
  await tx.insertInto('case_tasks').values(row).execute();
}

export async function updateTask(
  tx: Tx,
  task: Pick<TaskRecord, 'case_id' | 'organisation_id' | 'task_number'>,
  set: { is_sent?: boolean; response_id?: number },
): Promise<void> {
  await tx
    .updateTable('case_tasks')
    .set(set)
    .where('organisation_id', '=', task.organisation_id)
    .where('case_id', '=', task.case_id)
    .where('task_number', '=', task.task_number)
    .execute();
}

/** The tasks that asked for this request. */
export const listTasksOf = (tx: Tx, { id, organisation_id }: ResponseRecord): Promise<TaskRecord[]> =>
  tx.selectFrom('case_tasks').selectAll().where('organisation_id', '=', organisation_id).where('response_id', '=', id).execute();

export async function isAutonomous(tx: Tx, organisationId: number): Promise<boolean> {
  const { is_ar_enabled } = await tx
    .selectFrom('organisations')
    .select('is_ar_enabled')
    .where('id', '=', organisationId)
    .executeTakeFirstOrThrow();
  return is_ar_enabled;
}

export async function insertBlockToken(tx: Tx, row: Insertable<Tables['block_tokens']>): Promise<void> {
  await tx.insertInto('block_tokens').values(row).execute();
}

/** Takes the path away from everybody else who tries it; undefined where it is not this actor's, over, used or unknown. */
export async function consumeBlockToken(
  tx: Tx,
  scope: Scope,
  { hash, actorId, now }: { hash: Buffer; actorId: number; now: Date },
): Promise<{ case_id: number; user_name: string } | undefined> {
  return tx
    .updateTable('block_tokens')
    .set({ used_at: now })
    .where(within('organisation_id', scope))
    .where('token_hash', '=', hash)
    .where('actor_user_id', '=', actorId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['case_id', 'user_name'])
    .executeTakeFirst();
}

export async function dropBlockTokens(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('block_tokens').where('expires_at', '<', before).execute();
}
