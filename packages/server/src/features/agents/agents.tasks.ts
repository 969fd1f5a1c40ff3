/**
 * Agents’ task queue: ascending numbers, redelivery until acknowledged, at most one execution because the agent rejects
 * numbers not above its last. Callers already hold the locks of the case and request; the agent’s row comes after them.
 */
import type { AgentAction } from '@parapet/contract/agentProtocol.ts';
import { sql } from 'kysely';
import { publish } from '../../core/bus.ts';
import type { Tx } from '../../core/db/scope.ts';

export interface NewTask {
  organisationId: number;
  agentId: number;
  responseId: number | null;
  action: AgentAction;
  /** Account, process id or path; empty for isolation. */
  target: string;
  expectedName?: string;
  maxBytes?: number;
  /** Automatic release of an isolation. */
  releaseInSeconds?: number | null;
  createdAt: Date;
  /** Never executed after this time. */
  expiresAt: Date;
}

/** Returns the task’s id, or undefined for a revoked agent. */
export async function queueTask(tx: Tx, task: NewTask): Promise<number | undefined> {
  // Holds the agent’s row until the commit, so numbers become visible in order.
  const agent = await tx
    .updateTable('agents')
    .set({ last_sequence: sql<number>`last_sequence + 1` })
    .where('organisation_id', '=', task.organisationId)
    .where('id', '=', task.agentId)
    .where('revoked_at', 'is', null)
    .returning('last_sequence')
    .executeTakeFirst();
  if (!agent) return undefined;
  const { id } = await tx
    .insertInto('agent_tasks')
    .values({
      organisation_id: task.organisationId,
      agent_id: task.agentId,
      sequence: agent.last_sequence,
      response_id: task.responseId,
      action: task.action,
      target: task.target,
      expected_name: task.expectedName ?? '',
      max_bytes: task.maxBytes ?? 0,
      release_in_seconds: task.releaseInSeconds ?? null,
      created_at: task.createdAt,
      expires_at: task.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await publish(tx, 'task.queued', { organisationId: task.organisationId, agentIds: [task.agentId] });
  return id;
}

/**
 * Cancels what was not dispatched. `underWay` counts dispatched tasks, which may still run; only the opposite task reverts
 * them.
 */
export async function cancelTasks(tx: Tx, responseId: number, at: Date): Promise<{ cancelled: number; underWay: number }> {
  const { numUpdatedRows } = await tx
    .updateTable('agent_tasks')
    .set({ state: 'cancelled', ended_at: at })
    .where('response_id', '=', responseId)
    .where('state', '=', 'queued')
    .executeTakeFirst();
  const { underWay } = await tx
    .selectFrom('agent_tasks')
    .select((eb) => eb.fn.countAll<number>().as('underWay'))
    .where('response_id', '=', responseId)
    .where('state', '=', 'sent')
    .executeTakeFirstOrThrow();
  return { cancelled: Number(numUpdatedRows), underWay };
}
