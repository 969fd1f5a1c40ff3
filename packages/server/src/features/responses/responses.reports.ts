/**
 * Agents' reports on their tasks and on what holds on their hosts, applied to the ledger. A request on several hosts is complete once it
 * is on all of them, and failed once it failed on one.
 */
import type { Clock } from '../../core/clock.ts';
import type { OnHolding, OnResult } from '../agents/agentTasks.service.ts';
import type { CaseAccess } from '../cases/cases.ports.ts';
import type { Ledger } from './responses.ledger.ts';
import { lockWithCase } from './responses.locks.ts';
import { kindOf } from './responses.rules.ts';
import { isPending } from './responses.states.ts';
import { insertStep, type ResponseRecord, updateResponse } from './responses.store.ts';
import { listAgentTasks, listHeldBy, type TaskOfResponse } from './responses.targets.ts';

/** A check-in may have been under way while the task ran; only later ones show that its effect is missing. */
const settledMs = 2 * 60_000;

export function createReports({ clock, ledger, cases }: { clock: Clock; ledger: Ledger; cases: CaseAccess }) {
  const onResult: OnResult = async (tx, task, outcome) => {
    if (task.responseId === null) return;
    const found = await lockWithCase(tx, cases, { organisationIds: [task.organisationId] }, task.responseId);
    if (!found) return;
    const { response } = found;
    const tasks = (await listAgentTasks(tx, response)).map((each) => (each.id === task.id ? { ...each, ...outcome } : each));
    const detail = summaryOf(tasks, outcome.detail);
    const isOpen = tasks.some(({ state }) => state === 'queued' || state === 'sent');
    const failed = tasks.filter(({ state }) => state === 'failed' || state === 'expired');
    const isVerified = tasks.every(({ state }) => state === 'verified');

    if (response.state === 'released' || response.state === 'failed' || (isOpen && isPending(response))) {
      // Cancelled or failed in the meantime, or some agents have not reported yet.
      await insertStep(tx, response, { state: 'note', at: new Date(clock.now()), by: undefined, detail });
      if (isPending(response)) await updateResponse(tx, response, { detail });
    } else if (isPending(response) || response.state === 'expired') {
      // An agent that was offline may report a task of an expired request as done.
      if (failed.length === 0)
        await ledger.complete(tx, undefined, found, { state: isVerified ? 'verified' : 'acknowledged', detail });
      else if (isPending(response)) {
        const state = failed.every((each) => each.state === 'expired') ? 'expired' : 'failed';
        await ledger.end(tx, undefined, found, state, detail);
        // The devices on which it succeeded are released in time.
        if (failed.length < tasks.length && response.release_hours !== null)
          await updateResponse(tx, response, { release_at: new Date(clock.now() + response.release_hours * 3_600_000) });
      }
    } else if (failed.length > 0) await ledger.lose(tx, found, 'failed', detail);
    else if (isVerified && response.state === 'acknowledged') await ledger.verify(tx, found, detail);
  };

  const onHolding: OnHolding = async (tx, agent, holding) => {
    const scope = { organisationIds: [agent.organisationId] };
    for (const { id } of await listHeldBy(tx, agent)) {
      const found = await lockWithCase(tx, cases, scope, id);
      if (!found || (found.response.state !== 'acknowledged' && found.response.state !== 'verified')) continue;
      const { response } = found;
      const { task, isUndo } = kindOf(response);
      const holds =
        task === 'isolate' || task === 'unisolate'
          ? holding.isIsolated
          : task === 'blockUser' || task === 'unblockUser'
            ? holding.blockedUsers.some((name) => name.toLowerCase() === response.target.toLowerCase())
            : undefined;
      if (holds === undefined) continue;
      const others = (await listAgentTasks(tx, response)).filter(({ agentId }) => agentId !== agent.id);
      if (holds !== isUndo) {
        if (response.state === 'acknowledged' && others.every(({ state }) => state === 'verified'))
          await ledger.verify(tx, found, 'Confirmed by a check-in of its agent.');
      } else if (
        !isUndo &&
        others.length === 0 &&
        (response.state === 'verified' || clock.now() - response.changed_at.getTime() > settledMs)
      )
        await ledger.lose(tx, found, 'released', endText(response, clock.now()));
    }
  };

  return { onResult, onHolding };
}

const summaryOf = (tasks: readonly TaskOfResponse[], detail: string): string =>
  (tasks.length === 1 ? detail : tasks.map((task) => `${task.deviceName}: ${task.detail || task.state}`).join('; ')).slice(
    0,
    2000,
  );

const endText = ({ release_at }: ResponseRecord, now: number): string =>
  release_at && release_at.getTime() <= now + 60_000
    ? 'Released automatically by the agent.'
    : 'A check-in of its agent shows that it no longer holds.';
