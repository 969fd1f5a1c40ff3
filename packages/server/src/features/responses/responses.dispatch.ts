/** Dispatch: requested → approved, then → sent where an agent executes it. Without an agent a person executes and confirms it. */
import { maxCollectedBytes } from '@parapet/contract/agentProtocol.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import type { LedgerDeps } from './responses.deps.ts';
import { defaultReleaseHours, expiryMs, isForAgents, kindOf } from './responses.rules.ts';
import type { Transition } from './responses.states.ts';
import { applyTransition, type ResponseRecord } from './responses.store.ts';
import {
  agentsAt,
  listAgentTasks,
  listTargetDevices,
  type PlaceWithAgent,
  type TargetAgent,
  type Wanted,
} from './responses.targets.ts';

const approving = { from: ['requested'], to: ['approved'] } satisfies Transition;
const sending = { from: ['approved'], to: ['sent'] } satisfies Transition;

/** Silence after which a device counts as offline: endpoints send events every few minutes, agents check in each minute. */
const silentMs = 3_600_000;
const silentAgentMs = 3 * 60_000;

export type Dispatch = ReturnType<typeof createDispatch>;

export function createDispatch({ clock, agents }: Pick<LedgerDeps, 'clock' | 'agents'>) {
  const queueFor = async (
    tx: Tx,
    response: ResponseRecord,
    targets: readonly TargetAgent[],
    expiresAt: Date,
  ): Promise<TargetAgent[]> => {
    const { task } = kindOf(response);
    if (!task) return [];
    const queued: TargetAgent[] = [];
    for (const agent of targets) {
      const id = await agents.queueTask(tx, {
        organisationId: response.organisation_id,
        agentId: agent.id,
        responseId: response.id,
        action: task,
        target: task === 'isolate' || task === 'unisolate' ? '' : agent.target,
        expectedName: response.expected_name,
        maxBytes: task === 'collectFile' ? maxCollectedBytes : 0,
        releaseInSeconds: task === 'isolate' ? (response.release_hours ?? defaultReleaseHours) * 3600 : null,
        createdAt: new Date(clock.now()),
        expiresAt,
      });
      if (id !== undefined) queued.push(agent);
    }
    return queued;
  };

  return async (
    tx: Tx,
    record: CaseRecord | undefined,
    response: ResponseRecord,
    { undoes, places }: { undoes: ResponseRecord | undefined; places?: readonly PlaceWithAgent[] },
  ): Promise<ResponseRecord> => {
    const at = new Date(clock.now());
    const devices = places ?? (await listTargetDevices(tx, record, response));
    const expiresAt = new Date(at.getTime() + expiryMs);
    const targets = response.is_manual ? [] : await targetAgentsOf(tx, response, devices, undoes);
    const queued = await queueFor(tx, response, targets, expiresAt);
    const isManual = queued.length === 0;
    const approved = await applyTransition(
      tx,
      response,
      approving,
      { state: 'approved', at, by: undefined, detail: isManual ? offlineText(response, devices, at.getTime()) : '' },
      { is_manual: isManual, expires_at: expiresAt },
    );
    if (isManual) return approved;
    const detail = silenceText(queued, at.getTime(), expiresAt);
    return applyTransition(tx, approved, sending, { state: 'sent', at, by: undefined, detail }, { agent_id: queued[0]!.id });
  };
}

/** Agents that executed the response to undo; otherwise those on the devices. Empty for manual execution. */
export async function targetAgentsOf(
  tx: Tx,
  wanted: Wanted,
  places: readonly PlaceWithAgent[],
  undoes: ResponseRecord | undefined,
): Promise<TargetAgent[]> {
  if (undoes?.is_manual) return [];
  const tasks = undoes && isForAgents(undoes) ? await listAgentTasks(tx, undoes) : [];
  const executed = tasks.filter(({ isRevoked, state }) => !isRevoked && state !== 'queued' && state !== 'failed');
  const targets =
    executed.length > 0 ? executed.map(({ agentId, ...task }) => ({ ...task, id: agentId })) : agentsAt(places, wanted);
  // In the order of their ids, so that two requests never wait for each other's agents.
  return [...new Map(targets.map((agent) => [agent.id, agent])).values()].sort((a, b) => a.id - b.id);
}

const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Hint for a task whose agents do not check in; empty while all of them do. */
function silenceText(agents: readonly TargetAgent[], now: number, expiresAt: Date): string {
  const silent = agents.filter(({ lastCheckInAt }) => now - (lastCheckInAt?.getTime() ?? 0) > silentAgentMs);
  if (silent.length === 0) return '';
  const names = silent.map(({ deviceName }) => deviceName).join(', ');
  return `${names}: the agent does not check in now. The task waits for it until ${minute(expiresAt)}.`.slice(0, 2000);
}

/** Hint for manual isolation of a silent device; empty for other actions. */
function offlineText(
  { action, target }: { action: string; target: string },
  places: readonly PlaceWithAgent[],
  now: number,
): string {
  if (kindOf({ action }).flag !== 'deviceIsolated') return '';
  const last = Math.max(0, ...places.map(({ lastEventAt }) => lastEventAt?.getTime() ?? 0));
  if (now - last < silentMs) return '';
  const since = last > 0 ? `has sent nothing since ${new Date(last).toISOString()}` : 'has never sent events';
  return `${target} ${since}: it may be offline. The request waits until a person confirms it.`.slice(0, 2000);
}
