/** SQL of counting: devices and users of a client in a month. In the portal's own scope. */
import type { Counted } from '@parapet/contract/rules/billing.ts';
import { testDevicePrefix } from '@parapet/contract/setup.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';

export interface Month {
  organisationId: number;
  /** Such as 2026-11. */
  month: string;
}

const dayOf = ({ month }: Month) => sql`${`${month}-01`}::date`;
const instants = (of: Month) =>
  sql`>= ${dayOf(of)}::timestamp at time zone 'UTC' and last_seen_at < (${dayOf(of)} + interval '1 month')::timestamp at time zone 'UTC'`;

/** Organisations that were not counted since a time, those that never were first; deactivated ones until their months are closed. */
export async function listDue(tx: Tx, month: string, before: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select o.id from organisations o left join billing_months m on m.organisation_id = o.id and m.month = ${`${month}-01`}::date
    where o.id <> 1 and (o.deactivated_at is null or o.deactivated_at >= ${`${month}-01`}::date
        or exists (select from billing_months b where b.organisation_id = o.id and b.closed_at is null and b.month < ${`${month}-01`}::date))
      and (m.counted_at is null or m.counted_at < ${before})
    order by m.counted_at nulls first, o.id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Months before this one that are still open, and those of which devices are known but no count, as before the first one or while the portal was down. */
export async function listOpen(tx: Tx, { organisationId, month }: Month, since: string): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    select to_char(month, 'YYYY-MM') as month from billing_months
    where organisation_id = ${organisationId} and closed_at is null and month < ${`${month}-01`}::date
    union
    select distinct to_char(day, 'YYYY-MM') from device_days
    where organisation_id = ${organisationId} and day >= ${`${since}-01`}::date and day < ${`${month}-01`}::date
      and not exists (
        select from billing_months b where b.organisation_id = ${organisationId} and b.month = date_trunc('month', device_days.day)::date)
    order by 1`.execute(tx);
  return rows.map((row) => row.month);
}

/** Takes the month for this transaction; false for a closed one, and for one that began after the organisation was deactivated. */
export async function openMonth(tx: Tx, of: Month, now: Date): Promise<boolean> {
  await sql`
    insert into billing_months (organisation_id, month, level, servers, workstations, bytes, counted_at)
    select ${of.organisationId}, ${dayOf(of)}, subscription_level_id, 0, 0, 0, ${now} from organisations
    where id = ${of.organisationId} and (deactivated_at is null or deactivated_at >= ${dayOf(of)})
    on conflict do nothing`.execute(tx);
  const { rows } = await sql`
    select 1 from billing_months where organisation_id = ${of.organisationId} and month = ${dayOf(of)} and closed_at is null for update`.execute(
    tx,
  );
  return rows.length > 0;
}

/** Adds the devices of the month; what was found stays. Names that became one device count as that one. */
export async function addDevices(tx: Tx, of: Month): Promise<void> {
  const { organisationId } = of;
  await sql`
    with seen as (
      select device_id, day from device_days
      where organisation_id = ${organisationId} and day >= ${dayOf(of)} and day < ${dayOf(of)} + interval '1 month'
      union all
      select device_id, (last_seen_at at time zone 'UTC')::date from connection_devices
      where organisation_id = ${organisationId} and last_seen_at ${instants(of)}
    ), found as (
      select coalesce(d.merged_into, d.id) as id, min(s.day) as first_day, max(s.day) as last_day
      from seen s join devices d on d.id = s.device_id and d.organisation_id = ${organisationId} group by 1
    ), sourced as (
      select f.*, d.name, d.device_type, array(
        select 'agent' from agents a join devices n on n.id = a.device_id
          where a.organisation_id = ${organisationId} and f.id in (n.id, n.merged_into) and a.revoked_at is null
        union select c.kind from connection_devices v join connections c on c.id = v.connection_id join devices n on n.id = v.device_id
          where v.organisation_id = ${organisationId} and f.id in (n.id, n.merged_into)
        order by 1) as sources
      from found f join devices d on d.id = f.id
      where d.device_type in ('server', 'workstation') and d.name not like ${`${testDevicePrefix}%`}
    )
    insert into billing_items as i (organisation_id, month, key, kind, name, sources, first_day, last_day)
    select ${organisationId}, ${dayOf(of)}, 'device:' || id, device_type, left(name, 255),
      case when sources = '{}' then '{events}' else sources end, first_day, last_day from sourced
    on conflict (organisation_id, month, key) do update set kind = excluded.kind, name = excluded.name,
      sources = array(select unnest(i.sources || excluded.sources) except select 'events' where excluded.sources <> '{events}' order by 1),
      first_day = least(i.first_day, excluded.first_day), last_day = greatest(i.last_day, excluded.last_day)`.execute(tx);
  await sql`
    delete from billing_items i using devices d where i.organisation_id = ${organisationId} and i.month = ${dayOf(of)}
      and d.organisation_id = ${organisationId} and d.merged_into is not null and i.key = 'device:' || d.id`.execute(tx);
}

/** Adds the users that directories listed in the month; a list that can no longer be read counts no further. */
export async function addUsers(tx: Tx, of: Month, now: Date): Promise<void> {
  await sql`
    insert into billing_items as i (organisation_id, month, key, kind, name, sources, has_mailbox, first_day, last_day)
    select ${of.organisationId}, ${dayOf(of)}, 'user:' || u.name, 'user', u.name, array_agg(distinct c.kind order by c.kind), bool_or(u.has_mailbox),
      (${now}::timestamptz at time zone 'UTC')::date, (${now}::timestamptz at time zone 'UTC')::date
    from connection_users u join connections c on c.id = u.connection_id where u.organisation_id = ${of.organisationId} and u.read_at >= ${dayOf(of)}::timestamp at time zone 'UTC'
    group by u.name
    on conflict (organisation_id, month, key) do update set
      sources = array(select distinct unnest(i.sources || excluded.sources) order by 1),
      has_mailbox = i.has_mailbox or excluded.has_mailbox, last_day = greatest(i.last_day, excluded.last_day)`.execute(tx);
}

/** Counts the entries of the month into its row. */
export async function saveCounts(tx: Tx, of: Month, { now, isClosed }: { now: Date; isClosed: boolean }): Promise<Counted> {
  const { organisationId } = of;
  const { rows } = await sql<Counted>`
    with entries as (
      select count(*) filter (where kind = 'server')::integer as servers, count(*) filter (where kind = 'workstation')::integer as workstations,
        count(*) filter (where kind = 'user')::integer as users, count(*) filter (where kind = 'user' and has_mailbox)::integer as mailboxes
      from billing_items where organisation_id = ${organisationId} and month = ${dayOf(of)}
    ), volume as (
      select coalesce(sum(bytes), 0)::bigint as bytes from ingest_bytes
      where organisation_id = ${organisationId} and day >= ${dayOf(of)} and day < ${dayOf(of)} + interval '1 month'
    )
    update billing_months m set servers = e.servers, workstations = e.workstations, bytes = v.bytes,
      users = case when e.users > 0 then e.users end, mailboxes = case when e.users > 0 then e.mailboxes end,
      counted_at = ${now}, closed_at = case when ${isClosed}::boolean then ${now}::timestamptz end,
      level = case when ${dayOf(of)} = date_trunc('month', ${now}::timestamptz at time zone 'UTC')::date then o.subscription_level_id else m.level end
    from entries e, volume v, organisations o
    where m.organisation_id = ${organisationId} and m.month = ${dayOf(of)} and o.id = m.organisation_id
    returning m.servers, m.workstations, m.users, m.mailboxes, m.bytes::float8 as bytes`.execute(tx);
  return rows[0]!;
}
