/** SQL of findings for matching: due scans, installed packages, and changes of a scan’s findings. */
import type { Severity } from '@parapet/contract/primitives.ts';
import { type RawBuilder, sql } from 'kysely';
import { textColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { CveFacts, KnownRange } from './matching.ts';
import type { Reported } from './scans.formats.ts';
import type { ScannedPackage } from './scans.packages.ts';

export type Source = 'agent' | 'trivy' | 'cyclonedx';
export interface DueScan {
  organisationId: number;
  deviceId: string;
  source: Source;
}

/** The device’s active agent, else its last one. */
const agentOfDevice = (columns: RawBuilder<unknown>, condition = sql<boolean>`true`) => sql`
  select distinct on (a.device_id) a.device_id, a.organisation_id, a.inventory_at, ${columns}
  from agents a where a.inventory_at is not null and ${condition} order by a.device_id, a.revoked_at is not null, a.inventory_at desc`;

/** Scans made stale by an inventory or import, and devices never scanned, after the id `after`. */
export async function listDue(tx: Tx, limit: number, after: DueScan | undefined): Promise<DueScan[]> {
  const { rows } = await sql<DueScan>`
    select organisation_id as "organisationId", device_id as "deviceId", source from (
      select a.organisation_id, a.device_id, 'agent' as source
      from (${agentOfDevice(sql`a.id`)}) a left join scans s on s.device_id = a.device_id and s.source = 'agent'
      where s.device_id is null or s.is_due or s.scanned_at < a.inventory_at
      union all
      select s.organisation_id, s.device_id, s.source from scans s where s.is_due and s.source <> 'agent'
    ) due
    where ${after ? sql<boolean>`(organisation_id, device_id, source) > (${after.organisationId}, ${after.deviceId}::uuid, ${after.source})` : sql<boolean>`true`}
    order by organisation_id, device_id, source limit ${limit}`.execute(tx);
  return rows;
}

const ofDevice = (scope: Scope, deviceId: string) =>
  sql<boolean>`a.device_id = ${deviceId} and ${within('a.organisation_id', scope)}`;

export interface FoundInventory {
  scannedAt: Date;
  packages: ScannedPackage[];
}

export async function findInventory(tx: Tx, scope: Scope, deviceId: string): Promise<FoundInventory | undefined> {
  const { rows } = await sql<{ id: number; inventory_at: Date }>`
    select id, inventory_at from (${agentOfDevice(sql`a.id`, ofDevice(scope, deviceId))}) a`.execute(tx);
  const agent = rows[0];
  if (!agent) return undefined;
  const packages = await tx
    .selectFrom('agent_packages')
    .select(['ecosystem', 'name', 'version', 'source'])
    .where(within('organisation_id', scope))
    .where('agent_id', '=', agent.id)
    .execute();
  return { scannedAt: agent.inventory_at, packages };
}

/** Device type and listening services as reported by its agent. */
export async function findExposure(
  tx: Tx,
  scope: Scope,
  deviceId: string,
): Promise<{ deviceType: string; listening: unknown } | undefined> {
  const { rows } = await sql<{ deviceType: string; listening: unknown }>`
    select d.device_type as "deviceType", (
      select a.listening from (${agentOfDevice(sql`a.inventory -> 'listening' as listening`, ofDevice(scope, deviceId))}) a) as listening
    from devices d where d.id = ${deviceId} and ${within('d.organisation_id', scope)}`.execute(tx);
  return rows[0];
}

/** Ranges of these packages from advisories that are not withdrawn. */
export async function listRanges(tx: Tx, packages: readonly { ecosystem: string; package: string }[]): Promise<KnownRange[]> {
  if (packages.length === 0) return [];
  const { rows } = await sql<KnownRange>`
    select r.ecosystem, r.package, r.introduced, r.fixed, r.last_affected as "lastAffected", r.versions, a.id as advisory, a.cve, a.aliases,
      a.title, a.severity
    from unnest(${textColumn(packages.map(({ ecosystem }) => ecosystem))}, ${textColumn(packages.map((each) => each.package))}) as w (ecosystem, package)
      join advisory_ranges r on r.ecosystem = w.ecosystem and r.package = w.package
      join advisories a on a.id = r.advisory_id
    where a.withdrawn_at is null order by a.id, r.id`.execute(tx);
  return rows;
}

export async function listFacts(tx: Tx, cves: readonly string[]): Promise<Map<string, CveFacts>> {
  if (cves.length === 0) return new Map();
  const { rows } = await sql<CveFacts & { cve: string }>`
    select w.cve, a.cvss, coalesce(a.severities, '{}') as severities, round(e.score::numeric, 5)::float8 as epss, k.cve is not null as "isKnownExploited",
      coalesce(e.origin = 'demo', false) or coalesce(k.origin = 'demo', false) as "isInvented"
    from unnest(${textColumn(cves)}) as w (cve)
      left join lateral (
        select max(a.cvss)::float8 as cvss, array_agg(distinct a.severity) filter (where a.severity <> '') as severities
        from advisories a where a.cve = w.cve and a.withdrawn_at is null
      ) a on true
      left join epss_scores e on e.cve = w.cve left join known_exploited k on k.cve = w.cve`.execute(tx);
  return new Map(rows.map(({ cve, ...facts }) => [cve, facts]));
}

/** Locks the scan until the transaction ends; only later changes make it due again. */
export async function holdScan(tx: Tx, { organisationId, deviceId, source }: DueScan, at: Date): Promise<{ content: unknown }> {
  const { rows } = await sql<{ content: unknown }>`
    insert into scans (organisation_id, device_id, source, scanned_at, packages)
    values (${organisationId}, ${deviceId}, ${source}, ${at}, 0)
    on conflict (device_id, source) do update set is_due = false
    returning content`.execute(tx);
  return rows[0]!;
}

export async function updateScan(
  tx: Tx,
  { organisationId, deviceId, source }: DueScan,
  { scannedAt, packages, languages, content }: { scannedAt: Date; packages: number; languages: number; content?: unknown },
): Promise<void> {
  await tx
    .updateTable('scans')
    .set({
      scanned_at: scannedAt,
      packages,
      languages,
      is_due: false,
      ...(content !== undefined && { content: JSON.stringify(content) }),
    })
    .where('organisation_id', '=', organisationId)
    .where('device_id', '=', deviceId)
    .where('source', '=', source)
    .execute();
}

export interface ScanFinding extends Reported {
  severity: Severity;
  priority: number;
  reasons: string[];
}
const keyOf = ({ cve, package: name, ecosystem }: Pick<ScanFinding, 'cve' | 'package' | 'ecosystem'>) =>
  `${cve}\0${name}\0${ecosystem}`;
const contentOf = (each: ScanFinding): string =>
  JSON.stringify([
    each.aliases,
    each.title,
    each.installedVersion,
    each.fixedVersion,
    each.severity,
    each.cvss,
    each.priority,
    each.reasons,
  ]);

const columns = sql`x (id integer, cve text, aliases text[], title text, ecosystem text, package text, "installedVersion" text, "fixedVersion" text,
  severity text, cvss numeric, priority smallint, reasons text[])`;

/**
 * Replaces the findings of a scan: new ones start today, missing ones are fixed now. A returning finding is a new one with a reason
 * for it; an acceptance still running continues.
 */
export async function saveFindings(
  tx: Tx,
  scope: Scope,
  { organisationId, deviceId, source }: DueScan,
  matched: readonly ScanFinding[],
  now: Date,
): Promise<{ added: number; fixed: number }> {
  const { rows: open } = await sql<ScanFinding & { id: number }>`
    select f.id, f.cve, f.aliases, f.title, f.ecosystem, f.package, f.installed_version as "installedVersion", f.fixed_version as "fixedVersion",
      f.severity, f.cvss::float8 as cvss, f.priority, f.reasons
    from findings f where ${within('f.organisation_id', scope)} and f.device_id = ${deviceId} and f.source = ${source} and f.fixed_at is null`.execute(
    tx,
  );
  const { rows: before } = await sql<{ cve: string; package: string; ecosystem: string; fixed_at: Date }>`
    select f.cve, f.package, f.ecosystem, max(f.fixed_at) as fixed_at from findings f
    where ${within('f.organisation_id', scope)} and f.device_id = ${deviceId} and f.source = ${source} and f.fixed_at is not null
    group by 1, 2, 3`.execute(tx);
  const fixedBefore = new Map(before.map((each) => [keyOf(each), each.fixed_at]));
  const known = new Map(open.map((each) => [keyOf(each), each]));
  const added: ScanFinding[] = [];
  const changed: (ScanFinding & { id: number })[] = [];
  for (const each of matched) {
    const was = fixedBefore.get(keyOf(each));
    const now = was
      ? { ...each, reasons: [...each.reasons, `Was fixed until ${was.toISOString().slice(0, 10)} and returned`] }
      : each;
    const row = known.get(keyOf(each));
    if (!row) added.push(now);
    else {
      known.delete(keyOf(each));
      if (contentOf(row) !== contentOf(now)) changed.push({ ...now, id: row.id });
    }
  }
  if (added.length > 0)
    await sql`
      insert into findings (organisation_id, device_id, source, cve, aliases, title, ecosystem, package, installed_version, fixed_version,
        severity, cvss, priority, reasons, first_seen_at, accepted_until, accepted_by, accepted_by_name, accept_reason)
      select ${organisationId}, ${deviceId}, ${source}, x.cve, x.aliases, x.title, x.ecosystem, x.package, x."installedVersion", x."fixedVersion",
        x.severity, x.cvss, x.priority, x.reasons, ${now}, o.accepted_until, o.accepted_by, coalesce(o.accepted_by_name, ''), coalesce(o.accept_reason, '')
      from jsonb_to_recordset(${JSON.stringify(added)}::jsonb) as ${columns}
        left join lateral (
          select * from (
            select f.accepted_until, f.accepted_by, f.accepted_by_name, f.accept_reason from findings f
            where f.organisation_id = ${organisationId} and f.device_id = ${deviceId} and f.source = ${source} and f.cve = x.cve
              and f.package = x.package and f.ecosystem = x.ecosystem and f.fixed_at is not null order by f.fixed_at desc limit 1
          ) last where last.accepted_until > ${now}
        ) o on ${fixedBefore.size > 0}
      order by x.cve, x.package`.execute(tx);
  if (changed.length > 0)
    await sql`
      update findings f set aliases = x.aliases, title = x.title, installed_version = x."installedVersion", fixed_version = x."fixedVersion",
        severity = x.severity, cvss = x.cvss, priority = x.priority, reasons = x.reasons
      from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as ${columns}
      where f.id = x.id and f.organisation_id = ${organisationId}`.execute(tx);
  const gone = [...known.values()].map(({ id }) => id);
  if (gone.length > 0)
    await sql`update findings set fixed_at = ${now} where id = any(${gone}::integer[]) and organisation_id = ${organisationId}`.execute(
      tx,
    );
  if (added.length > 0 || gone.length > 0) {
    // Matching a device is serialised, so each source sees the others’ findings.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`findings ${deviceId}`}, 0))`.execute(tx);
    // Source names sort in order of precedence: agent, cyclonedx, trivy.
    await sql`
      update findings f set is_repeated = not f.is_repeated
      where ${within('f.organisation_id', scope)} and f.device_id = ${deviceId} and f.fixed_at is null and f.is_repeated <> exists (
        select from findings o
        where ${within('o.organisation_id', scope)} and o.device_id = f.device_id and o.cve = f.cve and o.source < f.source and o.fixed_at is null)`.execute(
      tx,
    );
  }
  return { added: added.length, fixed: gone.length };
}
