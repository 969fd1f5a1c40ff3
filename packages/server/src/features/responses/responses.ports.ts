/** Interfaces between responses and other features. */
import type { AgentAction } from '@parapet/contract/agentProtocol.ts';
import type { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import type { z } from 'zod';
import type { Tx } from '../../core/db/scope.ts';
import type { VendorTaskAction, VendorTaskState } from '../../core/db/tables.connections.ts';
import type { Actor } from '../../core/http/actor.ts';

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

/** A device or account at a vendor that a connection may act on. */
export interface VendorTarget {
  connectionId: number;
  /** Product and account, for people. */
  place: string;
  /** The vendor's id of the device, or the account. */
  target: string;
}

export interface VendorTask extends VendorTarget {
  id: number;
  state: VendorTaskState;
  detail: string;
}

/** Needed from connections. The caller holds the locks of the case and the response. */
export interface VendorTaskQueue {
  /** Targets of an action on a device, given by its ids, or on an account; empty where no connection may execute it. */
  listTargets(
    tx: Tx,
    wanted:
      | { organisationId: number; action: VendorTaskAction; deviceIds: readonly string[] }
      | { organisationId: number; action: VendorTaskAction; account: string },
  ): Promise<VendorTarget[]>;
  queueTask(
    tx: Tx,
    task: VendorTarget & {
      organisationId: number;
      responseId: number;
      action: VendorTaskAction;
      createdAt: Date;
      expiresAt: Date;
    },
  ): Promise<void>;
  /** Cancels tasks that no vendor has received. Others expire, and are watched further. */
  cancelTasks(tx: Tx, responseId: number): Promise<void>;
  /** Tasks of a response, oldest first, without cancelled ones. */
  listTasks(tx: Tx, response: { id: number; organisation_id: number }): Promise<VendorTask[]>;
}

/** accepted: the vendor took the action over; verified: its own state shows the effect; unknown: it does not know the target. */
export interface VendorOutcome {
  state: 'accepted' | 'verified' | 'failed' | 'unknown';
  detail: string;
}

/**
 * Applies a vendor's outcome to the ledger. `save` stores it with the task, once the case and the response are locked; nothing follows where it
 * returns false.
 */
export type OnVendorOutcome = (
  tx: Tx,
  task: { id: number; organisationId: number; responseId: number },
  outcome: VendorOutcome,
  save: () => Promise<boolean>,
) => Promise<void>;

export type RequestBody = z.output<typeof responseRequestsApi.request.body>;

/** Offered to proposals: requests in the caller's transaction, in the actor's whole scope. */
export interface ProposedRequests {
  /** Warning to confirm and approval rule, empty without one. Throws as the request would. */
  check(tx: Tx, actor: Actor, body: RequestBody): Promise<{ warning: string; approval: string }>;
  /** Requests it as the actor; returns the id of the response. */
  request(tx: Tx, actor: Actor, body: RequestBody): Promise<number>;
}
