/** Device totals and best practices of the demo’s clients, and a year of daily risk scores computed from that year’s devices and cases. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { bestPractices } from '@parapet/contract/rules/practices.ts';
import { type CaseSums, effectiveTotals } from '@parapet/contract/rules/risk.ts';
import { type Organisation, organisations } from '@parapet/world/organisations.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { dateOf, floorTo } from '../../domain/ranges.ts';
import { insertSnapshots } from '../../domain/riskSnapshots.ts';

const clients = organisations.filter(({ kind }) => kind === 'client');

/** Devices not connected yet. */
const unconnected = ({ id }: Organisation) => ({ servers: id % 4, workstations: 2 + ((id * 7) % 11) });

/** Adopted one by one over the year, at each client’s own pace; no client has all. */
const practicesDone = ({ id }: Organisation, now: number, months: number) =>
  bestPractices.flatMap(({ id: practice }, at) =>
    (at * 5 + id) % 16 < 6 + (id % 5)
      ? [{ practice, changed_at: new Date(now - ((((at * 7 + id * 3) % 16) + 0.5) / 16) * months * 30 * dayMs) }]
      : [],
  );

interface DayRow extends CaseSums {
  organisation_id: number;
  day: string;
  servers: number;
  workstations: number;
}

export async function insertRisk(tx: Tx, now: number, months: number): Promise<void> {
  const { rows: known } = await sql<{ id: number; servers: number; workstations: number }>`
    select organisation_id as id, count(*) filter (where device_type = 'server')::integer as servers,
      count(*) filter (where device_type = 'workstation')::integer as workstations
    from devices where merged_into is null group by 1`.execute(tx);
  const totals = new Map(
    clients.map((client) => {
      const { servers = 0, workstations = 0 } = known.find(({ id }) => id === client.id) ?? {};
      const more = unconnected(client);
      return [client.id, { totalServers: servers + more.servers, totalWorkstations: workstations + more.workstations }];
    }),
  );
  const done = new Map(clients.map((client) => [client.id, practicesDone(client, now, months)]));
  await tx
    .insertInto('risk_devices')
    .values(
      [...totals].map(([organisation_id, { totalServers, totalWorkstations }]) => ({
        organisation_id,
        total_servers: totalServers,
        total_workstations: totalWorkstations,
        changed_by: null,
        changed_at: new Date(now - months * 30 * dayMs),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx
    .insertInto('risk_practices')
    .values(
      [...done].flatMap(([organisation_id, practices]) =>
        practices.map((practice) => ({ organisation_id, ...practice, is_checked: true, changed_by: null })),
      ),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();

  // Ends yesterday: the portal records today. Each day counts a case with its status at the end of that day.
  const sumOf = (...statuses: string[]) => sql`coalesce(sum(score) filter (where status = any(${statuses}::text[])), 0)::float8`;
  const { rows } = await sql<DayRow>`
    with day as (
      select d::date as day, (d + interval '1 day') at time zone 'UTC' as ends
      from generate_series(${dateOf(now - months * 30 * dayMs)}::timestamp, ${dateOf(now - dayMs)}::timestamp, interval '1 day') as d
    ), device as (
      select organisation_id, day, sum(devices) filter (where device_type = 'server')::integer as servers,
        sum(devices) filter (where device_type = 'workstation')::integer as workstations
      from device_day_counts group by 1, 2
    ), open as (
      select c.organisation_id, d.day, c.score, coalesce((
        select h.after ->> 'status' from case_history h where h.case_id = c.id and h.at < d.ends and h.after ->> 'status' is not null
        order by h.at desc, h.id desc limit 1), 'open') as status
      from cases c join day d on c.created_at < d.ends and (c.closed_at is null or c.closed_at >= d.ends)
    ), weight as (
      select organisation_id, day, ${sumOf('open')} as open, ${sumOf('assigned')} as assigned,
        ${sumOf('investigating', 'escalated')} as investigating, ${sumOf('malicious')} as malicious
      from open group by 1, 2
    )
    select o.id as organisation_id, d.day::text, coalesce(device.servers, 0) as servers, coalesce(device.workstations, 0) as workstations,
      coalesce(w.open, 0) as open, coalesce(w.assigned, 0) as assigned, coalesce(w.investigating, 0) as investigating,
      coalesce(w.malicious, 0) as malicious
    from unnest(${clients.map(({ id }) => id)}::integer[]) as o (id) cross join day d
      left join device on device.organisation_id = o.id and device.day = d.day
      left join weight w on w.organisation_id = o.id and w.day = d.day`.execute(tx);
  const snapshots = rows.map(({ organisation_id, day, servers, workstations, ...cases }) => {
    const whole = effectiveTotals(totals.get(organisation_id)!);
    const ends = floorTo('day', Date.parse(day)) + dayMs;
    return {
      organisationId: organisation_id,
      day,
      devices: {
        ...whole,
        monitoredServers: Math.min(whole.totalServers, servers),
        monitoredWorkstations: Math.min(whole.totalWorkstations, workstations),
      },
      checked: done.get(organisation_id)!.filter(({ changed_at }) => changed_at.getTime() < ends).length,
      practices: bestPractices.length,
      cases,
    };
  });
  await insertSnapshots(tx, snapshots);
}
