/**
 * Reports of agents and vendors on their tasks, and on what holds on hosts, applied to the ledger. A request at several places is complete once it is
 * at all of them, and failed once it failed at one. Directories that do not know an account do not count, unless none does.
 */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { OnHolding, OnResult } from '../agents/agentTasks.service.ts';
import type { CaseAccess } from '../cases/cases.ports.ts';
import type { LockedResponse } from './responses.deps.ts';
import type { Ledger } from './responses.ledger.ts';
import { lockWithCase } from './responses.locks.ts';
import type { OnVendorOutcome, VendorTask } from './responses.ports.ts';
import { kindOf } from './responses.rules.ts';
import { isDone, isPending } from './responses.states.ts';
import { insertStep, type ResponseRecord, updateResponse } from './responses.store.ts';
import { listAgentTasks, listHeldBy, type TaskOfResponse } from './responses.targets.ts';

/** A check-in may have been under way while the task ran; only later ones show that its effect is missing. */
const settledMs = 2 * 60_000;

type Holding = Parameters<OnHolding>[2];

interface ReportDeps {
  clock: Clock;
  ledger: Ledger;
  cases: CaseAccess;
}

/** A task of an agent or of a vendor. */
type Execution = Pick<TaskOfResponse, 'state' | 'detail' | 'deviceName'>;

const executionsOf = (agents: readonly TaskOfResponse[], vendors: readonly VendorTask[]): Execution[] => {
  const all: Execution[] = [...agents, ...vendors.map(({ state, detail, place }) => ({ state, detail, deviceName: place }))];
  const counting = all.filter(({ state }) => state !== 'unknown');
  return counting.length > 0 ? counting : all;
};

export const createReports = (
  deps: ReportDeps,
): { onResult: OnResult; onHolding: OnHolding; onVendorOutcome: OnVendorOutcome } => ({
  async onResult(tx, task, outcome) {
    if (task.responseId === null) return;
    const found = await lockWithCase(tx, deps.cases, { organisationIds: [task.organisationId] }, task.responseId);
    if (!found) return;
    const tasks = (await listAgentTasks(tx, found.response)).map((each) =>
      each.id === task.id ? { ...each, ...outcome } : each,
    );
    const executions = executionsOf(tasks, await deps.ledger.vendorTasksOf(tx, found.response));
    await applyResult(tx, deps, found, executions, summaryOf(executions, outcome.detail));
  },

  async onVendorOutcome(tx, task, outcome, save) {
    const found = await lockWithCase(tx, deps.cases, { organisationIds: [task.organisationId] }, task.responseId);
    if (!(await save()) || !found) return;
    const { response } = found;
    if (outcome.state === 'accepted') {
      await insertStep(tx, response, { state: 'note', at: new Date(deps.clock.now()), by: undefined, detail: outcome.detail });
      if (isPending(response)) await updateResponse(tx, response, { detail: outcome.detail });
      return;
    }
    const executions = executionsOf(await listAgentTasks(tx, response), await deps.ledger.vendorTasksOf(tx, response));
    await applyResult(tx, deps, found, executions, summaryOf(executions, outcome.detail));
  },

  async onHolding(tx, agent, holding) {
    for (const { id } of await listHeldBy(tx, agent)) {
      const found = await lockWithCase(tx, deps.cases, { organisationIds: [agent.organisationId] }, id);
      if (found && isDone(found.response)) await applyHolding(tx, deps, found, agent.id, holding);
    }
  },
});

async function applyResult(
  tx: Tx,
  { clock, ledger }: ReportDeps,
  found: LockedResponse,
  tasks: readonly Execution[],
  detail: string,
): Promise<void> {
  const { response } = found;
  const isUnderWay = tasks.some(isOpen);
  const hasFailed = tasks.some(isFailed);
  const isVerified = tasks.every(({ state }) => state === 'verified');

  if (response.state === 'released' || response.state === 'failed' || (isUnderWay && isPending(response))) {
    // Cancelled or failed in the meantime, or some agents have not reported yet.
    await insertStep(tx, response, { state: 'note', at: new Date(clock.now()), by: undefined, detail });
    if (isPending(response)) await updateResponse(tx, response, { detail });
  } else if (isPending(response) || response.state === 'expired') {
    // An agent that was offline may report a task of an expired request as done.
    if (!hasFailed) await ledger.complete(tx, undefined, found, { state: isVerified ? 'verified' : 'acknowledged', detail });
    else if (isPending(response)) await endFailed(tx, { clock, ledger }, found, tasks, detail);
  } else if (hasFailed) await ledger.lose(tx, found, 'failed', detail);
  else if (isVerified && response.state === 'acknowledged') await ledger.verify(tx, undefined, found, detail);
}

const isOpen = ({ state }: Execution): boolean => state === 'queued' || state === 'sent';
const isFailed = ({ state }: Execution): boolean => state === 'failed' || state === 'expired' || state === 'unknown';

async function endFailed(
  tx: Tx,
  { clock, ledger }: Pick<ReportDeps, 'clock' | 'ledger'>,
  found: LockedResponse,
  tasks: readonly Execution[],
  detail: string,
): Promise<void> {
  const failed = tasks.filter(isFailed);
  const hours = found.response.release_hours;
  await ledger.end(tx, undefined, found, failed.every(({ state }) => state === 'expired') ? 'expired' : 'failed', detail);
  // The devices on which it succeeded are released in time.
  if (failed.length < tasks.length && hours !== null)
    await updateResponse(tx, found.response, { release_at: new Date(clock.now() + hours * hourMs) });
}

/** Ends a request whose time is over. At several places each has its result in the detail, because it may hold at some of them. */
export async function endOverdue(
  tx: Tx,
  { clock, ledger }: Pick<ReportDeps, 'clock' | 'ledger'>,
  found: LockedResponse,
): Promise<void> {
  const { response } = found;
  const executions = executionsOf(await listAgentTasks(tx, response), await ledger.vendorTasksOf(tx, response)).map((each) =>
    isOpen(each) ? { ...each, state: 'expired' } : each,
  );
  const party = response.is_by_vendor ? 'vendor' : 'agent';
  const act = response.is_by_vendor ? 'confirmed' : 'executed';
  const text = executions.length > 1 ? `Not ${act} everywhere within 24 hours.` : `Not ${act} by its ${party} within 24 hours.`;
  const results = executions.length > 1 ? summaryOf(executions, '') : response.is_by_vendor ? response.detail : '';
  await endFailed(tx, { clock, ledger }, found, executions, `${text} ${results}`.trim().slice(0, 2000));
}

async function applyHolding(
  tx: Tx,
  { clock, ledger }: ReportDeps,
  found: LockedResponse,
  agentId: number,
  holding: Holding,
): Promise<void> {
  const { response } = found;
  const { isUndo } = kindOf(response);
  const holds = isHeld(response, holding);
  if (holds === undefined) return;
  const others = [
    ...(await listAgentTasks(tx, response)).filter((task) => task.agentId !== agentId),
    ...(await ledger.vendorTasksOf(tx, response)).filter(({ state }) => state !== 'unknown'),
  ];
  if (holds !== isUndo) {
    if (response.state === 'acknowledged' && others.every(({ state }) => state === 'verified'))
      await ledger.verify(tx, undefined, found, 'Confirmed by a check-in of its agent.');
    return;
  }
  const isSettled = response.state === 'verified' || clock.now() - response.changed_at.getTime() > settledMs;
  if (!isUndo && others.length === 0 && isSettled) await ledger.lose(tx, found, 'released', endText(response, clock.now()));
}

/** True while the effect of the action, or of its undo, is reported by the host; undefined for actions without a lasting effect. */
function isHeld(response: ResponseRecord, { isIsolated, blockedUsers }: Holding): boolean | undefined {
  const { task } = kindOf(response);
  if (task === 'isolate' || task === 'unisolate') return isIsolated;
  if (task !== 'blockUser' && task !== 'unblockUser') return undefined;
  return blockedUsers.some((name) => name.toLowerCase() === response.target.toLowerCase());
}

const summaryOf = (tasks: readonly Execution[], detail: string): string =>
  (tasks.length === 1 ? detail : tasks.map((task) => `${task.deviceName}: ${task.detail || task.state}`).join('; ')).slice(
    0,
    2000,
  );

const endText = ({ release_at }: ResponseRecord, now: number): string =>
  release_at && release_at.getTime() <= now + 60_000
    ? 'Released automatically by the agent.'
    : 'A check-in of its agent shows that it no longer holds.';
