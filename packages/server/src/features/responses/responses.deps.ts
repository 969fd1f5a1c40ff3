/** Dependencies and shared types of the response ledger and its transitions. */
import type { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { CaseAccess, CaseRecord } from '../cases/cases.ports.ts';
import type { AgentTaskQueue, VendorTaskQueue } from './responses.ports.ts';
import type { ResponseRecord } from './responses.store.ts';

export interface LedgerDeps {
  clock: Clock;
  agents: AgentTaskQueue;
  vendors: VendorTaskQueue;
  cases: CaseAccess;
}

/** A locked request with its case, also locked; `record` is undefined for a request outside cases. */
export interface LockedResponse {
  record: CaseRecord | undefined;
  response: ResponseRecord;
  /** The response that this one undoes. */
  undoes: ResponseRecord | undefined;
}

export type Input<E extends keyof typeof responseRequestsApi, P extends 'body' | 'query' | 'params'> = z.output<
  (typeof responseRequestsApi)[E][P]
>;
