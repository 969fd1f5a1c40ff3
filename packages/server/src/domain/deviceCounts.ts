/** Hourly and daily event counts and collector versions of devices, from the intake and from agents’ check-ins. */
import { type RawBuilder, sql } from 'kysely';
import { dateColumn, integerColumn, textColumn, timeColumn } from '../core/db/bulk.ts';
import type { Tx } from '../core/db/scope.ts';

/**
 * All names of the device with that name, including its own, as an array: rows from before a merge carry the former names. Limited to the
 * organisations that the transaction sees.
 */
export const namesOfDevice = (name: string): RawBuilder<string[]> => sql<string[]>`(array(
  select n.name from devices d join devices n on n.organisation_id = d.organisation_id and (n.id = coalesce(d.merged_into, d.id) or n.merged_into = coalesce(d.merged_into, d.id))
  where d.name_key = lower(${name}) collate "C" and d.name = ${name}) || ${name}::text)`;

export async function listNamesOfDevice(tx: Tx, name: string): Promise<string[]> {
  const { rows } = await sql<{ names: string[] }>`select ${namesOfDevice(name)} as names`.execute(tx);
  return [...new Set(rows[0]?.names ?? [name])];
}

export interface DeviceHour {
  organisationId: number;
  name: string;
  /** Its beginning, in milliseconds since 1970. */
  hour: number;
  events: number;
}

/** Adds to what is there; several processes add up. Duplicates count for the device that they were merged into. */
export async function addDeviceHours(tx: Tx, hours: readonly DeviceHour[]): Promise<void> {
  if (hours.length === 0) return;
  const found = sql`
    select d.organisation_id, coalesce(d.merged_into, d.id) as device_id, h.hour, h.events, d.merged_into, d.last_event_at,
      d.agent_version, d.agent_updated_at
    from unnest(${integerColumn(hours.map((each) => each.organisationId))}, ${textColumn(hours.map((each) => each.name))},
      ${timeColumn(hours.map((each) => each.hour))}, ${integerColumn(hours.map((each) => each.events))}) as h (organisation_id, name, hour, events)
    join devices d on d.organisation_id = h.organisation_id and d.name = h.name`;
  await sql`
    insert into device_hours (organisation_id, device_id, hour, events)
    select organisation_id, device_id, hour, least(sum(events), 2147483647)::integer from (${found}) f group by 1, 2, 3 order by 1, 2, 3
    on conflict (device_id, hour) do update
      set events = least(device_hours.events::bigint + excluded.events, 2147483647)::integer`.execute(tx);
  await countDays(tx, sql`select organisation_id, device_id, (hour at time zone 'UTC')::date as day from (${found}) f`);
  await sql`
    update devices d set last_event_at = f.last_event_at, agent_version = coalesce(f.agent_version, d.agent_version),
      agent_updated_at = case when f.agent_version is distinct from d.agent_version and f.agent_version is not null
        then f.agent_updated_at else d.agent_updated_at end
    from (
      select distinct on (merged_into) merged_into as id, last_event_at, agent_version, agent_updated_at from (${found}) f
      where merged_into is not null order by merged_into, last_event_at desc
    ) f
    where d.id = f.id and (d.last_event_at is null or d.last_event_at < f.last_event_at)`.execute(tx);
}

/** Devices that were there on the UTC day of `at`, though they only checked in. Of names that no device has, nothing is counted. */
export async function addDeviceDays(
  tx: Tx,
  organisationId: number,
  checkIns: readonly { name: string; at: number }[],
): Promise<void> {
  if (checkIns.length === 0) return;
  await countDays(
    tx,
    sql`select d.organisation_id, coalesce(d.merged_into, d.id) as device_id, c.day
      from unnest(${textColumn(checkIns.map(({ name }) => name))}, ${dateColumn(checkIns.map(({ at }) => at))}) as c (name, day)
      join devices d on d.organisation_id = ${organisationId} and d.name = c.name`,
  );
}

/** Each device counts once a day, for its type. */
async function countDays(tx: Tx, seen: RawBuilder<unknown>): Promise<void> {
  await sql`
    with fresh as (
      insert into device_days (organisation_id, day, device_id)
      select distinct organisation_id, day, device_id from (${seen}) s order by 1, 2, 3
      on conflict do nothing returning organisation_id, day, device_id
    )
    insert into device_day_counts (organisation_id, day, device_type, devices)
    select f.organisation_id, f.day, d.device_type, count(*) from fresh f join devices d on d.id = f.device_id group by 1, 2, 3 order by 1, 2, 3
    on conflict (organisation_id, day, device_type) do update set devices = device_day_counts.devices + excluded.devices`.execute(
    tx,
  );
}

/**
 * One row for each change, by collector: a host may have several. The caller holds the devices' rows, so that two processes do not write one
 * change twice.
 */
export async function addDeviceVersions(
  tx: Tx,
  organisationId: number,
  seen: readonly { name: string; version: string; at: number }[],
): Promise<void> {
  if (seen.length === 0) return;
  await sql`
    insert into device_versions (organisation_id, device_id, version, seen_at)
    select d.organisation_id, coalesce(d.merged_into, d.id), v.version, v.at
    from unnest(${textColumn(seen.map((each) => each.name))}, ${textColumn(seen.map((each) => each.version))},
      ${timeColumn(seen.map((each) => each.at))}) as v (name, version, at)
    join devices d on d.organisation_id = ${organisationId} and d.name = v.name
    where v.version is distinct from (
      select o.version from device_versions o where o.organisation_id = ${organisationId} and o.device_id = coalesce(d.merged_into, d.id)
        and split_part(o.version, ' ', 1) = split_part(v.version, ' ', 1) order by o.seen_at desc, o.id desc limit 1)`.execute(
    tx,
  );
}
