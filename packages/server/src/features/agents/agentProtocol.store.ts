/**
 * SQL of the agent protocol. Keys identify agents: queries run with the portal’s own rights, restricted to the agent’s rows.
 */
import type { CheckIn, Holding, Inventory } from '@parapet/contract/agentProtocol.ts';
import { sql } from 'kysely';
import { textColumn } from '../../core/db/bulk.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Tx } from '../../core/db/scope.ts';
import { addDeviceVersions } from '../../domain/deviceCounts.ts';

/** A working agent, identified by its key. */
export interface KnownAgent {
  id: number;
  organisationId: number;
  deviceId: string;
  deviceName: string;
}

/** Organisations that are active, as is their partner. */
const isActive = sql`exists (select from organisations o left join organisations p on p.id = o.parent_id
  where o.id = a.organisation_id and o.deactivated_at is null and p.deactivated_at is null)`;

const hashes = (keys: Iterable<string>) => sql`array(select decode(h, 'hex') from unnest(${[...keys]}::text[]) h)`;

/** Keyed by the hash of the key, in hex. */
export async function findAgents(db: Database, keys: Iterable<string>): Promise<Map<string, KnownAgent>> {
  const { rows } = await readScoped(
    db,
    'system',
    (tx) =>
      sql<KnownAgent & { key: string }>`
        select encode(a.key_hash, 'hex') as key, a.id, a.organisation_id as "organisationId", a.device_id as "deviceId", d.name as "deviceName"
        from agents a join devices d on d.id = a.device_id where a.key_hash = any(${hashes(keys)}) and a.revoked_at is null and ${isActive}`.execute(
        tx,
      ),
    { isPrepared: true },
  );
  return new Map(rows.map((row) => [row.key, row]));
}

export interface AgentStatus {
  at: Date;
  address: string;
  body: CheckIn;
}

/** State before a check-in, from which its response and changes are decided. */
export interface CheckedIn extends KnownAgent {
  key: string;
  platform: string;
  version: string;
  inventoryHash: string;
  lastCheckInAt: Date | null;
  /** True if isolation or blocked users differ from the last report; they are not yet stored then. */
  hasHoldingChanged: boolean;
  /** True if a completed task awaits verification. */
  hasUnverified: boolean;
  upgradeVersion: string | null;
  upgradeState: 'staged' | 'offered' | 'done' | 'failed' | 'instructed' | null;
  upgradeAt: Date | null;
  rolloutVersion: string | null;
  rolloutAt: Date | null;
}

/** Stable rollout position of an agent, from 0 to 2³². */
export const rolloutPositionOf = sql<number>`('x' || substr(md5(a.id::text), 1, 8))::bit(32)::bigint`;

/** Agents may report more than a column holds, and many are written by one statement: one of them must not fail the others. */
const maxReasons = 50;
const highestSequence = 2_000_000_000;
const longestSeconds = 10 * 365 * 86_400;
const secondsOf = ({ releaseInSeconds }: Holding): number | null =>
  releaseInSeconds === null ? null : Math.min(releaseInSeconds, longestSeconds);

/** Initial isolation state of a host that has not reported yet. */
const nothingHolds = sql`'{"isIsolated": false, "blockedUsers": []}'::jsonb`;

/** Tasks completed longer ago are no longer verified. */
const verifiableFor = sql`interval '1 hour'`;

/**
 * Stores many check-ins in one statement. Rows locked by others are skipped and missing from the result, as unknown agents
 * are, so that concurrent check-ins never wait inside a transaction or deadlock.
 */
export async function storeCheckIns(tx: Tx, statuses: ReadonlyMap<string, AgentStatus>): Promise<CheckedIn[]> {
  const rows = [...statuses].map(([key, { at, address, body }]) => ({
    key,
    at,
    address,
    version: body.version,
    holding: body.holding,
    rest: {
      buffer: body.buffer,
      shipped: body.shipped,
      dropped: Object.fromEntries(Object.entries(body.dropped).slice(0, maxReasons)),
      errors: body.errors,
    },
    isolated: body.holding.isIsolated,
    seconds: secondsOf(body.holding),
    last_sequence: Math.min(body.lastSequence, highestSequence),
  }));
  const answer = await sql<CheckedIn>`
    -- Decoded before the join: beside row-level security, an index is used for what cannot leak alone, and decode could.
    with reported as materialized (
      select *, decode(key, 'hex') as hash from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as s (key text, at timestamptz, address text, version text, holding jsonb, rest jsonb, isolated boolean, seconds integer, last_sequence integer)
    ), found as (
      select a.id, a.organisation_id, a.device_id, a.platform, a.version, a.inventory_hash, a.last_check_in_at, a.upgrade_version, a.upgrade_state, a.upgrade_at,
        coalesce(a.said -> 'holding', ${nothingHolds}) - 'releaseInSeconds' is distinct from s.holding - 'releaseInSeconds' as has_holding_changed,
        ${rolloutPositionOf} as place, s.key, s.at, s.address, s.rest, s.holding, s.seconds, s.last_sequence, a.said
      from reported s join agents a on a.key_hash = s.hash
      where a.revoked_at is null and ${isActive}
      for no key update of a skip locked
    ), updated as (
      update agents a set
        last_check_in_at = greatest(a.last_check_in_at, f.at),
        address = f.address,
        -- A portal that was set back to an older state goes on above what the agent knows; below, it would be refused.
        last_sequence = greatest(a.last_sequence, f.last_sequence),
        said = f.rest || case when f.has_holding_changed then jsonb_strip_nulls(jsonb_build_object('holding', f.said -> 'holding'))
          else jsonb_build_object('holding', f.holding) end,
        release_at = case when f.has_holding_changed then a.release_at else f.at + make_interval(secs => f.seconds) end
      from found f where a.id = f.id
    )
    select f.key, f.id, f.organisation_id as "organisationId", f.device_id as "deviceId",
      (select d.name from devices d where d.id = f.device_id) as "deviceName", f.platform, f.version, f.inventory_hash as "inventoryHash",
      f.last_check_in_at as "lastCheckInAt", f.has_holding_changed as "hasHoldingChanged",
      f.upgrade_version as "upgradeVersion", f.upgrade_state as "upgradeState", f.upgrade_at as "upgradeAt",
      exists (select from agent_tasks t where t.agent_id = f.id and t.state = 'acknowledged' and t.ended_at > f.at - ${verifiableFor}) as "hasUnverified",
      r.version as "rolloutVersion", r.changed_at as "rolloutAt"
    from found f left join agent_rollouts r on r.organisation_id = f.organisation_id and r.percent > 0 and f.place <= r.threshold`.execute(
    tx,
  );
  return answer.rows;
}

/** Consumes one use of a token, safe under concurrency; undefined for an invalid token. */
export async function consumeToken(
  tx: Tx,
  hash: Buffer,
  now: Date,
): Promise<{ id: number; organisationId: number; organisationName: string } | undefined> {
  const { rows } = await sql<{ id: number; organisationId: number; organisationName: string }>`
    update enrolment_tokens a set uses = a.uses + 1 from organisations o
    where a.hash = ${hash} and a.revoked_at is null and a.expires_at > ${now} and a.uses < a.max_uses and o.id = a.organisation_id and ${isActive}
    returning a.id, a.organisation_id as "organisationId", o.name as "organisationName"`.execute(tx);
  return rows[0];
}

/** Returns the device of that name, created if missing; for an alias, the device it belongs to. */
export async function findDeviceForAgent(tx: Tx, organisationId: number, name: string): Promise<string> {
  // Serialises enrolments of an organisation: hosts are matched by name in any case, and by machine.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`enrol ${organisationId}`}, 0))`.execute(tx);
  const { rows } = await sql<{ id: string }>`
    select coalesce(merged_into, id) as id from devices where organisation_id = ${organisationId} and name_key = lower(${name})
    order by name = ${name} desc, created_at limit 1`.execute(tx);
  if (rows[0]) return rows[0].id;
  const made = await tx
    .insertInto('devices')
    .values({ organisation_id: organisationId, name, device_type: 'server' })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'name']).doUpdateSet({ name }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return made.id;
}

export interface WorkingAgent {
  id: number;
  deviceName: string;
  keyHash: Buffer;
  enrolledAt: Date;
}

/** Locks and returns the agents that this host would replace: by its device, and by its machine id. */
export async function findWorkingAgents(
  tx: Tx,
  organisationId: number,
  deviceId: string,
  machineId: string,
): Promise<WorkingAgent[]> {
  const { rows } = await sql<WorkingAgent>`
    select a.id, d.name as "deviceName", a.key_hash as "keyHash", a.enrolled_at as "enrolledAt"
    from agents a join devices d on d.id = a.device_id
    where a.organisation_id = ${organisationId} and a.revoked_at is null and (a.device_id = ${deviceId} or a.machine_id = ${machineId})
    order by a.id for update of a`.execute(tx);
  return rows;
}

export interface NewAgent {
  deviceId: string;
  tokenId: number;
  machineId: string;
  keyHash: Buffer;
  platform: string;
  version: string;
  address: string;
  now: Date;
}

const columnsOf = ({ deviceId, tokenId, machineId, keyHash, platform, version, address, now }: NewAgent) => ({
  device_id: deviceId,
  enrolment_token_id: tokenId,
  machine_id: machineId,
  key_hash: keyHash,
  platform,
  version,
  address,
  enrolled_at: now,
});

export async function insertAgent(tx: Tx, organisationId: number, agent: NewAgent): Promise<number> {
  const { id } = await tx
    .insertInto('agents')
    .values({ organisation_id: organisationId, said: '{}', ...columnsOf(agent) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Gives an agent a new key; its tasks and sequence numbers continue. */
export async function renewAgent(tx: Tx, id: number, agent: NewAgent): Promise<number> {
  await tx.updateTable('agents').set(columnsOf(agent)).where('id', '=', id).execute();
  return id;
}

type OfDevice = Pick<KnownAgent, 'organisationId' | 'deviceId'>;

/** Updates the device’s version and its history. */
export async function recordVersion(tx: Tx, { organisationId, deviceId }: OfDevice, version: string, now: Date): Promise<void> {
  const changed = await tx
    .updateTable('devices')
    .set({ agent_version: version, agent_updated_at: now })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', deviceId)
    .where('agent_version', 'is distinct from', version)
    .returning('name')
    .execute();
  await addDeviceVersions(
    tx,
    organisationId,
    changed.map(({ name }) => ({ name, version, at: now.getTime() })),
  );
}

export async function saveAgentVersion(tx: Tx, { id }: KnownAgent, version: string): Promise<void> {
  await tx.updateTable('agents').set({ version }).where('id', '=', id).execute();
}

export async function saveHolding(tx: Tx, { id }: KnownAgent, holding: Holding, now: Date): Promise<void> {
  const seconds = secondsOf(holding);
  await tx
    .updateTable('agents')
    .set({
      said: sql<string>`said || jsonb_build_object('holding', ${JSON.stringify(holding)}::jsonb)`,
      is_isolated: holding.isIsolated,
      release_at: seconds === null ? null : new Date(now.getTime() + seconds * 1000),
    })
    .where('id', '=', id)
    .execute();
}

/**
 * Marks completed tasks as verified when their effect is present. Of contradictory tasks, only those that match the current
 * state.
 */
export async function verifyTasks(tx: Tx, { id }: KnownAgent, { isIsolated, blockedUsers }: Holding, now: Date): Promise<void> {
  const names = blockedUsers.map((name) => name.toLowerCase());
  await sql`
    update agent_tasks set state = 'verified', ended_at = ${now}
    where agent_id = ${id} and state = 'acknowledged' and case action
      when 'isolate' then ${isIsolated} when 'unisolate' then not ${isIsolated}
      when 'blockUser' then lower(target) = any(${names}::text[]) when 'unblockUser' then not lower(target) = any(${names}::text[])
      else false end`.execute(tx);
}

export async function saveUpgrade(
  tx: Tx,
  { id }: KnownAgent,
  { version, state, detail, now }: { version: string; state: 'offered' | 'done' | 'failed'; detail: string; now: Date },
): Promise<void> {
  await tx
    .updateTable('agents')
    .set({ upgrade_version: version, upgrade_state: state, upgrade_detail: detail, upgrade_at: now })
    .where('id', '=', id)
    .execute();
}

/** Replaces the whole inventory, with packages in rows of their own for matching with advisories. */
export async function saveInventory(tx: Tx, agent: KnownAgent, inventory: Inventory, hash: string, now: Date): Promise<void> {
  const { packages, ...rest } = inventory;
  const { numUpdatedRows } = await tx
    .updateTable('agents')
    .set({ inventory: JSON.stringify({ ...rest, packages: [] }), inventory_hash: hash, inventory_at: now })
    .where('id', '=', agent.id)
    .where('inventory_hash', '!=', hash)
    .executeTakeFirst();
  // A concurrent duplicate was stored first.
  if (numUpdatedRows === 0n) return;
  await tx.deleteFrom('agent_packages').where('agent_id', '=', agent.id).execute();
  await sql`
    insert into agent_packages (organisation_id, agent_id, ecosystem, name, version, source)
    select ${agent.organisationId}, ${agent.id}, p.* from unnest(${textColumn(packages.map((p) => p.ecosystem))},
      ${textColumn(packages.map((p) => p.name))}, ${textColumn(packages.map((p) => p.version))}, ${textColumn(packages.map((p) => p.source))}) p
    on conflict do nothing`.execute(tx);
}
