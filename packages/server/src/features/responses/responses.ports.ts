/** Interfaces between responses and other features. */
import type { AgentAction } from '@parapet/contract/agentProtocol.ts';
import type { Tx } from '../../core/db/scope.ts';

export interface NewAgentTask {
  organisationId: number;
  agentId: number;
  responseId: number;
  action: AgentAction;
  /** Account, process id or path; empty for isolation. */
  target: string;
  expectedName: string;
  /** Size limit of a collected file in bytes; 0 for other actions. */
  maxBytes: number;
  /** Automatic release of an isolation; null for other actions. */
  releaseInSeconds: number | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Needed from agents. The caller holds the locks of the case and the response. */
export interface AgentTaskQueue {
  /** Returns the task's id; undefined for a revoked agent. */
  queueTask(tx: Tx, task: NewAgentTask): Promise<number | undefined>;
  /** Cancels tasks that no agent has received; `underWay` counts the others, which only the opposite action undoes. */
  cancelTasks(tx: Tx, responseId: number, at: Date): Promise<{ underWay: number }>;
}

/** Needed from agents: the blob key of a collected file. */
export type CollectedFileKey = (task: { organisationId: number; id: number }) => string;
