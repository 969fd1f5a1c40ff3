/**
 * Enrolment and the minutely check-in of agents. The key identifies the agent, never the body. An ordinary check-in costs
 * its share of one statement; rare changes (isolation state, inventory, upgrade) take a transaction for that agent alone.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { CheckIn, CheckInAnswer, Enrolled, Enrolment } from '@parapet/contract/agentProtocol.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { compareVersions } from '@parapet/contract/rules/versions.ts';
import { createBatchLoader } from '../../core/batch-loader.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, retrying, scoped, type Tx } from '../../core/db/scope.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import { addDeviceDays } from '../../domain/deviceCounts.ts';
import {
  type AgentStatus,
  type CheckedIn,
  consumeToken,
  findAgents,
  findDeviceForAgent,
  findWorkingAgents,
  insertAgent,
  type KnownAgent,
  recordVersion,
  renewAgent,
  saveAgentVersion,
  saveHolding,
  saveInventory,
  saveUpgrade,
  storeCheckIns,
  verifyTasks,
} from './agentProtocol.store.ts';
import type { OnHolding } from './agentTasks.service.ts';
import { findRelease } from './releases.store.ts';
import type { TaskKeys } from './taskKeys.ts';

const checkInSeconds = 60;
/** Maximum waits of a check-in for a concurrent change of its agent. */
const maxTries = 40;
const betweenTriesMs = 50;
/** Check-in interval in seconds after a request for the inventory. */
const soonSeconds = 5;
/** Inventories are large: caps requests per second, so that a thousand new hosts do not send theirs at once. */
const inventoriesPerSecond = 5;

/** Version as devices show it. */
const versionText = (version: string): string => `mdr-agent ${version}`;

type Release = NonNullable<Awaited<ReturnType<typeof findRelease>>>;
type UpgradeChange = Omit<Parameters<typeof saveUpgrade>[2], 'now'>;

export type AgentProtocolService = ReturnType<typeof createAgentProtocolService>;

export interface AgentProtocolDeps {
  db: Database;
  clock: Clock;
  /** Counts an attempt of an address; throws while the address is blocked. */
  throttle: (what: string, address: string) => void;
  /**
   * Called when a host’s isolation or blocked users change, and while a completed task awaits verification, in the
   * transaction that stores it.
   */
  onHolding: OnHolding;
  /** PEM of the public key, or empty. */
  releaseKey: string;
  taskKeys: Pick<TaskKeys, 'list' | 'newerThan'>;
}

const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs);

/** Stores check-ins, and counts the devices of those that are the first of their day. */
async function saveCheckIns(tx: Tx, statuses: ReadonlyMap<string, AgentStatus>): Promise<CheckedIn[]> {
  const stored = await storeCheckIns(tx, statuses);
  const isFirst = (row: CheckedIn) => row.lastCheckInAt === null || dayOf(row.lastCheckInAt) !== dayOf(statuses.get(row.key)!.at);
  const first = stored.filter(isFirst).sort((a, b) => a.organisationId - b.organisationId);
  for (const [organisationId, agents] of Map.groupBy(first, (row) => row.organisationId))
    await addDeviceDays(
      tx,
      organisationId,
      agents.map(({ key, deviceName }) => ({ name: deviceName, at: statuses.get(key)!.at.getTime() })),
    );
  return stored;
}

/** Returns the release to offer, and the change of the upgrade’s state, if any. */
async function upgradeOf(
  { db }: AgentProtocolDeps,
  agent: CheckedIn,
  body: CheckIn,
): Promise<{ release?: Release | undefined; change?: UpgradeChange | undefined }> {
  const failed = body.upgrade?.state === 'installed' ? undefined : body.upgrade;
  const wanted =
    agent.upgradeState === 'staged' || agent.upgradeState === 'offered' ? agent.upgradeVersion : agent.rolloutVersion;
  // After a failure, only a new decision offers the version again.
  const hasFailed =
    agent.upgradeState === 'failed' && agent.upgradeVersion === wanted && +(agent.upgradeAt ?? 0) > +(agent.rolloutAt ?? 0);
  const release =
    wanted !== null && !hasFailed && failed?.version !== wanted && compareVersions(wanted, body.version) > 0
      ? await readScoped(db, 'system', (tx) => findRelease(tx, wanted, agent.platform), { isPrepared: true })
      : undefined;
  if (agent.upgradeVersion === body.version && agent.upgradeState !== 'done')
    return { release, change: { version: body.version, state: 'done', detail: '' } };
  // A failure of any other version is obsolete.
  if (failed && failed.version === wanted)
    return { release, change: { version: failed.version, state: 'failed', detail: failed.detail } };
  const isOffered = agent.upgradeState === 'offered' && agent.upgradeVersion === release?.version;
  return { release, ...(release && !isOffered && { change: { version: release.version, state: 'offered', detail: '' } }) };
}

async function saveChanges(
  { onHolding }: AgentProtocolDeps,
  tx: Tx,
  agent: CheckedIn,
  body: CheckIn,
  upgrade: UpgradeChange | undefined,
  now: Date,
) {
  // Listeners lock cases and requests, which come before the agent’s row in the lock order.
  if (agent.hasHoldingChanged || agent.hasUnverified) {
    await onHolding(tx, agent, body.holding);
    await verifyTasks(tx, agent, body.holding, now);
    await saveHolding(tx, agent, body.holding, now);
  }
  if (agent.version !== body.version) {
    await saveAgentVersion(tx, agent, body.version);
    await recordVersion(tx, agent, versionText(body.version), now);
  }
  if (upgrade) await saveUpgrade(tx, agent, { ...upgrade, now });
}

/** Throws signInNeeded for an invalid token, conflict for a host that has an agent whose key was not presented. */
const enrolAgent =
  ({ db, clock, throttle, releaseKey, taskKeys }: AgentProtocolDeps) =>
  async ({ token, name, machineId, platform, version, previousKey }: Enrolment, address: string): Promise<Enrolled> => {
    throttle('enrol', address);
    const now = new Date(clock.now());
    const key = `pa_${newToken()}`;
    const keys = await taskKeys.list();
    return scoped(db, 'system', async (tx) => {
      const stored = await consumeToken(tx, hashOfToken(token), now);
      if (!stored)
        throw problem.signInNeeded(
          'This enrolment token is unknown, expired, revoked or exhausted. Create a new one under Agents in the portal.',
        );
      const { organisationId } = stored;
      const deviceId = await findDeviceForAgent(tx, organisationId, name);
      const present = await findWorkingAgents(tx, organisationId, deviceId, machineId);
      const known = present.find((agent) => previousKey !== undefined && agent.keyHash.equals(hashOfToken(previousKey)));
      const other = present.find((agent) => agent !== known);
      if (other)
        throw problem.conflict(
          `${other.deviceName} has an agent already (${other.id}, enrolled ${other.enrolledAt.toISOString()}). Enrol again with that agent’s key, or revoke it under Agents in the portal first.`,
        );
      const values = { deviceId, tokenId: stored.id, machineId, keyHash: hashOfToken(key), platform, version, address, now };
      const agentId = known ? await renewAgent(tx, known.id, values) : await insertAgent(tx, organisationId, values);
      await recordVersion(tx, { organisationId, deviceId }, versionText(version), now);
      await recordAudit(tx, systemAuditor(organisationId, address), {
        action: known ? 'agent.enrolledAgain' : 'agent.enrolled',
        organisationId,
        target: String(agentId),
        after: { device: name, token: stored.id, version, platform },
      });
      return { agentId, key, organisationName: stored.organisationName, releaseKey, taskKeys: keys };
    });
  };

export function createAgentProtocolService(deps: AgentProtocolDeps) {
  const { db, clock, taskKeys } = deps;

  const load = createBatchLoader((keys: ReadonlyMap<string, null>) => findAgents(db, keys.keys()));
  const agentOf = async (key: string | undefined): Promise<KnownAgent | undefined> =>
    key?.startsWith('pa_') && key.length < 100 ? load(hashOfToken(key).toString('hex'), null) : undefined;

  const storeCheckIn = createBatchLoader(async (statuses: ReadonlyMap<string, AgentStatus>) => {
    // The agent repeats all of it a minute later.
    const options = { isPrepared: true, isForgettable: true };
    const rows = await retrying(() => scoped(db, 'system', (tx) => saveCheckIns(tx, statuses), options));
    return new Map(rows.map((row) => [row.key, row]));
  });

  let inventorySecond = 0;
  let inventoriesRequested = 0;
  const mayRequestInventory = (): boolean => {
    const second = Math.floor(clock.now() / 1000);
    if (second !== inventorySecond) {
      inventorySecond = second;
      inventoriesRequested = 0;
    }
    return ++inventoriesRequested <= inventoriesPerSecond;
  };

  return {
    agentOf,
    enrol: enrolAgent(deps),

    /** Undefined for an invalid key. */
    async checkIn(key: string, body: CheckIn, address: string): Promise<CheckInAnswer | undefined> {
      const hash = hashOfToken(key).toString('hex');
      const status = { at: new Date(clock.now()), address, body };
      let row = await storeCheckIn(hash, status);
      // The agent’s row is locked, or the agent is unknown.
      for (let tries = 0; !row; tries++) {
        if (!(await load(hash, null))) return undefined;
        // Never respond with "unknown": the agent would take it for a revocation.
        if (tries === maxTries) throw problem.unavailable('This agent is being updated. Check in again in a moment.', 2);
        await pause(betweenTriesMs);
        row = await storeCheckIn(hash, status);
      }
      const agent = row;
      const now = status.at;
      const upgrade = await upgradeOf(deps, agent, body);

      if (agent.hasHoldingChanged || agent.hasUnverified || agent.version !== body.version || upgrade.change)
        await retrying(() => scoped(db, 'system', (tx) => saveChanges(deps, tx, agent, body, upgrade.change, now)));

      const { refusedTasks = [] } = body;
      if (refusedTasks.length > 0)
        await scoped(db, 'system', (tx) =>
          recordAudit(tx, systemAuditor(agent.organisationId, address), {
            action: 'agent.taskRefused',
            organisationId: agent.organisationId,
            target: String(agent.id),
            after: { device: agent.deviceName, tasks: refusedTasks },
          }),
        );

      let wantsInventory = false;
      if (agent.inventoryHash !== body.inventoryHash) {
        const { inventory, inventoryHash } = body;
        if (inventory)
          await retrying(() => scoped(db, 'system', (tx) => saveInventory(tx, agent, inventory, inventoryHash, now)));
        else wantsInventory = mayRequestInventory();
      }
      // Agents without task signing send no key and cannot process one.
      const keys = body.taskKey === undefined ? undefined : await taskKeys.newerThan(body.taskKey);
      return {
        nextInSeconds: wantsInventory ? soonSeconds : checkInSeconds,
        wantsInventory,
        ...(keys && { taskKeys: keys }),
        upgrade: upgrade.release ?? null,
      };
    },
  };
}
