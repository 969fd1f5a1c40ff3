/** SQL of agents’ tasks and collected files. */
import type { AgentAction, AgentTask } from '@parapet/contract/agentProtocol.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { TaskState } from '../../core/db/tables.agents.ts';

export interface TaskRecord {
  id: number;
  organisationId: number;
  agentId: number;
  deviceId: string;
  sequence: number;
  responseId: number | null;
  action: AgentAction;
  target: string;
  maxBytes: number;
  state: TaskState;
}

const records = (tx: Tx) =>
  tx
    .selectFrom('agent_tasks as t')
    .innerJoin('agents as a', 'a.id', 't.agent_id')
    .select([
      't.id',
      't.organisation_id as organisationId',
      't.agent_id as agentId',
      'a.device_id as deviceId',
      't.sequence',
      't.response_id as responseId',
      't.action',
      't.target',
      't.max_bytes as maxBytes',
      't.state',
    ]);

/** Finds a dispatched task of that agent. */
export const findTask = (tx: Tx, agentId: number, id: number): Promise<TaskRecord | undefined> =>
  records(tx)
    .where('t.id', '=', id)
    .where('t.agent_id', '=', agentId)
    .where('t.state', 'not in', ['queued', 'cancelled'])
    .where('t.sent_at', 'is not', null)
    .executeTakeFirst();

/** Tasks not acknowledged in time, or of revoked agents. `sentBefore` gives dispatched tasks a longer limit. */
export const listOverdue = (
  tx: Tx,
  now: Date,
  sentBefore: Date,
  limit: number,
): Promise<(TaskRecord & { isRevoked: boolean })[]> =>
  records(tx)
    .select(sql<boolean>`a.revoked_at is not null`.as('isRevoked'))
    .where('t.state', 'in', ['queued', 'sent'])
    .where(
      sql<boolean>`(t.expires_at < case t.state when 'queued' then ${now}::timestamptz else ${sentBefore}::timestamptz end or a.revoked_at is not null)`,
    )
    .orderBy('t.id')
    .limit(limit)
    .execute();

interface Waiting {
  id: number;
  isQueued: boolean;
}

/** Returns the tasks above each agent’s number, by the hash of the key in hex. Invalid keys are omitted. */
export async function listWaiting(tx: Tx, afterByKey: ReadonlyMap<string, number>, now: Date): Promise<Map<string, Waiting[]>> {
  const { rows } = await sql<{ key: string; id: number | null; state: TaskState | null }>`
    -- Decoded before the join: beside row-level security, an index is used for what cannot leak alone, and decode could.
    with asked as materialized (
      select key, decode(key, 'hex') as hash, after from unnest(${[...afterByKey.keys()]}::text[], ${[...afterByKey.values()]}::integer[]) as k (key, after)
    )
    select k.key, t.id, t.state
    from asked k join agents a on a.key_hash = k.hash
    left join agent_tasks t on t.agent_id = a.id and t.sequence > k.after and t.state in ('queued', 'sent') and t.expires_at > ${now}
      and (select not is_paused())
    where a.revoked_at is null
    order by t.sequence`.execute(tx);
  const found = new Map<string, Waiting[]>();
  for (const { key, id, state } of rows) {
    const list = found.get(key) ?? [];
    found.set(key, list);
    if (id !== null) list.push({ id, isQueued: state === 'queued' });
  }
  return found;
}

const maxAtOnce = 100;

/** Marks tasks as dispatched unless they were cancelled concurrently, and returns them in order. */
export async function dispatchTasks(tx: Tx, agentId: number, found: readonly Waiting[], now: Date): Promise<AgentTask[]> {
  const ids = found.slice(0, maxAtOnce).map(({ id }) => id);
  await tx
    .updateTable('agent_tasks')
    .set({ state: 'sent', sent_at: now })
    .where('agent_id', '=', agentId)
    .where('id', 'in', ids)
    .where('state', '=', 'queued')
    .execute();
  const rows = await tx
    .selectFrom('agent_tasks')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('id', 'in', ids)
    .where('state', '=', 'sent')
    .orderBy('sequence')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    sequence: row.sequence,
    action: row.action,
    target: row.target,
    expectedName: row.expected_name,
    maxBytes: row.max_bytes,
    releaseInSeconds: row.release_in_seconds,
    expiresInSeconds: Math.max(0, Math.floor((row.expires_at.getTime() - now.getTime()) / 1000)),
  }));
}

/** Locks the case, then the request: the global lock order. */
export async function lockResponseOf(tx: Tx, responseId: number): Promise<void> {
  await sql`select from cases where id = (select case_id from responses where id = ${responseId}) for update`.execute(tx);
  await sql`select from responses where id = ${responseId} for update`.execute(tx);
}

/** Returns true if the task was in one of these states. */
export async function endTask(
  tx: Tx,
  id: number,
  from: readonly TaskState[],
  state: TaskState,
  detail: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('agent_tasks')
    .set({ state, detail, ended_at: now })
    .where('id', '=', id)
    .where('state', 'in', [...from])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const findFile = (tx: Tx, taskId: number) =>
  tx
    .selectFrom('collected_files')
    .select(['path', 'sha256', 'size', 'is_stored as isStored'])
    .where('task_id', '=', taskId)
    .executeTakeFirst();

/**
 * Stores an agent’s report of a file or, with `isStored`, the arrival of its bytes, in either order. Returns whether both
 * describe the same bytes.
 */
export async function saveFile(
  tx: Tx,
  task: TaskRecord,
  { path, sha256, size, isStored }: { path?: string; sha256: string; size: number; isStored: boolean },
  now: Date,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('collected_files')
    .values({
      organisation_id: task.organisationId,
      task_id: task.id,
      path: path ?? task.target,
      sha256,
      size,
      is_stored: isStored,
      collected_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .column('task_id')
        .doUpdateSet({ ...(path !== undefined && { path }), ...(isStored && { is_stored: true }) })
        .whereRef('collected_files.sha256', '=', 'excluded.sha256')
        .whereRef('collected_files.size', '=', 'excluded.size'),
    )
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}
