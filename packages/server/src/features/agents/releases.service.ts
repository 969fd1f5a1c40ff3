/** Agent packages, signed by the installation’s release key, and their rollout. */
import { createPublicKey, verify } from 'node:crypto';
import type { AgentRelease, agentsApi } from '@parapet/contract/agents.ts';
import type { devicesApi } from '@parapet/contract/devices.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { compareVersions } from '@parapet/contract/rules/versions.ts';
import type { Blobs } from '../../core/blobs.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { hashOfBytes } from '../../core/secrets.ts';
import { recordAudit, recordAudits } from '../../domain/audit.ts';
import {
  countAgents,
  findRelease,
  findRollout,
  findThreshold,
  insertRelease,
  listReleases,
  listUpgradable,
  newestReleases,
  newestVersions,
  putInstruction,
  putRollout,
  splitVersion,
  stageUpgrade,
  withdrawOffers,
} from './releases.store.ts';

type Release = Awaited<ReturnType<typeof listReleases>>[number];
const shown = ({ version, platform, sha256, size, createdAt }: Release): AgentRelease => ({
  version,
  platform,
  sha256,
  size,
  createdAt: createdAt.toISOString(),
});

/** Includes the hash, so that concurrent uploads do not overwrite each other. */
const keyOf = ({ version, platform, sha256 }: { version: string; platform: string; sha256: string }) =>
  `agents/${version}/${platform}/${sha256}`;

export type ReleasesService = ReturnType<typeof createReleasesService>;

export interface ReleasesDeps {
  db: Database;
  blobs: Blobs;
  clock: Clock;
  /** PEM of the public key that signs packages; when empty, no packages are offered. */
  releaseKey: string;
}

const startRollout =
  ({ db, clock }: ReleasesDeps) =>
  async (
    actor: Actor,
    client: number,
    { version, percent }: { version: string; percent: 0 | 1 | 10 | 100 },
  ): Promise<AnswerOf<typeof agentsApi.rollout>> => {
    const scope = scopeFor(actor, client);
    return scoped(db, scope, async (tx) => {
      const releases = await listReleases(tx);
      if (!releases.some((release) => release.version === version))
        throw problem.invalid({ version: [`This portal gives out no version ${version}. Choose one of the list.`] });
      const { threshold, agents } = await findThreshold(tx, scope, percent);
      // Agents offered a version under the previous decision receive the new offer at their next check-in.
      const before = await findRollout(tx, scope);
      if (before) await withdrawOffers(tx, scope, before.version);
      await putRollout(tx, {
        organisation_id: client,
        version,
        percent,
        threshold,
        changed_by: actor.userId,
        changed_at: new Date(clock.now()),
      });
      await recordAudit(tx, actor, {
        action: 'agentRollout.changed',
        organisationId: client,
        target: version,
        ...(before && { before: { version: before.version, percent: before.percent } }),
        after: { version, percent, agents },
      });
      return { version, percent, agents };
    });
  };

const getRollout =
  ({ db }: ReleasesDeps) =>
  async (actor: Actor, client: number): Promise<AnswerOf<typeof agentsApi.getRollout>> => {
    const scope = scopeFor(actor, client);
    return readScoped(db, scope, async (tx) => {
      const rollout = await findRollout(tx, scope);
      if (!rollout) return { version: null, percent: 0, agents: 0, done: 0, failed: 0 };
      const agents = await countAgents(tx, scope, rollout.threshold);
      const isDone = (agent: { version: string }) => compareVersions(agent.version, rollout.version) >= 0;
      return {
        version: rollout.version,
        percent: rollout.percent,
        agents: rollout.percent === 0 ? 0 : agents.length,
        done: agents.filter(isDone).length,
        failed: agents.filter(
          (agent) => !isDone(agent) && agent.upgradeState === 'failed' && agent.upgradeVersion === rollout.version,
        ).length,
      };
    });
  };

/**
 * Implements `POST Devices/upgrade`: offers the newest package to agents and creates an instruction for other
 * collectors.
 */
const upgradeDevices =
  ({ db, clock }: ReleasesDeps) =>
  async (actor: Actor, uuids: readonly string[]): Promise<AnswerOf<typeof devicesApi.upgrade>> => {
    const scope = scopeOf(actor);
    const wanted = [...new Set(uuids)];
    const now = new Date(clock.now());
    return scoped(db, scope, async (tx) => {
      const devices = await listUpgradable(tx, scope, wanted);
      const known = new Set(devices.map(({ uuid }) => uuid));
      const missing = wanted.find((uuid) => !known.has(uuid.toLowerCase()));
      if (missing) throw problem.notFound('device', missing);
      const releases = await newestReleases(tx);
      const newest = await newestVersions(tx, scope);
      const results: UpgradeResult[] = [];
      for (const device of devices) {
        const { uuid, agentId } = device;
        const { release, latest, ...result } =
          agentId === null ? decideInstruction(device, newest) : decideOffer(device, releases.get(device.platform ?? ''));
        results.push({ uuid, ...result });
        if (agentId !== null && release !== undefined) await stageUpgrade(tx, scope, agentId, release, now);
        if (result.outcome === 'instructed')
          await putInstruction(tx, {
            organisation_id: device.organisationId,
            device_id: uuid,
            version: latest ?? null,
            detail: result.text,
            created_by: actor.userId,
            created_at: now,
          });
      }
      await recordAudits(
        tx,
        actor,
        devices.map((device, index) => ({
          action: 'device.upgradeAsked',
          organisationId: device.organisationId,
          target: device.uuid,
          after: { outcome: results[index]?.outcome, text: results[index]?.text },
        })),
      );
      return { results, total: results.length };
    });
  };

export function createReleasesService(deps: ReleasesDeps) {
  const { db, blobs, clock, releaseKey } = deps;

  const publicKey = releaseKey ? createPublicKey(releaseKey) : undefined;
  const isSigned = (text: string, signature: string): boolean => {
    try {
      return publicKey !== undefined && verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
    } catch {
      return false;
    }
  };
  /** The last package: during a rollout all agents request the same one. */
  let last: { key: string; bytes: Buffer } | undefined;

  return {
    async list(): Promise<AnswerOf<typeof agentsApi.listReleases>> {
      const results = (await readScoped(db, 'system', listReleases)).map(shown);
      return { results, total: results.length };
    },

    async add(actor: Actor, version: string, platform: string, signature: string, bytes: Buffer): Promise<AgentRelease> {
      if (!publicKey)
        throw problem.conflict(
          'This portal has no release key, so it can check no package. Set AGENT_RELEASE_KEY and start it again.',
        );
      const sha256 = hashOfBytes(bytes);
      if (!isSigned(`${version} ${platform} ${sha256} ${bytes.length}`, signature))
        throw problem.invalid({
          signature: [
            'The signature is not by this portal’s release key over this version, platform and package. Sign it with "npm run -s agent-release".',
          ],
        });
      const taken = () =>
        problem.conflict(`Version ${version} for ${platform} is already published. Give the package a new version.`);
      if (await readScoped(db, 'system', (tx) => findRelease(tx, version, platform))) throw taken();
      await blobs.put(keyOf({ version, platform, sha256 }), bytes, 'application/octet-stream');
      return scoped(db, 'system', async (tx) => {
        const release = await insertRelease(tx, {
          version,
          platform,
          sha256,
          size: bytes.length,
          signature,
          created_by: actor.userId,
          created_at: new Date(clock.now()),
        });
        if (!release) throw taken();
        await recordAudit(tx, actor, {
          action: 'agentRelease.added',
          organisationId: actor.organisationId,
          target: `${version} ${platform}`,
          after: { sha256, size: bytes.length },
        });
        return shown(release);
      });
    },

    /** Called by agents. Throws notFound. */
    async bytesOf(version: string, platform: string): Promise<Buffer> {
      const release = await readScoped(db, 'system', (tx) => findRelease(tx, version, platform));
      const key = release && keyOf(release);
      if (key && last?.key === key) return last.bytes;
      const bytes = key && (await blobs.get(key));
      if (!bytes) throw problem.notFound('package', `${version} for ${platform}`);
      last = { key, bytes };
      return bytes;
    },
    rollout: startRollout(deps),
    getRollout: getRollout(deps),
    upgradeDevices: upgradeDevices(deps),
  };
}

type UpgradeResult = AnswerOf<typeof devicesApi.upgrade>['results'][number];
type UpgradableDevice = Awaited<ReturnType<typeof listUpgradable>>[number];
type UpgradeDecision = Omit<UpgradeResult, 'uuid'> & { release?: string; latest?: string | undefined };

/** Offers the newest package of the agent’s platform unless the agent already has it. */
function decideOffer({ name, platform, agentVersion }: UpgradableDevice, release: string | undefined): UpgradeDecision {
  if (release === undefined)
    return { outcome: 'current', text: `No package for ${platform} is published yet; ${name} keeps ${agentVersion}.` };
  if (compareVersions(release, agentVersion ?? '') <= 0)
    return { outcome: 'current', text: `${name} has the newest agent, ${agentVersion}.` };
  return { outcome: 'offered', text: `${name} is offered version ${release} at its next check-in.`, release };
}

/** Instructs a user to upgrade another collector unless it has the newest version seen in the scope. */
function decideInstruction({ name, version }: UpgradableDevice, newest: ReadonlyMap<string, string>): UpgradeDecision {
  const { kind, number } = splitVersion(version);
  const latest = kind === undefined ? undefined : newest.get(kind);
  if (number !== undefined && latest !== undefined && compareVersions(number, latest) >= 0)
    return { outcome: 'current', text: `${name} has the newest known ${kind}, ${number}.` };
  const text =
    kind === undefined || latest === undefined
      ? `${name} does not report its collector. Check the host and upgrade its collector manually.`
      : `Upgrade ${kind} on ${name} from ${number} to ${latest} with its own packages; the portal detects the new version automatically.`;
  return { outcome: 'instructed', text, latest };
}
