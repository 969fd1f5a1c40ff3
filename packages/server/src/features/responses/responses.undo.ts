/** Undo: a pending request → released, unless an agent has it already; then, and once completed, its opposite is requested. */
import { problem } from '@parapet/contract/problem.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { LedgerDeps, LockedResponse } from './responses.deps.ts';
import type { Ledger } from './responses.ledger.ts';
import { kindOf, textOf } from './responses.rules.ts';
import { isPending, isUndoable, pending, type Transition } from './responses.states.ts';
import { applyTransition, type ResponseRecord, settleTasks } from './responses.store.ts';
import { listAgentTasks } from './responses.targets.ts';

const cancelling = { from: pending, to: ['released'] } satisfies Transition;

export type Cancel = ReturnType<typeof createCancellation>;

/** Cancels a pending request and those of its tasks that no agent has received. */
export const createCancellation =
  ({ clock, agents }: Pick<LedgerDeps, 'clock' | 'agents'>) =>
  async (tx: Tx, actor: Actor | undefined, response: ResponseRecord, detail: string): Promise<ResponseRecord> => {
    const at = new Date(clock.now());
    await settleTasks(tx, response, false);
    await agents.cancelTasks(tx, response.id, at);
    return applyTransition(tx, response, cancelling, { state: 'released', at, by: actor, detail });
  };

/** Returns the id of the request that the person then sees: this one, or the opposite one. Throws conflict where nothing can be undone. */
export async function undo(tx: Tx, ledger: Ledger, actor: Actor, locked: LockedResponse, note: string): Promise<number> {
  const { record, response } = locked;
  const { id } = response;
  const { opposite, isUndo } = kindOf(response);
  if (response.state === 'released') return id;
  if (!isPending(response) && !isUndoable(response))
    throw problem.conflict(
      isUndo
        ? `Response ${id} is itself an undo. Create a new request instead.`
        : `Response ${id} is ${response.state}: there is nothing to undo.`,
    );
  const isUnderWay = isPending(response) && (await listAgentTasks(tx, response)).some(({ state }) => state !== 'queued');
  if (isUnderWay && !opposite) throw problem.conflict(`Response ${id} has been sent to its agent and cannot be undone.`);
  if (isPending(response) && !isUnderWay) {
    await ledger.cancel(tx, actor, response, note || 'It was cancelled.');
    await ledger.log(tx, actor, record, response, {
      action: 'response.takenBack',
      text: `${textOf(response)} cancelled${note ? `: ${note}` : ''}`,
      before: { id, state: response.state },
      after: { id, state: 'released', note },
    });
    return id;
  }
  const { response: opposed } = await ledger.request(tx, actor, record, {
    organisationId: response.organisation_id,
    action: opposite!,
    target: response.target,
    deviceName: response.device_name,
    note,
    undoes: response,
  });
  return opposed.id;
}
