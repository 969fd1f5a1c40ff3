/** SQL of a response's target devices, under all of their names, and the agents on them. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import { deviceOf, isForAgents, isOfUser, type Place } from './responses.rules.ts';
import type { ResponseRecord } from './responses.store.ts';

export interface PlaceWithAgent extends Place {
  /** Device id. */
  id: string;
  lastEventAt: Date | null;
  agentId: number | null;
  lastCheckInAt: Date | null;
  /** The account in the device's spelling; null where its agent does not list it. */
  account: string | null;
}

export type Wanted = Pick<ResponseRecord, 'organisation_id' | 'action' | 'target' | 'device_name'>;

const isAt = (organisationId: number, names: readonly string[]) => sql<boolean>`d.organisation_id = ${organisationId}
  and coalesce(d.merged_into, d.id) in (select coalesce(merged_into, id) from devices
    where organisation_id = ${organisationId} and name_key = any(select lower(n) collate "C" from unnest(${[...names]}::text[]) n))`;

/** Devices of a request: the named one, under all of its names; for an account without a device, those of the case. */
export async function listTargetDevices(tx: Tx, record: CaseRecord | undefined, wanted: Wanted): Promise<PlaceWithAgent[]> {
  const device = deviceOf(wanted);
  const names = device !== undefined ? [device] : isOfUser(wanted) ? (record?.device_names ?? []) : [];
  if (names.length === 0) return [];
  const { rows } = await sql<PlaceWithAgent>`
    select d.id, d.name, d.device_type as "deviceType", d.agent_version as "agentVersion", d.last_event_at as "lastEventAt",
      a.id as "agentId", a.last_check_in_at as "lastCheckInAt",
      (select u ->> 'name' from jsonb_array_elements(case jsonb_typeof(a.inventory -> 'users') when 'array' then a.inventory -> 'users' else '[]' end) u
        where ${isOfUser(wanted)} and lower(u ->> 'name') = lower(${wanted.target}) order by u ->> 'name' = ${wanted.target} desc limit 1) as account
    from devices d left join agents a on a.organisation_id = d.organisation_id and a.device_id = d.id and a.revoked_at is null
    where ${isAt(wanted.organisation_id, names)}
    order by a.id nulls last, d.last_event_at desc nulls last
    limit 200`.execute(tx);
  return rows;
}

export interface TargetAgent {
  id: number;
  deviceName: string;
  lastCheckInAt: Date | null;
  /** Account, process or path in the host's spelling. */
  target: string;
}

/** Agents on the named device; for an account without a device, those whose hosts list it. */
export function agentsAt(places: readonly PlaceWithAgent[], wanted: Wanted): TargetAgent[] {
  if (!isForAgents(wanted)) return [];
  return places
    .filter(({ account }) => wanted.device_name || !isOfUser(wanted) || account !== null)
    .flatMap(({ agentId, lastCheckInAt, name, account }) =>
      agentId === null ? [] : [{ id: agentId, lastCheckInAt, deviceName: name, target: account ?? wanted.target }],
    );
}

/** Finds a device of the organisation by its uuid or its name, ignoring letter case. */
export async function findDevice(tx: Tx, organisationId: number, uuidOrName: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from devices where organisation_id = ${organisationId}
      and (id::text = lower(${uuidOrName}) or name_key = lower(${uuidOrName}) collate "C")
    order by last_event_at desc nulls last limit 1`.execute(tx);
  return rows[0]?.name;
}

/** All names of a device in lower case, including the given one. */
export async function listNames(tx: Tx, organisationId: number, name: string): Promise<string[]> {
  const { rows } = await sql<{
    name: string;
  }>`select d.name_key as name from devices d where ${isAt(organisationId, [name])}`.execute(tx);
  return [...new Set([name.toLowerCase(), ...rows.map((row) => row.name)])];
}

export interface TaskOfResponse {
  id: number;
  agentId: number;
  state: string;
  detail: string;
  target: string;
  deviceName: string;
  sequence: number;
  isRevoked: boolean;
  lastCheckInAt: Date | null;
}

/** Agent tasks of a request, oldest first, without cancelled ones. */
export async function listAgentTasks(
  tx: Tx,
  { id, organisation_id }: Pick<ResponseRecord, 'id' | 'organisation_id'>,
): Promise<TaskOfResponse[]> {
  const { rows } = await sql<TaskOfResponse>`
    select t.id, t.agent_id as "agentId", t.state, t.detail, t.target, t.sequence, d.name as "deviceName", a.revoked_at is not null as "isRevoked",
      a.last_check_in_at as "lastCheckInAt"
    from agent_tasks t join agents a on a.id = t.agent_id join devices d on d.id = a.device_id
    where t.response_id = ${id} and t.organisation_id = ${organisation_id} and t.state <> 'cancelled'
    order by t.id limit 500`.execute(tx);
  return rows;
}

/** Responses executed by an agent that hold on its host or await verification. */
export async function listHeldBy(tx: Tx, agent: { id: number; organisationId: number }): Promise<ResponseRecord[]> {
  const { rows } = await sql<ResponseRecord>`
    select r.* from responses r
    where r.organisation_id = ${agent.organisationId}
      and r.id in (select response_id from agent_tasks where agent_id = ${agent.id} and state in ('acknowledged', 'verified'))
      and (r.state = 'acknowledged' or r.state = 'verified' and r.action in ('isolate', 'blockUser', 'disable'))
    order by r.case_id nulls last, r.id limit 500`.execute(tx);
  return rows;
}

export const isSameDevice = (a: { device_name: string | null }, b: { device_name: string | null }): boolean =>
  (a.device_name ?? '').toLowerCase() === (b.device_name ?? '').toLowerCase();
