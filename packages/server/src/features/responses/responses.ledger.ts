/**
 * The ledger of responses: its transitions are the only way in which a request is created or changed, each in the file named after
 * it. Lock order: the case, its requests, then agents.
 */
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import type { CaseAccess } from '../cases/cases.ports.ts';
import { createApproval } from './responses.approve.ts';
import { createCancellation } from './responses.cancel.ts';
import { createCompletion } from './responses.complete.ts';
import type { LedgerDeps } from './responses.deps.ts';
import { createDispatch } from './responses.dispatch.ts';
import { createEnding } from './responses.expire.ts';
import { createStepLog } from './responses.history.ts';
import { createLoss } from './responses.release.ts';
import { createRequesting } from './responses.request.ts';

export type Ledger = ReturnType<typeof createLedger>;

/** Dependencies of what requests and reports through the ledger. */
export interface ResponsesDeps {
  db: Database;
  clock: Clock;
  ledger: Ledger;
  cases: CaseAccess;
}

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
    vendorTasksOf: deps.vendors.listTasks,
  };
}
