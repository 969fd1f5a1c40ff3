/** SQL of alarms. Runs in the portal’s own scope: recipients may belong to the partner or the provider. */
import { administratorRoles, providerId } from '@parapet/contract/access.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';

/** True when an email about the same subject was sent within the hour. Locks the subject until the transaction ends. */
export async function wasMailed(tx: Tx, organisationId: number, action: string, target: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${action} ${target}`}, 0))`.execute(tx);
  const { rows } = await sql`select 1 from audit where organisation_id = ${organisationId} and at > now() - interval '1 hour'
    and action = ${action} and target = ${target} and after @> '{"isMailed": true}' limit 1`.execute(tx);
  return rows.length > 0;
}

/** Administrators of the organisation except `exceptUserId`; without any, those of its partner, then of the provider. */
export async function findRecipients(tx: Tx, organisationId: number, exceptUserId: number | null): Promise<string[]> {
  const { rows } = await sql<{ email: string; rank: number }>`
    select u.email, case when u.organisation_id = o.id then 0 when u.organisation_id = o.parent_id then 1 else 2 end as rank
    from organisations o join users u on u.organisation_id in (o.id, o.parent_id, ${providerId})
    where o.id = ${organisationId} and u.role = any(${administratorRoles}::text[]) and not u.is_deleted and u.id is distinct from ${exceptUserId}::integer
    order by rank, u.id limit 60`.execute(tx);
  return rows
    .filter(({ rank }) => rank === rows[0]?.rank)
    .slice(0, 20)
    .map(({ email }) => email);
}
