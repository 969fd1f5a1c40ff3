/**
 * What the signature of an agent's task covers, as bytes that both sides make alike. The nonce is the agent's own, new with each question: an answer
 * that was recorded or held back fits no later question, whatever the clocks of both say. Changing a text here means a new version of the format.
 */
import type { AgentTask, TaskKey, TaskSignature } from './agentProtocol.ts';

/** What is signed for one task: UTF-8 of one JSON array, its members in this order. */
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

/** What the key before signs, so that agents follow to the next one. */
export const taskKeyMessage = ({ generation, publicKey }: Pick<TaskKey, 'generation' | 'publicKey'>): string =>
  JSON.stringify(['agent task key 1', generation, publicKey]);
