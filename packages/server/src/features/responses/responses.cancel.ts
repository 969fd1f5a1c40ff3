/** Cancellation: a pending request → released. */
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { pending } from '../../domain/responseStates.ts';
import type { LedgerDeps } from './responses.deps.ts';
import type { Transition } from './responses.states.ts';
import { applyTransition, type ResponseRecord, settleTasks } from './responses.store.ts';

const cancelling = { from: pending, to: ['released'] } satisfies Transition;

export type Cancel = ReturnType<typeof createCancellation>;

/** Cancels a pending request and those of its tasks that no agent has received. */
export const createCancellation =
  ({ clock, agents, vendors }: Pick<LedgerDeps, 'clock' | 'agents' | 'vendors'>) =>
  async (tx: Tx, actor: Actor | undefined, response: ResponseRecord, detail: string): Promise<ResponseRecord> => {
    const at = new Date(clock.now());
    await settleTasks(tx, response, false);
    await agents.cancelTasks(tx, response.id, at);
    await vendors.cancelTasks(tx, response.id);
    return applyTransition(tx, response, cancelling, { state: 'released', at, by: actor, detail });
  };
