/**
 * Seals of the access log: the digests of closed entries stand in the client’s audit log, whose chain covers them. An entry that is changed or removed
 * afterwards no longer agrees (docs/decisions/0094-access-log.md).
 */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../core/db/scope.ts';
import type { Added } from './audit.changes.ts';
import { recordAudit, systemAuditor } from './audit.ts';

declare module './audit.ts' {
  interface AuditActions {
    'looks.sealed': Added<{ entries: readonly LookSeal[] }>;
  }
}

export interface LookSeal {
  /** Of the entry. */
  id: number;
  /** Newest look, ISO 8601. */
  lastAt: string;
  sha256: string;
}

/** Late counts are written within five minutes after the end of an entry. */
const quietMs = 15 * 60_000;
const maxEntries = 2_000;
const maxPerSeal = 100;
/** A day less than entries are stored. */
const comparedDays = 399;

/** SHA-256 of an entry and its salt, in hex, over everything that a reader sees; times in microseconds, so that no setting of the session counts. */
export const lookDigest = (l: RawBuilder<unknown>): RawBuilder<string> => sql<string>`
  encode(sha256(convert_to(jsonb_build_array(${l}.id, ${l}.organisation_id, ${l}.person_name, ${l}.person_organisation_name, ${l}.view,
    (extract(epoch from ${l}.first_at) * 1000000)::bigint, (extract(epoch from ${l}.last_at) * 1000000)::bigint, ${l}.looks, ${l}.kinds,
    ${l}.channels, ${l}.is_opened, ${l}.reason, ${l}.reason_text, ${l}.seal_salt)::text, 'UTF8')), 'hex')`;

/** Seals closed entries, at most 2,000; returns their number. In the portal’s own scope. */
export async function sealLooks(tx: Tx, now: Date): Promise<number> {
  const { rows } = await sql<LookSeal & { organisationId: number }>`
    with closed as (
      select id from access_looks where sealed_at is null and until < ${new Date(now.getTime() - quietMs)}
      order by until, id limit ${maxEntries} for update skip locked
    )
    update access_looks l set sealed_at = ${now}, seal_salt = gen_random_uuid() from closed c where l.id = c.id
    returning l.id, l.organisation_id as "organisationId",
      to_char(l.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "lastAt", ${lookDigest(sql`l`)} as sha256`.execute(
    tx,
  );
  const byOrganisation = Map.groupBy(rows, ({ organisationId }) => organisationId);
  for (const [organisationId, looks] of byOrganisation)
    for (let from = 0; from < looks.length; from += maxPerSeal)
      await recordAudit(tx, systemAuditor(organisationId), {
        action: 'looks.sealed',
        organisationId,
        after: { entries: looks.slice(from, from + maxPerSeal).map(({ id, lastAt, sha256 }) => ({ id, lastAt, sha256 })) },
      });
  return rows.length;
}

/** First sealed entry that was changed or removed since; undefined if all agree. */
export async function findBrokenSeal(
  tx: Tx,
  organisationId: number,
  now: number,
): Promise<{ id: number; kind: 'edited' | 'removed' } | undefined> {
  const since = new Date(now - comparedDays * 86_400_000);
  const { rows } = await sql<{ id: number; kind: 'edited' | 'removed' }>`
    select s.id, case when l.id is null then 'removed' else 'edited' end as kind
    from audit a cross join lateral jsonb_to_recordset(a.after -> 'entries') as s (id bigint, "lastAt" timestamptz, sha256 text)
    left join access_looks l on l.id = s.id and l.organisation_id = a.organisation_id
    where a.organisation_id = ${organisationId} and a.action = 'looks.sealed' and s."lastAt" > ${since}
      and (l.id is null or ${lookDigest(sql`l`)} <> s.sha256)
    order by s.id limit 1`.execute(tx);
  return rows[0];
}
