/** SQL of vulnerability lists and counts: findings, devices with findings. Duplicate devices count as the device they were merged into. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { severities } from '@parapet/contract/rules/values.ts';
import type { Finding } from '@parapet/contract/vulnerabilities.ts';
import { type RawBuilder, sql } from 'kysely';
import { containing } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { stateAt } from '../../domain/deviceState.ts';
import { epssOf, findingState, isAccepted, isExploited, isOpen, isShown } from '../../domain/findings.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import { shownName } from '../../domain/visibility.ts';

export interface FindingListQuery {
  text: string;
  severity: readonly (typeof severities)[number][];
  state: readonly Finding['state'][];
  exploited?: boolean | undefined;
  device?: string | undefined;
  rows?: QueryRows | undefined;
  /** Limits the list to this finding. */
  id?: number;
  limit: number;
  offset: number;
}

type Row = Omit<Finding, 'firstSeenAt' | 'fixedAt' | 'acceptedUntil' | 'epssReadAt' | 'exploitedReadAt'> & {
  epssReadAt: Date | null;
  exploitedReadAt: Date | null;
  firstSeenAt: Date;
  fixedAt: Date | null;
  acceptedUntil: Date | null;
};

function ofState(state: Finding['state'], now: Date): RawBuilder<boolean> {
  if (state === 'fixed') return sql<boolean>`f.fixed_at is not null`;
  return state === 'open' ? isOpen(now) : sql<boolean>`(f.fixed_at is null and ${isAccepted(now)})`;
}

/** Days from first seen to fixed, one decimal. */
const daysToFix = sql<number>`round((extract(epoch from f.fixed_at - f.first_seen_at) / 86400)::numeric, 1)::float8`;

export async function listFindings(
  tx: Tx,
  scope: Scope,
  query: FindingListQuery,
  now: number,
): Promise<{ results: Finding[]; total: number }> {
  const at = new Date(now);
  const pattern = containing(query.text);
  const conditions = sql.join(
    [
      within('f.organisation_id', scope),
      isShown(),
      ...(query.id === undefined ? [] : [sql<boolean>`f.id = ${query.id}`]),
      ...(query.state.length === 0 || query.state.includes('fixed') ? [] : [sql<boolean>`f.fixed_at is null`]),
      ...(query.state.length === 0
        ? []
        : [
            sql<boolean>`(${sql.join(
              query.state.map((state) => ofState(state, at)),
              sql` or `,
            )})`,
          ]),
      ...(query.severity.length === 0 ? [] : [sql<boolean>`f.severity = any(${[...query.severity]}::text[])`]),
      ...(query.exploited === undefined ? [] : [sql<boolean>`${isExploited()} = ${query.exploited}`]),
      ...(query.device === undefined
        ? []
        : [
            sql<boolean>`f.device_id in (select ${query.device}::uuid union all select i.id from devices i where i.merged_into = ${query.device})`,
          ]),
      ...(query.text === ''
        ? []
        : [
            sql<boolean>`(f.cve ilike ${pattern} or f.title ilike ${pattern} or f.package ilike ${pattern}
              or exists (select from unnest(f.aliases) a where a ilike ${pattern})
              or exists (select from devices n where n.id = f.device_id and ${within('n.organisation_id', scope)} and n.name ilike ${pattern}))`,
          ]),
      ...isAmong('f', query.rows),
    ],
    sql` and `,
  );
  const { rows: counted } = await sql<{ total: number }>`select count(*) as total from findings f where ${conditions}`.execute(
    tx,
  );
  const total = counted[0]?.total ?? 0;
  if (total <= query.offset) return { results: [], total };
  const { rows } = await sql<Row>`
    select f.id, f.organisation_id as "clientOrganizationID",
      (select left(o.name, 200) from organisations o where o.id = f.organisation_id) as "clientOrganizationName",
      coalesce(m.id, d.id) as "deviceUuid", left(coalesce(m.name, d.name), 2000) as "deviceName",
      coalesce(m.device_type, d.device_type) as "deviceType", f.cve, f.aliases[1:50] as aliases, f.title, f.package, f.ecosystem,
      f.installed_version as "installedVersion", f.fixed_version as "fixedVersion", f.severity, f.cvss::float8 as cvss,
      ${epssOf()} as epss, ${isExploited()} as "isKnownExploited", e.scored_at::text as "epssDay", e.imported_at as "epssReadAt",
      k.added_at::text as "exploitedDay", k.imported_at as "exploitedReadAt",
      coalesce(e.origin = 'demo', false) or coalesce(k.origin = 'demo', false) as "isInvented",
      f.priority, f.reasons[1:10] as reasons,
      ${findingState(at)} as state,
      f.source, f.first_seen_at as "firstSeenAt", f.fixed_at as "fixedAt", ${daysToFix} as "daysToFix", f.accepted_until as "acceptedUntil",
      ${shownName(scope, 'f.accepted_by', 'f.accepted_by_name')} as "acceptedBy", f.accept_reason as "acceptReason"
    from (select * from findings f where ${conditions} order by f.priority desc, f.id limit ${query.limit} offset ${query.offset}) f
      join devices d on d.id = f.device_id left join devices m on m.id = d.merged_into
      left join epss_scores e on e.cve = f.cve left join known_exploited k on k.cve = f.cve
    order by f.priority desc, f.id`.execute(tx);
  return { results: rows.map((row) => toFinding(row)), total };
}

/** Hides the acceptance of findings that are no longer accepted. */
const toFinding = (row: Row): Finding => ({
  ...row,
  epssReadAt: row.epssReadAt?.toISOString() ?? null,
  exploitedReadAt: row.exploitedReadAt?.toISOString() ?? null,
  firstSeenAt: row.firstSeenAt.toISOString(),
  fixedAt: row.fixedAt?.toISOString() ?? null,
  daysToFix: row.daysToFix === null ? null : Math.max(0, row.daysToFix),
  acceptedUntil: row.state === 'accepted' ? (row.acceptedUntil?.toISOString() ?? null) : null,
  acceptedBy: row.state === 'accepted' ? row.acceptedBy : '',
  acceptReason: row.state === 'accepted' ? row.acceptReason : '',
});

/** CTE `open`: open findings of each device. */
const openByDevice = (scope: Scope, now: Date) => sql`
  select coalesce(d.merged_into, d.id) as device_id, count(*) filter (where f.severity = 'critical')::integer as critical,
    count(*) filter (where f.severity = 'high')::integer as high, count(*) filter (where f.severity = 'medium')::integer as medium,
    count(*) filter (where f.severity in ('low', 'informational'))::integer as low, max(f.priority)::integer as priority
  from findings f join devices d on d.id = f.device_id
  where ${within('f.organisation_id', scope)} and ${isOpen(now)} group by 1`;

const scannedAt = sql<Date | null>`(select max(s.scanned_at) from scans s
  where s.device_id = d.id or s.device_id in (select i.id from devices i where i.merged_into = d.id))`;

export interface DeviceRow {
  deviceUuid: string;
  deviceName: string;
  deviceType: Finding['deviceType'];
  clientOrganizationID: number;
  isOnline: boolean;
  scannedAt: Date | null;
  critical: number;
  high: number;
  medium: number;
  low: number;
  priority: number;
}

export async function listDevices(
  tx: Tx,
  scope: Scope,
  query: { text: string; limit: number; offset: number },
  now: number,
): Promise<{ results: DeviceRow[]; total: number }> {
  const at = new Date(now);
  const conditions = sql<boolean>`${within('d.organisation_id', scope)} and d.merged_into is null
    ${query.text === '' ? sql`` : sql`and d.name ilike ${containing(query.text)}`}`;
  const { rows: counted } = await sql<{ total: number }>`select count(*) as total from devices d where ${conditions}`.execute(tx);
  const total = counted[0]?.total ?? 0;
  if (total <= query.offset) return { results: [], total };
  const { rows } = await sql<DeviceRow>`
    select d.id as "deviceUuid", left(d.name, 2000) as "deviceName", d.device_type as "deviceType", d.organisation_id as "clientOrganizationID",
      ${stateAt(at)} = 'reporting' as "isOnline", ${scannedAt} as "scannedAt", coalesce(o.critical, 0) as critical, coalesce(o.high, 0) as high,
      coalesce(o.medium, 0) as medium, coalesce(o.low, 0) as low, coalesce(o.priority, 0) as priority
    from (
      select d.*, o.critical, o.high, o.medium, o.low, o.priority from devices d
        left join (${openByDevice(scope, at)}) o on o.device_id = d.id
      where ${conditions}
      order by coalesce(o.priority, 0) desc, coalesce(o.critical, 0) desc, coalesce(o.high, 0) desc, lower(d.name), d.id
      limit ${query.limit} offset ${query.offset}
    ) d cross join lateral (select d.critical, d.high, d.medium, d.low, d.priority) o
    order by priority desc, critical desc, high desc, lower(d.name), d.id`.execute(tx);
  return { results: rows, total };
}

export interface ClientRow {
  clientOrganizationID: number;
  clientOrganizationName: string;
  open: number;
  knownExploited: number;
  critical: number;
  high: number;
  priority: number;
  scanned: number;
  monitored: number;
}

/** Clients and other organisations with devices, worst first. */
export async function listClients(tx: Tx, scope: Scope, now: number): Promise<ClientRow[]> {
  const { rows } = await sql<ClientRow>`
    with device as (
      select d.organisation_id, count(*)::integer as monitored from devices d
      where ${within('d.organisation_id', scope)} and d.merged_into is null group by 1
    ), scan as (
      select s.organisation_id, count(distinct coalesce(d.merged_into, d.id))::integer as scanned from scans s join devices d on d.id = s.device_id
      where ${within('s.organisation_id', scope)} group by 1
    ), found as (
      select f.organisation_id, count(*)::integer as open, count(k.cve)::integer as exploited, max(f.priority)::integer as priority,
        count(*) filter (where f.severity = 'critical')::integer as critical, count(*) filter (where f.severity = 'high')::integer as high
      from findings f left join known_exploited k on k.cve = f.cve where ${within('f.organisation_id', scope)} and ${isOpen(new Date(now))} group by 1
    )
    select o.id as "clientOrganizationID", left(o.name, 200) as "clientOrganizationName", coalesce(found.open, 0) as open,
      coalesce(found.exploited, 0) as "knownExploited", coalesce(found.critical, 0) as critical, coalesce(found.high, 0) as high,
      coalesce(found.priority, 0) as priority, coalesce(scan.scanned, 0) as scanned, coalesce(device.monitored, 0) as monitored
    from organisations o left join device on device.organisation_id = o.id left join scan on scan.organisation_id = o.id
      left join found on found.organisation_id = o.id
    where ${within('o.id', scope)} and o.deactivated_at is null and (not o.is_partner or device.monitored > 0)
    order by "knownExploited" desc, critical desc, high desc, open desc, o.id`.execute(tx);
  return rows;
}

export interface Counts {
  online: number;
  scanned: number;
  monitored: number;
  open: number;
  knownExploited: number;
  meanDaysToFix: number | null;
}

const fixWindowMs = 90 * dayMs;

export async function countAll(tx: Tx, scope: Scope, now: number): Promise<Counts> {
  const at = new Date(now);
  const { rows } = await sql<Counts>`
    with device as (
      select count(*)::integer as monitored, count(*) filter (where ${stateAt(at)} = 'reporting')::integer as online
      from devices d where ${within('d.organisation_id', scope)} and d.merged_into is null
    ), scan as (
      select count(distinct coalesce(d.merged_into, d.id))::integer as scanned from scans s join devices d on d.id = s.device_id
      where ${within('s.organisation_id', scope)}
    ), found as (
      select count(*)::integer as open, count(k.cve)::integer as exploited
      from findings f left join known_exploited k on k.cve = f.cve where ${within('f.organisation_id', scope)} and ${isOpen(at)}
    ), fixed as (
      select round(avg(extract(epoch from f.fixed_at - f.first_seen_at) / 86400)::numeric, 1)::float8 as days
      from findings f where ${within('f.organisation_id', scope)} and ${isShown()} and f.fixed_at > ${new Date(now - fixWindowMs)}
    )
    select device.online, scan.scanned, device.monitored, found.open, found.exploited as "knownExploited",
      case when fixed.days is not null then greatest(fixed.days, 0) end as "meanDaysToFix"
    from device, scan, found, fixed`.execute(tx);
  return rows[0]!;
}

/** Locks the finding until the transaction ends; undefined when it is not in scope. */
export async function findForChange(
  tx: Tx,
  scope: Scope,
  id: number,
): Promise<{ organisation_id: number; fixed_at: Date | null; accepted_until: Date | null; accept_reason: string } | undefined> {
  return tx
    .selectFrom('findings as f')
    .select(['f.organisation_id', 'f.fixed_at', 'f.accepted_until', 'f.accept_reason'])
    .where(within('f.organisation_id', scope))
    .where('f.id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateAcceptance(
  tx: Tx,
  scope: Scope,
  id: number,
  acceptance: { until: Date; by: number; byName: string; reason: string } | undefined,
): Promise<void> {
  await tx
    .updateTable('findings as f')
    .set({
      accepted_until: acceptance?.until ?? null,
      accepted_by: acceptance?.by ?? null,
      accepted_by_name: acceptance?.byName ?? '',
      accept_reason: acceptance?.reason ?? '',
    })
    .where(within('f.organisation_id', scope))
    .where('f.id', '=', id)
    .execute();
}

export function listSources(tx: Tx) {
  return tx.selectFrom('advisory_sources').selectAll().orderBy('kind').limit(500).execute();
}

/** The device, or the one it was merged into. */
export async function findDevice(tx: Tx, scope: Scope, id: string): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`
    select coalesce(d.merged_into, d.id) as id from devices d where ${within('d.organisation_id', scope)} and d.id = ${id}`.execute(
    tx,
  );
  return rows[0];
}

/** Retention in days; an organisation may set less than the portal. */
export async function removeFixed(tx: Tx, months: number, now: Date): Promise<void> {
  await sql`
    delete from findings f using organisations o where o.id = f.organisation_id
      and f.fixed_at < ${now}::timestamptz - make_interval(months => least(${months}, coalesce(o.alert_retention_months, ${months})))`.execute(
    tx,
  );
}
