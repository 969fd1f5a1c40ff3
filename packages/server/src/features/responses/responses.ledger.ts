/**
 * The ledger of responses: its transitions are the only way in which a request is created or changed, each in the file named after
 * it. Lock order: the case, its requests, then agents.
 */
import type { Clock } from '../../core/clock.ts';
import type { CaseAccess, CaseRecord } from '../cases/cases.ports.ts';
import { createApproval } from './responses.approve.ts';
import { createCompletion } from './responses.complete.ts';
import { createDispatch } from './responses.dispatch.ts';
import { createEnding } from './responses.expire.ts';
import { createStepLog } from './responses.history.ts';
import type { AgentTaskQueue } from './responses.ports.ts';
import { createLoss } from './responses.release.ts';
import { createRequesting } from './responses.request.ts';
import type { ResponseRecord } from './responses.store.ts';
import { createCancellation } from './responses.undo.ts';

export interface LedgerDeps {
  clock: Clock;
  agents: AgentTaskQueue;
  cases: CaseAccess;
}

/** A locked request with its case, also locked; `record` is undefined for a request outside cases. */
export interface LockedResponse {
  record: CaseRecord | undefined;
  response: ResponseRecord;
  /** The response that this one undoes. */
  undoes: ResponseRecord | undefined;
}

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger(deps: LedgerDeps) {
  const log = createStepLog(deps);
  const dispatch = createDispatch(deps);
  const cancel = createCancellation(deps);
  const loggingDeps = { ...deps, log };
  return {
    log,
    request: createRequesting({ ...loggingDeps, dispatch, cancel }),
    approve: createApproval({ log, dispatch }),
    cancel,
    end: createEnding(loggingDeps),
    ...createCompletion(loggingDeps),
    lose: createLoss(loggingDeps),
  };
}
