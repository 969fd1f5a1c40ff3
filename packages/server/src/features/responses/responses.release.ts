/** Release: an action that held ends, as undone, replaced, or found by its agent to hold no longer (→ released or failed). */
import type { Database } from '../../core/db/connect.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { LedgerDeps, LockedResponse } from './responses.deps.ts';
import { dropFlag, flagOf } from './responses.flags.ts';
import type { StepLog } from './responses.history.ts';
import type { Ledger } from './responses.ledger.ts';
import { eachDue } from './responses.locks.ts';
import { kindOf, textOf } from './responses.rules.ts';
import { done, type Transition } from './responses.states.ts';
import { applyTransition, settleTasks, updateResponse } from './responses.store.ts';

/** The response that the completed one undoes or replaces. */
export const replacing = { from: done, to: ['released'] } satisfies Transition;
const losing = { from: done, to: ['released', 'failed'] } satisfies Transition;

/** Ends a completed action that holds no longer: drops its flag and its automatic release. */
export const createLoss =
  ({ clock, log }: LedgerDeps & { log: StepLog }) =>
  async (
    tx: Tx,
    { record, response }: Pick<LockedResponse, 'record' | 'response'>,
    state: (typeof losing.to)[number],
    detail: string,
  ): Promise<void> => {
    const flag = await flagOf(tx, record, response);
    if (flag) await dropFlag(tx, flag, response);
    await settleTasks(tx, response, false);
    const step = { state, at: new Date(clock.now()), by: undefined, detail };
    await applyTransition(tx, response, losing, step, { release_at: null });
    await log(tx, undefined, record, response, {
      action: `response.${state}`,
      text: `${textOf(response)} ${state}${detail ? `: ${detail}` : ''}`,
      before: { id: response.id, state: response.state },
      after: { id: response.id, state, detail },
      set: { needs_decision: true },
    });
  };

/** States whose action may hold: a failed one on some of its devices. */
const releasable: readonly string[] = [...done, 'failed'];

/** Job of each minute: requests the opposite of actions whose time is over. */
export const createReleaseJob = (deps: { db: Database; ledger: Ledger } & Pick<LedgerDeps, 'clock' | 'cases'>) => () =>
  eachDue(deps, 'release', async (tx, { record, response }) => {
    if (response.release_at === null || response.release_at > new Date(deps.clock.now())) return;
    await updateResponse(tx, response, { release_at: null });
    const { opposite } = kindOf(response);
    if (opposite && releasable.includes(response.state))
      await deps.ledger.request(tx, undefined, record, {
        organisationId: response.organisation_id,
        action: opposite,
        target: response.target,
        deviceName: response.device_name,
        note: 'Automatic release.',
        undoes: response,
      });
  });
