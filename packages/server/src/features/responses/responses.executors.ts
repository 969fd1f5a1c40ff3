/**
 * Executors of a request: agents, or vendors of the client. A device with an agent is isolated by its agent, any other by the vendor that manages it; an
 * account is blocked by the agents whose hosts list it, and by every directory that is connected for responses.
 */
import type { Tx } from '../../core/db/scope.ts';
import type { VendorTarget, VendorTaskQueue } from './responses.ports.ts';
import { isForAgents, isOfUser, kindOf } from './responses.rules.ts';
import type { ResponseRecord } from './responses.store.ts';
import { agentsAt, listAgentTasks, type PlaceWithAgent, type TargetAgent, type Wanted } from './responses.targets.ts';

export interface Executors {
  agents: readonly TargetAgent[];
  vendors: readonly VendorTarget[];
}

/** Manual execution. */
export const manually: Executors = { agents: [], vendors: [] };

export const isManualFor = ({ agents, vendors }: Executors): boolean => agents.length + vendors.length === 0;

/** Sign-in names of directories; a bare name is an account of a host. */
const signInName = /^[^\s@\\]{1,200}@[^\s@\\]{1,200}$/;

/** Executors of the response to undo; otherwise those that can execute this one. Empty for manual execution. */
export async function executorsOf(
  tx: Tx,
  vendorQueue: VendorTaskQueue,
  wanted: Wanted,
  places: readonly PlaceWithAgent[],
  undoes: ResponseRecord | undefined,
): Promise<Executors> {
  if (undoes?.is_manual) return manually;
  const tasks = undoes && isForAgents(undoes) ? await listAgentTasks(tx, undoes) : [];
  const byAgents = tasks.filter(({ isRevoked, state }) => !isRevoked && state !== 'queued' && state !== 'failed');
  const byVendors = undoes ? (await vendorQueue.listTasks(tx, undoes)).filter(hasBegun) : [];
  if (byAgents.length + byVendors.length > 0)
    return { agents: inOrder(byAgents.map(({ agentId, ...task }) => ({ ...task, id: agentId }))), vendors: byVendors };
  const agents = inOrder(agentsAt(places, wanted));
  if (agents.length > 0 && !isOfUser(wanted)) return { agents, vendors: [] };
  return { agents, vendors: await vendorsAt(tx, vendorQueue, wanted, places) };
}

const hasBegun = ({ state }: { state: string }): boolean => state === 'sent' || state === 'verified' || state === 'expired';

/** In the order of their ids, so that two requests never wait for each other's agents. */
const inOrder = (agents: readonly TargetAgent[]): TargetAgent[] =>
  [...new Map(agents.map((agent) => [agent.id, agent])).values()].sort((a, b) => a.id - b.id);

async function vendorsAt(
  tx: Tx,
  vendorQueue: VendorTaskQueue,
  wanted: Wanted,
  places: readonly PlaceWithAgent[],
): Promise<VendorTarget[]> {
  const { vendorTask: action, flag } = kindOf(wanted);
  if (!action) return [];
  const about = { organisationId: wanted.organisation_id, action };
  if (flag === 'deviceIsolated')
    return places.length === 0 ? [] : vendorQueue.listTargets(tx, { ...about, deviceIds: places.map(({ id }) => id) });
  if (wanted.device_name || !signInName.test(wanted.target)) return [];
  return vendorQueue.listTargets(tx, { ...about, account: wanted.target });
}
