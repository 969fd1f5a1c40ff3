/** Release: an action that held ends, as undone, replaced, or found by its agent to hold no longer (→ released or failed). */
import type { Tx } from '../../core/db/scope.ts';
import { done } from '../../domain/responseStates.ts';
import type { LedgerDeps, LockedResponse } from './responses.deps.ts';
import { dropFlag, flagOf } from './responses.flags.ts';
import type { StepLog } from './responses.history.ts';
import { textOf } from './responses.rules.ts';
import type { Transition } from './responses.states.ts';
import { applyTransition, settleTasks } from './responses.store.ts';

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
