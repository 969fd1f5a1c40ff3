/**
 * Seals of the access log: the digests of closed entries stand in the client’s audit log, whose chain covers them. An entry that is changed or removed
 * afterwards no longer agrees (docs/decisions/0094-access-log.md).
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../core/db/scope.ts';
import type { Added } from './audit.changes.ts';
import { recordAudit, systemAuditor } from './audit.ts';

declare module './audit.ts' {
  interface AuditActions {
    'looks.sealed': Added<{ entries: readonly AccessSeal[] }>;
  }
}

export interface AccessSeal {
  /** Of the entry. */
  id: number;
  /** Newest access, ISO 8601. */
  lastAt: string;
  sha256: string;
}

/** Late counts are written within five minutes after the end of an entry. */
const quietMs = 15 * 60_000;
const maxEntries = 2_000;
const maxPerSeal = 100;
/** A day less than entries are stored. */
const comparedDays = 399;
/** Of `lastAt`: such texts sort by time. */
const timePattern = String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`;

/**
 * SHA-256 of an entry and its salt, in hex, over everything that a reader sees, and the person, whose organisation decides on the name that is shown;
 * times in microseconds, so that no setting of the session counts. Accounts of staff are never deleted, only marked so: the person stays.
 */
export const accessDigest = (l: RawBuilder<unknown>): RawBuilder<string> => sql<string>`
  encode(sha256(convert_to(jsonb_build_array(${l}.id, ${l}.organisation_id, ${l}.user_id, ${l}.person_name, ${l}.person_organisation_name, ${l}.view,
    (extract(epoch from ${l}.first_at) * 1000000)::text, (extract(epoch from ${l}.last_at) * 1000000)::text, ${l}.looks, ${l}.kinds,
    ${l}.channels, ${l}.is_opened, ${l}.reason, ${l}.reason_text, ${l}.seal_salt)::text, 'UTF8')), 'hex')`;

/** Seals closed entries, at most 2,000, but none of clients that are being erased; returns their number. In the portal’s own scope. */
export async function sealAccesses(tx: Tx, now: Date): Promise<number> {
  const { rows } = await sql<AccessSeal & { organisationId: number }>`
    with closed as (
      select id from access_looks c where sealed_at is null and until < ${new Date(now.getTime() - quietMs)}
        and not exists (select from organisations o where o.id = c.organisation_id and o.erased_at is not null)
      order by until, id limit ${maxEntries} for update skip locked
    )
    update access_looks l set sealed_at = ${now}, seal_salt = gen_random_uuid() from closed c where l.id = c.id
    returning l.id, l.organisation_id as "organisationId",
      to_char(l.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "lastAt", ${accessDigest(sql`l`)} as sha256`.execute(
    tx,
  );
  const byOrganisation = Map.groupBy(rows, ({ organisationId }) => organisationId);
  for (const [organisationId, accesses] of byOrganisation)
    for (let from = 0; from < accesses.length; from += maxPerSeal)
      await recordAudit(tx, systemAuditor(organisationId), {
        action: 'looks.sealed',
        organisationId,
        after: { entries: accesses.slice(from, from + maxPerSeal).map(({ id, lastAt, sha256 }) => ({ id, lastAt, sha256 })) },
      });
  return rows.length;
}

export interface BrokenSeal {
  /** Of the entry; of the seal in the audit log where it is malformed. */
  id: number;
  kind: 'edited' | 'removed' | 'malformed';
}

/**
 * First sealed entry that was changed or removed since, or malformed seal; undefined if all agree. Text of seals is compared without casts that could
 * fail. The erasure of a client removes its entries.
 */
export async function findBrokenSeal(tx: Tx, organisationId: number, now: number): Promise<BrokenSeal | undefined> {
  const since = new Date(now - comparedDays * dayMs).toISOString();
  const { rows } = await sql<BrokenSeal>`
    with seals as (
      select a.id as audit_id, e.seal ->> 'lastAt' as last_at, e.seal ->> 'sha256' as sha256,
        case when e.seal ->> 'id' ~ '^[1-9][0-9]{0,17}$' then (e.seal ->> 'id')::bigint end as id
      from audit a cross join lateral jsonb_array_elements(
        case jsonb_typeof(a.after -> 'entries') when 'array' then a.after -> 'entries' else '[null]' end) as e (seal)
      where a.organisation_id = ${organisationId} and a.action = 'looks.sealed' and a.after is not null
    ), judged as (
      select s.audit_id, s.id, case
        when s.id is null or s.sha256 is null or s.last_at is null or s.last_at !~ ${timePattern} then 'malformed'
        when s.last_at collate "C" <= ${since} then null
        when l.id is null then case when exists (select from erasures where organisation_id = ${organisationId}) then null else 'removed' end
        when ${accessDigest(sql`l`)} <> s.sha256 then 'edited' end as kind
      from seals s left join access_looks l on l.id = s.id and l.organisation_id = ${organisationId}
    )
    select case kind when 'malformed' then audit_id else id end as id, kind from judged where kind is not null
    order by audit_id, id limit 1`.execute(tx);
  return rows[0];
}
