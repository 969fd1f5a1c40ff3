/** Endings without the action taken: pending → expired after its time; pending → failed as refused, impossible or reported by its agents. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { pending } from '../../domain/responseStates.ts';
import type { LedgerDeps, LockedResponse } from './responses.deps.ts';
import type { StepLog } from './responses.history.ts';
import { textOf } from './responses.rules.ts';
import type { Transition } from './responses.states.ts';
import { applyTransition, type ResponseRecord, settleTasks, updateResponse } from './responses.store.ts';

const ending = { from: pending, to: ['failed', 'expired'] } satisfies Transition;

const retryReleaseMs = hourMs;

export const createEnding =
  ({ clock, agents, vendors, log }: LedgerDeps & { log: StepLog }) =>
  async (
    tx: Tx,
    actor: Actor | undefined,
    { record, response }: Pick<LockedResponse, 'record' | 'response'>,
    state: (typeof ending.to)[number],
    detail: string,
  ): Promise<ResponseRecord> => {
    const at = new Date(clock.now());
    await settleTasks(tx, response, false);
    await agents.cancelTasks(tx, response.id, at);
    await vendors.cancelTasks(tx, response.id);
    const ended = await applyTransition(tx, response, ending, { state, at, by: actor, detail });
    // An automatic release that failed is repeated: what it should have undone still holds.
    if (response.requested_by === null && response.undoes_id !== null)
      await updateResponse(
        tx,
        { id: response.undoes_id, organisation_id: response.organisation_id },
        { release_at: new Date(clock.now() + retryReleaseMs) },
      );
    await log(tx, actor, record, response, {
      action: `response.${state}`,
      text: `${textOf(response)} ${state}${detail ? `: ${detail}` : ''}`,
      before: { id: response.id, state: response.state },
      after: { id: response.id, state, detail },
    });
    return ended;
  };
