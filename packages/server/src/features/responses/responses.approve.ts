/** Approval: requested → approved through dispatch, by the last approver or by silence; a refusal ends the request as failed. */
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { LockedResponse } from './responses.deps.ts';
import type { Dispatch } from './responses.dispatch.ts';
import type { StepLog } from './responses.history.ts';
import { textOf } from './responses.rules.ts';
import type { ResponseRecord } from './responses.store.ts';

/** Without an actor the approval is by silence. */
export const createApproval =
  ({ log, dispatch }: { log: StepLog; dispatch: Dispatch }) =>
  async (tx: Tx, actor: Actor | undefined, { record, response, undoes }: LockedResponse): Promise<ResponseRecord> => {
    const dispatched = await dispatch(tx, record, response, { undoes });
    await log(tx, actor, record, response, {
      action: 'response.approved',
      text: `${textOf(response)} approved${actor ? '' : ': no objection in time'}`,
      before: { id: response.id, state: response.state },
      after: { id: response.id, state: dispatched.state },
    });
    return dispatched;
  };
