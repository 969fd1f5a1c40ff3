/** SQL of devices: a page by name with its tags, and the alerts of those on the page. */
import type { Device } from '@parapet/contract/devices.ts';
import type { DeviceType } from '@parapet/contract/primitives.ts';
import type { Tag } from '@parapet/contract/tags.ts';
import { sql } from 'kysely';
import { figureRows, type Horizon, piecesOf } from '../../core/db/figures.ts';
import { containing } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Range } from '../../core/ranges.ts';

export interface DevicesAsk {
  text: string;
  types: readonly DeviceType[];
  tags: readonly number[];
  limit: number;
  offset: number;
}

type Listed = Omit<Device, 'alertCount'>;
type Row = Omit<Listed, 'agentUpdateDateTime' | 'lastEventAt'> & {
  agentUpdateDateTime: Date | null;
  lastEventAt: Date | null;
  deviceTags: Tag[];
};

export async function listDevices(tx: Tx, scope: Scope, ask: DevicesAsk): Promise<{ results: Listed[]; total: number }> {
  const conditions = sql.join(
    [
      within('d.organisation_id', scope),
      ...(ask.text === '' ? [] : [sql<boolean>`d.name ilike ${containing(ask.text)}`]),
      ...(ask.types.length > 0 ? [sql<boolean>`d.device_type = any(${[...ask.types]}::text[])`] : []),
      ...(ask.tags.length > 0
        ? [
            sql<boolean>`exists (select from device_tags dt join tags t on t.id = dt.tag_id
              where dt.device_id = d.id and dt.tag_id = any(${[...ask.tags]}::integer[]) and not t.is_deleted)`,
          ]
        : []),
    ],
    sql` and `,
  );
  const { rows: counted } = await sql<{ total: number }>`select count(*) as total from devices d where ${conditions}`.execute(tx);
  const total = counted[0]?.total ?? 0;
  if (total <= ask.offset) return { results: [], total };
  const { rows } = await sql<Row>`
    select d.id as uuid, left(d.name, 2000) as name, d.organisation_id as "clientOrganizationID",
      (select o.name from organisations o where o.id = d.organisation_id) as "clientOrganizationName", d.device_type as "deviceType",
      left(d.agent_version, 2000) as "agentUpdateVersion", d.agent_updated_at as "agentUpdateDateTime", d.last_event_at as "lastEventAt",
      (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'clientOrganizationID', t.organisation_id, 'isDeleted', t.is_deleted)
          order by lower(t.name), t.id), '[]')
        from device_tags dt join tags t on t.id = dt.tag_id where dt.device_id = d.id and not t.is_deleted) as "deviceTags"
    from (select * from devices d where ${conditions} order by lower(d.name), d.name, d.organisation_id limit ${ask.limit} offset ${ask.offset}) d
    order by lower(d.name), d.name, d.organisation_id`.execute(tx);
  const results = rows.map(
    (row): Listed => ({
      ...row,
      agentUpdateDateTime: row.agentUpdateDateTime?.toISOString() ?? null,
      lastEventAt: row.lastEventAt?.toISOString() ?? null,
      deviceTags: row.deviceTags.slice(0, 200),
    }),
  );
  return { results, total };
}

/** How many alerts each of these devices had, in their order. */
export async function countAlerts(
  tx: Tx,
  scope: Scope,
  devices: readonly Listed[],
  range: Range,
  horizon: Horizon,
): Promise<number[]> {
  if (devices.length === 0) return [];
  const onPage = new Set(devices.map((device) => device.clientOrganizationID));
  // The page's own organisations, where these are fewer than the caller's.
  const narrower: Scope = {
    organisationIds:
      scope === 'system' ? [...onPage] : scope.organisationIds.filter((organisationId) => onPage.has(organisationId)),
  };
  const narrowing = { devices: [...new Set(devices.map((device) => device.name))] };
  const rows = figureRows('device', narrower, piecesOf('device', range, horizon), { narrowing, isByOrganisation: true });
  const { rows: counts } = await sql<{ organisationId: number; name: string; count: number }>`
    select organisation_id as "organisationId", key as name, sum(n)::bigint as count from (${rows}) f group by organisation_id, key`.execute(
    tx,
  );
  const byDevice = new Map(counts.map(({ organisationId, name, count }) => [`${organisationId} ${name}`, count]));
  return devices.map((device) => byDevice.get(`${device.clientOrganizationID} ${device.name}`) ?? 0);
}
