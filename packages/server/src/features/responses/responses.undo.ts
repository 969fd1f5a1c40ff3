/** Undo: a pending request → released, unless an agent has it already; then, and once completed, its opposite is requested. */
import { problem } from '@parapet/contract/problem.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { LockedResponse } from './responses.deps.ts';
import type { Ledger } from './responses.ledger.ts';
import { kindOf, textOf } from './responses.rules.ts';
import { isPending, isUndoable } from './responses.states.ts';
import { listAgentTasks } from './responses.targets.ts';

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
  const tasks = isPending(response)
    ? [...(await listAgentTasks(tx, response)), ...(await ledger.vendorTasksOf(tx, response))]
    : [];
  const isUnderWay = tasks.some(({ state }) => state !== 'queued');
  if (isUnderWay && !opposite)
    throw problem.conflict(
      `Response ${id} has been sent to its ${response.is_by_vendor ? 'vendor' : 'agent'} and cannot be undone.`,
    );
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
