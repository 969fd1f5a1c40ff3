/** SQL of the ledger of responses: requests and their steps, response tasks of cases, block tokens. */
import type { CaseTask, Response } from '@parapet/contract/caseDetail.ts';
import type { ResponseDetail } from '@parapet/contract/responseRequests.ts';
import { type TaskAction, taskText } from '@parapet/contract/rules/cases.ts';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { pending } from '../../domain/responseStates.ts';
import { findShownName, readerOf, shownName } from '../../domain/visibility.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import { kindOf } from './responses.rules.ts';
import type { ResponseState, Transition } from './responses.states.ts';

export type ResponseRecord = Selectable<Tables['responses']>;
export type TaskRecord = Selectable<Tables['case_tasks']>;

/** Responses of a case, newest first. */
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

/** A response in the contract's shape. The requester may be another person than the reader. */
export const showResponse = async (tx: Tx, scope: Scope, row: ResponseRecord): Promise<Response> => {
  const who = { userId: row.requested_by, name: row.requested_by_name };
  return shownResponse({ ...row, requested_by_name: await findShownName(tx, readerOf(scope).organisationId, who) });
};

/** `requested_by_name` must be a name that the reader may see. */
export const shownResponse = (row: ResponseRecord): Response => ({
  id: row.id,
  clientOrganizationID: row.organisation_id,
  caseID: row.case_id,
  action: row.action as Response['action'],
  target: row.target.slice(0, 2000),
  state: row.state as Response['state'],
  isManual: row.is_manual,
  isByVendor: row.is_by_vendor,
  requestedBy: row.requested_by_name,
  requestedTime: row.requested_at.toISOString(),
  changedTime: row.changed_at.toISOString(),
  detail: row.detail.slice(0, 2000),
});

/** Progress of a response task, by the state of its response. */
const resultTexts: Record<string, string> = {
  requested: 'Waiting for approval',
  approved: 'Approved; manual execution pending',
  sent: 'Sent',
  acknowledged: 'Confirmed as done',
  verified: 'Done and verified',
  failed: 'Failed',
  expired: 'Expired: not confirmed in time',
  released: 'Released',
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

/** Finds a device by its uuid or any of its names, ignoring letter case. Returns the spelling of the case's alerts; undefined where none names it. */
export async function findDeviceOfCase(tx: Tx, record: CaseRecord, uuidOrName: string): Promise<string | undefined> {
  const uuid = isUuid.test(uuidOrName) ? uuidOrName : null;
  const { rows } = await sql<{ name: string }>`
    with wanted as (
      select name from devices where organisation_id = ${record.organisation_id} and coalesce(merged_into, id) in (
        select coalesce(merged_into, id) from devices
        where organisation_id = ${record.organisation_id} and (id = ${uuid}::uuid or name_key = lower(${uuidOrName})))
      union all select ${uuidOrName})
    select a.device_name as name
    from wanted join case_alerts c on c.case_id = ${record.id}
      join alerts a on a.organisation_id = c.organisation_id and a.id = c.alert_id and a.at = c.alert_at and lower(a.device_name) = lower(wanted.name)
    where c.organisation_id = ${record.organisation_id}
    order by lower(a.device_name) = lower(${uuidOrName}) desc
    limit 1`.execute(tx);
  return rows[0]?.name;
}

/** Finds a user of the case's alerts, ignoring letter case. Returns the alerts' spelling. */
export async function findUserOfCase(tx: Tx, record: CaseRecord, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select a.user_name as name from case_alerts c
      join alerts a on a.organisation_id = c.organisation_id and a.id = c.alert_id and a.at = c.alert_at
    where c.organisation_id = ${record.organisation_id} and c.case_id = ${record.id} and lower(a.user_name) = lower(${name})
    limit 1`.execute(tx);
  return rows[0]?.name;
}

/** Finds an artifact of the case, ignoring letter case. Returns the events' spelling. */
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

/** Locks the pending request of this action and target. */
export const lockPending = (tx: Tx, action: string, target: Target): Promise<ResponseRecord | undefined> =>
  tx
    .selectFrom('responses')
    .selectAll()
    .where('action', '=', action)
    .where('state', 'in', [...pending])
    .where(sameTarget(target))
    .forUpdate()
    .executeTakeFirst();

/** Returns undefined where another transaction has inserted the same request. */
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
  /** Undefined for the portal and for agents. */
  by: Pick<Actor, 'userId' | 'displayName'> | undefined;
  detail: string;
}

/** Records a step of a locked response and moves it to the step's state. Throws for a state from which the transition does not start. */
export async function applyTransition<To extends ResponseState>(
  tx: Tx,
  { id, organisation_id, state }: ResponseRecord,
  { from }: Transition<To>,
  step: Step & { state: To },
  set: Updateable<Tables['responses']> = {},
): Promise<ResponseRecord> {
  if (!from.some((each) => each === state)) throw new Error(`Response ${id} cannot move from ${state} to ${step.state}.`);
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

/** Updates columns beside the state, which only `applyTransition` changes. */
export async function updateResponse(
  tx: Tx,
  { id, organisation_id }: Pick<ResponseRecord, 'id' | 'organisation_id'>,
  set: Pick<Updateable<Tables['responses']>, 'release_at' | 'detail'>,
): Promise<void> {
  await tx.updateTable('responses').set(set).where('id', '=', id).where('organisation_id', '=', organisation_id).execute();
}

/** Responses with an overdue approval, an overdue execution, or a due automatic release. */
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
          ? sql<boolean>`state = any(${[...pending]}) and expires_at <= ${now}`
          : sql<boolean>`release_at <= ${now}`,
    )
    .orderBy('id')
    .limit(1000)
    .execute();

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

/** Case tasks from which this request was made. */
export const listTasksOf = (tx: Tx, { id, organisation_id }: ResponseRecord): Promise<TaskRecord[]> =>
  tx.selectFrom('case_tasks').selectAll().where('organisation_id', '=', organisation_id).where('response_id', '=', id).execute();

/** Marks the case tasks of a response as sent where its action holds or is pending. */
export async function settleTasks(tx: Tx, response: ResponseRecord, isDone: boolean): Promise<void> {
  const { isUndo } = kindOf(response);
  for (const task of await listTasksOf(tx, response)) await updateTask(tx, task, { is_sent: isDone !== isUndo });
}

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

/** Uses a block token once. Returns undefined for one that is unknown, used, expired or another user's. */
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
