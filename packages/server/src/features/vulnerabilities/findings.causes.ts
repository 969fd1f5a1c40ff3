/** Vulnerabilities that a scan found or that are fixed since, as causes of deliveries. */
import { maxVulnerabilities } from '@parapet/contract/deliveryEvents.ts';
import { criticalityOf, type Severity } from '@parapet/contract/primitives.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { type Cause, queueDeliveries } from '../../domain/causes.ts';
import { isExploited, isShown } from '../../domain/findings.ts';
import type { DueScan } from './findings.store.ts';

/** Messages of one scan at most; what is left is counted only. */
const maxMessages = 20;

interface Changed {
  id: number;
  isFixed: boolean;
  device: string;
  cve: string;
  title: string;
  severity: Severity;
  cvss: number | null;
  package: string;
  installedVersion: string;
  fixedVersion: string | null;
  isExploited: boolean;
  count: number;
}

/** Queues what the scan changed at `now`, in its transaction. Findings that another scan reports too count once. */
export async function findingsChanged(
  tx: Tx,
  scope: Scope,
  { organisationId, deviceId, source }: DueScan,
  now: Date,
): Promise<void> {
  const { rows } = await sql<Changed>`
    select * from (select f.id, f.fixed_at is not null as "isFixed", d.name as device, f.cve, left(f.title, 300) as title, f.severity,
        f.cvss::float8 as cvss, f.package, f.installed_version as "installedVersion", f.fixed_version as "fixedVersion",
        ${isExploited()} as "isExploited", (count(*) over part)::integer as count,
        row_number() over (part order by array_position(${[...severities]}::text[], f.severity), f.cvss desc nulls last, f.id) as place
      from findings f join devices d on d.id = f.device_id and d.organisation_id = f.organisation_id
      where ${within('f.organisation_id', scope)} and f.device_id = ${deviceId} and f.source = ${source} and ${isShown()}
        and (f.fixed_at = ${now} or f.fixed_at is null and f.first_seen_at = ${now})
      window part as (partition by f.fixed_at is not null)) changed
    where place <= ${maxMessages * maxVulnerabilities} order by "isFixed", place`.execute(tx);
  const causes: Cause[] = [];
  for (const [isFixed, list] of Map.groupBy(rows, (row) => row.isFixed))
    for (let from = 0; from < list.length; from += maxVulnerabilities) {
      const part = list.slice(from, from + maxVulnerabilities);
      const { id, device, count } = part[0]!;
      const vulnerabilities = part.map(({ isFixed: _isFixed, device: _device, count: _count, ...each }) => each);
      const event = isFixed ? 'vulnerability.fixed' : 'vulnerability.found';
      const facts = { device, deviceId, source, count, vulnerabilities };
      // The worst comes first.
      const criticality = criticalityOf[part[0]!.severity];
      causes.push({ organisationId, event, objectId: id, occasion: now.toISOString(), at: now, criticality, facts });
    }
  await queueDeliveries(tx, causes);
}
