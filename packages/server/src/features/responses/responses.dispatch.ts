/** Dispatch: requested → approved, then → sent where agents or vendors execute it. Otherwise a person executes and confirms it. */
import { maxCollectedBytes } from '@parapet/contract/agentProtocol.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import type { LedgerDeps } from './responses.deps.ts';
import { executorsOf, manually } from './responses.executors.ts';
import type { VendorTarget } from './responses.ports.ts';
import { defaultReleaseHours, expiryMs, kindOf } from './responses.rules.ts';
import type { Transition } from './responses.states.ts';
import { applyTransition, type ResponseRecord } from './responses.store.ts';
import { listTargetDevices, type PlaceWithAgent, type TargetAgent } from './responses.targets.ts';

const approving = { from: ['requested'], to: ['approved'] } satisfies Transition;
const sending = { from: ['approved'], to: ['sent'] } satisfies Transition;

/** Silence after which a device counts as offline: endpoints send events every few minutes, agents check in each minute. */
const silentMs = hourMs;
const silentAgentMs = 3 * 60_000;

export type Dispatch = ReturnType<typeof createDispatch>;

export function createDispatch({ clock, agents, vendors }: Pick<LedgerDeps, 'clock' | 'agents' | 'vendors'>) {
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

  const queueAtVendors = async (tx: Tx, response: ResponseRecord, targets: readonly VendorTarget[], expiresAt: Date) => {
    const { vendorTask: action } = kindOf(response);
    const { organisation_id: organisationId, id: responseId } = response;
    const createdAt = new Date(clock.now());
    for (const { connectionId, place, target } of action ? targets : [])
      await vendors.queueTask(tx, {
        connectionId,
        place,
        target,
        organisationId,
        responseId,
        action: action!,
        createdAt,
        expiresAt,
      });
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
    const found = response.is_manual ? manually : await executorsOf(tx, vendors, response, devices, undoes);
    const queued = await queueFor(tx, response, found.agents, expiresAt);
    await queueAtVendors(tx, response, found.vendors, expiresAt);
    const isManual = queued.length + found.vendors.length === 0;
    const approved = await applyTransition(
      tx,
      response,
      approving,
      { state: 'approved', at, by: undefined, detail: isManual ? offlineText(response, devices, at.getTime()) : '' },
      { is_manual: isManual, is_by_vendor: found.vendors.length > 0, expires_at: expiresAt },
    );
    if (isManual) return approved;
    const detail = [silenceText(queued, at.getTime(), expiresAt), placesText(found.vendors)].filter(Boolean).join(' ');
    const agentId = queued[0]?.id ?? null;
    return applyTransition(tx, approved, sending, { state: 'sent', at, by: undefined, detail }, { agent_id: agentId });
  };
}

const placesText = (vendors: readonly VendorTarget[]): string =>
  vendors.length === 0 ? '' : `Sent to ${[...new Set(vendors.map(({ place }) => place))].join(', ')}.`.slice(0, 1000);

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
  return `${target} ${since}: it may be offline. The request waits until a user confirms it.`.slice(0, 2000);
}
