/**
 * SQL of devices: a page by name with tags, state and volume, and the alerts of the devices on the page. Duplicates belong
 * to their target.
 */
import type { CheckInDay, Device, DeviceState } from '@parapet/contract/devices.ts';
import type { DeviceType } from '@parapet/contract/primitives.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import type { Tag } from '@parapet/contract/tags.ts';
import { sql } from 'kysely';
import { containing } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { eventsOfDay, hasAgent, isIsolated, stateAt, usualDay } from '../../domain/deviceState.ts';
import { figureRows, type Horizon, piecesOf } from '../../domain/figures.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import { dateOf, type Range } from '../../domain/ranges.ts';

export interface DeviceListQuery {
  text: string;
  types: readonly DeviceType[];
  states: readonly DeviceState[];
  tags: readonly number[];
  rows?: QueryRows | undefined;
  /** Restricts to one device. */
  id?: string;
  limit: number;
  offset: number;
}

type Answered = Omit<Device, 'alertCount'>;
/** With the names of its duplicates, which its older alerts carry. */
type Listed = Answered & { aliases: string[] };
type Row = Omit<Listed, 'agentUpdateDateTime' | 'lastEventAt' | 'silenceHours'> & {
  agentUpdateDateTime: Date | null;
  lastEventAt: Date | null;
  deviceTags: Tag[];
};

export async function listDevices(
  tx: Tx,
  scope: Scope,
  query: DeviceListQuery,
  now: number,
): Promise<{ results: Listed[]; total: number }> {
  const at = new Date(now);
  const conditions = sql.join(
    [
      within('d.organisation_id', scope),
      sql<boolean>`d.merged_into is null`,
      ...(query.id === undefined ? [] : [sql<boolean>`d.id = ${query.id}`]),
      ...(query.text === ''
        ? []
        : [
            sql<boolean>`(d.name ilike ${containing(query.text)}
              or exists (select from devices i where i.merged_into = d.id and i.name ilike ${containing(query.text)}))`,
          ]),
      ...(query.types.length > 0 ? [sql<boolean>`d.device_type = any(${[...query.types]}::text[])`] : []),
      ...(query.states.length > 0 ? [sql<boolean>`${stateAt(at)} = any(${[...query.states]}::text[])`] : []),
      ...(query.tags.length > 0
        ? [
            sql<boolean>`exists (select from device_tags dt join tags t on t.id = dt.tag_id
              where dt.device_id = d.id and dt.tag_id = any(${[...query.tags]}::integer[]) and not t.is_deleted)`,
          ]
        : []),
      ...isAmong('d', query.rows),
    ],
    sql` and `,
  );
  const { rows: counted } = await sql<{ total: number }>`select count(*) as total from devices d where ${conditions}`.execute(tx);
  const total = counted[0]?.total ?? 0;
  if (total <= query.offset) return { results: [], total };
  const { rows } = await sql<Row>`
    select d.id as uuid, left(d.name, 2000) as name, d.organisation_id as "clientOrganizationID",
      (select o.name from organisations o where o.id = d.organisation_id) as "clientOrganizationName", d.device_type as "deviceType",
      left(d.agent_version, 2000) as "agentUpdateVersion", d.agent_updated_at as "agentUpdateDateTime", d.last_event_at as "lastEventAt",
      ${stateAt(at)} as state,
      ${eventsOfDay(at)} as "events24h", ${usualDay(at)} as "expected24h",
      ${hasAgent} as "hasAgent", ${isIsolated} as "isIsolated",
      (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'clientOrganizationID', t.organisation_id, 'isDeleted', t.is_deleted)
          order by lower(t.name), t.id), '[]')
        from device_tags dt join tags t on t.id = dt.tag_id where dt.device_id = d.id and not t.is_deleted) as "deviceTags",
      array(select i.name from devices i where i.merged_into = d.id) as aliases
    from (select * from devices d where ${conditions} order by lower(d.name), d.name, d.organisation_id limit ${query.limit} offset ${query.offset}) d
    order by lower(d.name), d.name, d.organisation_id`.execute(tx);
  const results = rows.map(
    (row): Listed => ({
      ...row,
      agentUpdateDateTime: row.agentUpdateDateTime?.toISOString() ?? null,
      lastEventAt: row.lastEventAt?.toISOString() ?? null,
      silenceHours:
        row.lastEventAt === null ? null : Math.max(0, Math.round((10 * (now - row.lastEventAt.getTime())) / hourMs) / 10),
      deviceTags: row.deviceTags.slice(0, 200),
    }),
  );
  return { results, total };
}

/** Alert counts of these devices, in their order. */
export async function countAlerts(
  tx: Tx,
  scope: Scope,
  devices: readonly Pick<Listed, 'name' | 'clientOrganizationID' | 'aliases'>[],
  range: Range,
  horizon: Horizon,
): Promise<number[]> {
  if (devices.length === 0) return [];
  const onPage = new Set(devices.map((device) => device.clientOrganizationID));
  // The page’s own organisations, when fewer than the caller’s.
  const narrower: Scope = {
    organisationIds:
      scope === 'system' ? [...onPage] : scope.organisationIds.filter((organisationId) => onPage.has(organisationId)),
  };
  const narrowing = { devices: [...new Set(devices.flatMap((device) => [device.name, ...device.aliases]))] };
  const rows = figureRows('device', narrower, piecesOf('device', range, horizon), { narrowing, isByOrganisation: true });
  const { rows: counts } = await sql<{ organisationId: number; name: string; count: number }>`
    select organisation_id as "organisationId", key as name, sum(n)::bigint as count from (${rows}) f group by organisation_id, key`.execute(
    tx,
  );
  const byDevice = new Map(counts.map(({ organisationId, name, count }) => [`${organisationId} ${name}`, count]));
  return devices.map((device) =>
    [device.name, ...device.aliases].reduce(
      (sum, name) => sum + (byDevice.get(`${device.clientOrganizationID} ${name}`) ?? 0),
      0,
    ),
  );
}

/** Maximum days of one response. */
export const maxCheckInDays = 800;

/** Each UTC day that the range touches, the newest of a longer one; none in the future. */
export async function listCheckIns(tx: Tx, scope: Scope, range: Range, now: number): Promise<CheckInDay[]> {
  const last = Math.min(Math.floor((range.end - 1) / dayMs), Math.floor(now / dayMs));
  const first = Math.max(Math.floor(range.start / dayMs), last - maxCheckInDays + 1);
  const days = new Map<string, CheckInDay>();
  for (let day = first; day <= last; day++) {
    const date = dateOf(day * dayMs);
    days.set(date, {
      date,
      serverCount: 0,
      workstationCount: 0,
      networkDevicesCount: 0,
      productivityCount: 0,
      cloudPlatformCount: 0,
      cloudAppCount: 0,
      totalCount: 0,
    });
  }
  if (days.size === 0) return [];
  const { rows } = await sql<{ day: string; type: DeviceType; devices: number }>`
    select day::text as day, device_type as type, sum(devices)::integer as devices from device_day_counts
    where ${within('organisation_id', scope)} and day >= ${dateOf(first * dayMs)}::date and day <= ${dateOf(last * dayMs)}::date
    group by 1, 2`.execute(tx);
  for (const { day, type, devices } of rows) {
    const counts = days.get(day);
    if (!counts) continue;
    counts[countNames[type]] += devices;
    counts.totalCount += devices;
  }
  return [...days.values()];
}

const countNames = {
  server: 'serverCount',
  workstation: 'workstationCount',
  networkDevice: 'networkDevicesCount',
  productivity: 'productivityCount',
  cloudPlatform: 'cloudPlatformCount',
  cloudApp: 'cloudAppCount',
} as const satisfies Record<DeviceType, keyof CheckInDay>;

/** Each collector of each device by its last version. */
export async function listVersions(tx: Tx, scope: Scope): Promise<{ version: string; deviceCount: number }[]> {
  const { rows } = await sql<{ version: string; deviceCount: number }>`
    select left(version, 2000) as version, count(*)::integer as "deviceCount" from (
      select distinct on (coalesce(d.merged_into, d.id), split_part(v.version, ' ', 1)) v.version
      from device_versions v join devices d on d.id = v.device_id and d.organisation_id = v.organisation_id
      where ${within('v.organisation_id', scope)}
      order by coalesce(d.merged_into, d.id), split_part(v.version, ' ', 1), v.seen_at desc, v.id desc
    ) newest group by 1 order by 2 desc, 1 limit 1000`.execute(tx);
  return rows;
}
