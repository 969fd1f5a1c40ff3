/**
 * What agents say of their tasks and of what holds on their hosts, taken into the ledger (decision 14). One request may be done on several hosts: it
 * is done when it is on all of them, and failed when it is not on one.
 */
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { OnHolding, OnResult } from '../agents/agentTasks.service.ts';
import type { Ledger } from './responses.ledger.ts';
import { kindOf, textOf } from './responses.rules.ts';
import { insertStep, isPending, type ResponseRecord, takeStep, updateResponse } from './responses.store.ts';
import { listAgentTasks, listHeldBy, type TaskOfResponse } from './responses.targets.ts';

/** A check-in may have been on its way while the task was done: only later ones say that it does not hold. */
const settledMs = 2 * 60_000;

export function createReports({ clock, ledger }: { clock: Clock; ledger: Ledger }) {
  const now = () => new Date(clock.now());

  const verify = async (tx: Tx, { record, response }: Locked, detail: string): Promise<void> => {
    await takeStep(tx, response, { state: 'verified', at: now(), by: undefined, detail });
    await ledger.tell(tx, undefined, record, response, {
      action: 'response.verified',
      text: `${textOf(response)} verified${detail ? `: ${detail}` : ''}`,
      before: { id: response.id, state: response.state },
      after: { id: response.id, state: 'verified', detail },
    });
  };

  /** It was done, and does not hold. */
  const lose = async (tx: Tx, { record, response }: Locked, state: 'released' | 'failed', detail: string): Promise<void> => {
    await ledger.endHolding(tx, undefined, record, response, state, detail);
    await ledger.tell(tx, undefined, record, response, {
      action: `response.${state}`,
      text: `${textOf(response)} ${state}${detail ? `: ${detail}` : ''}`,
      before: { id: response.id, state: response.state },
      after: { id: response.id, state, detail },
      set: { needs_decision: true },
    });
  };

  const onResult: OnResult = async (tx, task, outcome) => {
    if (task.responseId === null) return;
    const found = await ledger.lock(tx, { organisationIds: [task.organisationId] }, task.responseId);
    if (!found) return;
    const { record, response } = found;
    const tasks = (await listAgentTasks(tx, response)).map((each) => (each.id === task.id ? { ...each, ...outcome } : each));
    const detail = summaryOf(tasks, outcome.detail);
    const isOpen = tasks.some(({ state }) => state === 'queued' || state === 'sent');
    const failed = tasks.filter(({ state }) => state === 'failed' || state === 'expired');
    const isVerified = tasks.every(({ state }) => state === 'verified');

    if (response.state === 'released' || response.state === 'failed' || (isOpen && isPending(response))) {
      // Taken back or given up meanwhile, or not all have answered: it is noted.
      await insertStep(tx, response, { state: 'note', at: now(), by: undefined, detail });
      if (isPending(response)) await updateResponse(tx, response, { detail });
    } else if (isPending(response) || response.state === 'expired') {
      // What was given up as expired may be done after all, by an agent that was cut off.
      if (failed.length === 0)
        await ledger.complete(tx, undefined, record, response, { state: isVerified ? 'verified' : 'acknowledged', detail });
      else if (isPending(response)) {
        const state = failed.every((each) => each.state === 'expired') ? 'expired' : 'failed';
        await ledger.giveUp(tx, undefined, record, response, state, detail);
        // Where it was done it is undone in its time.
        if (failed.length < tasks.length && response.release_hours !== null)
          await updateResponse(tx, response, { release_at: new Date(clock.now() + response.release_hours * 3_600_000) });
      }
    } else if (failed.length > 0) await lose(tx, found, 'failed', detail);
    else if (isVerified && response.state === 'acknowledged') await verify(tx, found, detail);
  };

  const onHolding: OnHolding = async (tx, agent, holding) => {
    const scope = { organisationIds: [agent.organisationId] };
    for (const { id } of await listHeldBy(tx, agent)) {
      const found = await ledger.lock(tx, scope, id);
      if (!found || (found.response.state !== 'acknowledged' && found.response.state !== 'verified')) continue;
      const { response } = found;
      const { task, isUndo } = kindOf(response);
      const isThere =
        task === 'isolate' || task === 'unisolate'
          ? holding.isIsolated
          : task === 'blockUser' || task === 'unblockUser'
            ? holding.blockedUsers.some((name) => name.toLowerCase() === response.target.toLowerCase())
            : undefined;
      if (isThere === undefined) continue;
      const others = (await listAgentTasks(tx, response)).filter(({ agentId }) => agentId !== agent.id);
      if (isThere !== isUndo) {
        if (response.state === 'acknowledged' && others.every(({ state }) => state === 'verified'))
          await verify(tx, found, 'A check-in of its agent shows it.');
      } else if (
        !isUndo &&
        others.length === 0 &&
        (response.state === 'verified' || clock.now() - response.changed_at.getTime() > settledMs)
      )
        await lose(tx, found, 'released', endText(response, clock.now()));
    }
  };

  return { onResult, onHolding };
}

type Locked = NonNullable<Awaited<ReturnType<Ledger['lock']>>>;

const summaryOf = (tasks: readonly TaskOfResponse[], said: string): string =>
  (tasks.length === 1
    ? said
    : tasks.map(({ deviceName, state, detail }) => `${deviceName}: ${detail || state}`).join('; ')
  ).slice(0, 2000);

const endText = ({ release_at }: ResponseRecord, now: number): string =>
  release_at && release_at.getTime() <= now + 60_000
    ? 'Its time was over: the agent undid it by itself.'
    : 'A check-in of its agent shows that it does not hold any more.';
