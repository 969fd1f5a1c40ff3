/**
 * Signed bytes of an agent task, built identically by portal and agent. The agent chooses a new nonce for each request, so that a recorded or delayed
 * response fits no later request, regardless of both clocks. Changing a text here requires a new version of the format.
 */
import type { AgentTask, TaskKey, TaskSignature } from './agentProtocol.ts';

/** Message signed for one task: UTF-8 of one JSON array with its members in this order. */
export const taskMessage = (
  task: AgentTask,
  { agentId, nonce, issuedAt, expiresAt }: Omit<TaskSignature, 'publicKey' | 'value'>,
): string =>
  JSON.stringify([
    'agent task 1',
    agentId,
    nonce,
    issuedAt,
    expiresAt,
    task.id,
    task.sequence,
    task.action,
    task.target,
    task.expectedName,
    task.maxBytes,
    task.releaseInSeconds,
    task.expiresInSeconds,
  ]);

/** Message signed by the previous key to endorse its successor. */
export const taskKeyMessage = ({ generation, publicKey }: Pick<TaskKey, 'generation' | 'publicKey'>): string =>
  JSON.stringify(['agent task key 1', generation, publicKey]);
