/** SQL of the worker of actions: which tasks are due, and what an attempt leaves behind. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { VendorTaskAction, VendorTaskState } from '../../core/db/tables.connections.ts';

export interface DueTask {
  id: number;
  organisationId: number;
  responseId: number;
  place: string;
  action: VendorTaskAction;
  target: string;
  state: 'sent' | 'expired';
  handle: string | null;
  detail: string;
  failures: number;
  createdAt: Date;
  expiresAt: Date;
  /** Undefined once it was removed. */
  connection:
    | {
        id: number;
        organisationId: number;
        kind: string;
        account: string;
        settings: Record<string, string>;
        secrets: Buffer;
        isUsable: boolean;
      }
    | undefined;
}

/** Actions on one target begin one after another: a later one waits until the vendor has accepted the earlier ones, or they ended. */
const isFirst = (task: string) => sql<boolean>`not exists (select from connection_tasks o
  where o.connection_id = ${sql.ref(task)}.connection_id and o.target = ${sql.ref(task)}.target and o.id < ${sql.ref(task)}.id
    and o.next_at is not null and o.handle is null)`;

/** A restored portal acts nowhere until it is released, and deactivated organisations have no actions. */
const isInService = (
  task: string,
) => sql<boolean>`(select not is_paused()) and not exists (select from organisations o left join organisations p on p.id = o.parent_id
  where o.id = ${sql.ref(task)}.organisation_id and (o.deactivated_at is not null or p.deactivated_at is not null))`;

/** Tasks that are due, one of each organisation first. */
export async function listDueTasks(tx: Tx, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from (
      select id, next_at, row_number() over (partition by organisation_id order by next_at, id) as turn from connection_tasks
      where next_at <= ${now} and (leased_until is null or leased_until < ${now}) and ${isFirst('connection_tasks')}
        and ${isInService('connection_tasks')}
    ) due order by turn, next_at, id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Leases a task that is still due, and counts it as sent from now on; undefined where it is not, or another worker has it. */
export async function claimTask(tx: Tx, id: number, now: Date, until: Date): Promise<DueTask | undefined> {
  const task = await tx
    .updateTable('connection_tasks')
    .set({ leased_until: until, state: sql<VendorTaskState>`case when state = 'queued' then 'sent' else state end` })
    .where('id', '=', id)
    .where('next_at', '<=', now)
    .where(isFirst('connection_tasks'))
    .where(isInService('connection_tasks'))
    .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<', now)]))
    .returning([
      'id',
      'organisation_id as organisationId',
      'response_id as responseId',
      'connection_id as connectionId',
      'place',
      'action',
      'target',
      'state',
      'handle',
      'detail',
      'failures',
      'created_at as createdAt',
      'expires_at as expiresAt',
    ])
    .executeTakeFirst();
  if (!task) return undefined;
  const { connectionId, state, ...rest } = task;
  const connection =
    connectionId === null
      ? undefined
      : await tx
          .selectFrom('connections')
          .select(['id', 'organisation_id as organisationId', 'kind', 'account', 'settings', 'secrets'])
          .select(sql<boolean>`may_act and state = 'active'`.as('isUsable'))
          .where('organisation_id', '=', rest.organisationId)
          .where('id', '=', connectionId)
          .executeTakeFirst();
  return { ...rest, state: state === 'expired' ? 'expired' : 'sent', connection };
}

/** Ends the lease. Returns false where the task has ended. */
export async function saveTask(
  tx: Tx,
  { id, organisationId }: Pick<DueTask, 'id' | 'organisationId'>,
  set: { handle?: string; detail?: string; failures: number; nextAt: Date },
): Promise<boolean> {
  const { nextAt, ...rest } = set;
  const { numUpdatedRows } = await tx
    .updateTable('connection_tasks')
    .set({ ...rest, next_at: nextAt, leased_until: null })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .where('state', 'in', ['sent', 'expired'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns false where the task has ended. */
export async function endTask(
  tx: Tx,
  { id, organisationId }: Pick<DueTask, 'id' | 'organisationId'>,
  { state, detail, now }: { state: 'verified' | 'failed' | 'unknown' | 'expired'; detail: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('connection_tasks')
    .set({ state, detail, next_at: null, leased_until: null, ended_at: now })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .where('state', 'in', ['sent', 'expired'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
