/** SQL of agent packages and rollouts. */
import { compareVersions } from '@parapet/contract/rules/versions.ts';
import { type Insertable, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import { rolloutPositionOf } from './agentProtocol.store.ts';

const releaseColumns = ['version', 'platform', 'sha256', 'size', 'signature', 'created_at as createdAt'] as const;

export const findRelease = (tx: Tx, version: string, platform: string) =>
  tx
    .selectFrom('agent_releases')
    .select(['version', 'platform', 'sha256', 'size', 'signature'])
    .where('version', '=', version)
    .where('platform', '=', platform)
    .executeTakeFirst();

/** Ordered by upload, newest first; versions sort numerically. */
export const listReleases = (tx: Tx) =>
  tx.selectFrom('agent_releases').select(releaseColumns).orderBy('created_at', 'desc').limit(1_000).execute();

export const insertRelease = (tx: Tx, release: Insertable<Tables['agent_releases']>) =>
  tx
    .insertInto('agent_releases')
    .values(release)
    .onConflict((conflict) => conflict.doNothing())
    .returning(releaseColumns)
    .executeTakeFirst();

function newestOf(versions: readonly { of: string; version: string }[]): Map<string, string> {
  const newest = new Map<string, string>();
  for (const { of, version } of versions) {
    const known = newest.get(of);
    if (!known || compareVersions(version, known) > 0) newest.set(of, version);
  }
  return newest;
}

/** Newest version per platform. */
export const newestReleases = async (tx: Tx): Promise<Map<string, string>> =>
  newestOf((await listReleases(tx)).map(({ platform, version }) => ({ of: platform, version })));

/**
 * Returns the highest rollout position that is offered a version, and the number of agents below it: a percentage, but at
 * least one.
 */
export async function findThreshold(tx: Tx, scope: Scope, percent: number): Promise<{ threshold: number; agents: number }> {
  const { rows } = await sql<{ place: number }>`
    select ${rolloutPositionOf} as place from agents a where ${within('a.organisation_id', scope)} and a.revoked_at is null order by 1`.execute(
    tx,
  );
  const agents = Math.ceil((rows.length * percent) / 100);
  // At 100 percent, agents enrolled later are included.
  const threshold = percent === 100 ? 2 ** 32 : (rows[agents - 1]?.place ?? -1);
  return { threshold, agents };
}

export async function putRollout(tx: Tx, rollout: Insertable<Tables['agent_rollouts']>): Promise<void> {
  await tx
    .insertInto('agent_rollouts')
    .values(rollout)
    .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet(rollout))
    .execute();
}

export const findRollout = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('agent_rollouts')
    .select(['version', 'percent', 'threshold'])
    .where(within('organisation_id', scope))
    .executeTakeFirst();

export async function countAgents(
  tx: Tx,
  scope: Scope,
  threshold: number,
): Promise<{ version: string; upgradeVersion: string | null; upgradeState: string | null }[]> {
  const { rows } = await sql<{ version: string; upgradeVersion: string | null; upgradeState: string | null }>`
    select a.version, a.upgrade_version as "upgradeVersion", a.upgrade_state as "upgradeState"
    from agents a where ${within('a.organisation_id', scope)} and a.revoked_at is null and ${rolloutPositionOf} <= ${threshold}`.execute(
    tx,
  );
  return rows;
}

export interface Upgradable {
  uuid: string;
  organisationId: number;
  name: string;
  version: string | null;
  agentId: number | null;
  agentVersion: string | null;
  platform: string | null;
}

export async function listUpgradable(tx: Tx, scope: Scope, uuids: readonly string[]): Promise<Upgradable[]> {
  const { rows } = await sql<Upgradable>`
    select d.id as uuid, d.organisation_id as "organisationId", d.name, d.agent_version as version,
      a.id as "agentId", a.version as "agentVersion", a.platform
    from devices d left join agents a on a.device_id = d.id and a.revoked_at is null
    where ${within('d.organisation_id', scope)} and d.id = any(${[...uuids]}::uuid[]) order by d.id`.execute(tx);
  return rows;
}

/** Newest version per kind of collector anywhere in the scope. */
export async function newestVersions(tx: Tx, scope: Scope): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('devices')
    .select('agent_version')
    .distinct()
    .where(within('organisation_id', scope))
    .where('agent_version', 'is not', null)
    .limit(10_000)
    .execute();
  return newestOf(
    rows.flatMap(({ agent_version }) => {
      const { kind, number } = splitVersion(agent_version);
      return kind === undefined || number === undefined ? [] : { of: kind, version: number };
    }),
  );
}

export async function stageUpgrade(tx: Tx, scope: Scope, agentId: number, version: string, now: Date): Promise<void> {
  await tx
    .updateTable('agents')
    .set({ upgrade_version: version, upgrade_state: 'staged', upgrade_detail: '', upgrade_at: now })
    .where(within('organisation_id', scope))
    .where('id', '=', agentId)
    .execute();
}

export async function withdrawOffers(tx: Tx, scope: Scope, version: string): Promise<void> {
  await tx
    .updateTable('agents')
    .set({ upgrade_version: null, upgrade_state: null, upgrade_at: null })
    .where(within('organisation_id', scope))
    .where('upgrade_state', '=', 'offered')
    .where('upgrade_version', '=', version)
    .execute();
}

export async function putInstruction(tx: Tx, instruction: Insertable<Tables['upgrade_instructions']>): Promise<void> {
  await tx
    .insertInto('upgrade_instructions')
    .values(instruction)
    .onConflict((conflict) => conflict.column('device_id').doUpdateSet(instruction))
    .execute();
}

/** Splits "winlogbeat 8.17.1" into kind and number. */
export function splitVersion(version: string | null): { kind?: string; number?: string } {
  const [, kind, number] = /^(\S+) (\d\S*)$/.exec(version ?? '') ?? [];
  return kind === undefined || number === undefined ? {} : { kind, number };
}
