/** SQL of the access that people gave to assistants. */
import type { AssistantScope } from '@parapet/contract/assistants.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { maxClients } from './assistants.adapter.ts';

const columns = ['id', 'client', 'redirect_host', 'scopes', 'created_at', 'last_used_at', 'revoked_at'] as const;
const maxListed = 200;

const ofUser = (tx: Tx, scope: Scope, userId: number) =>
  tx.selectFrom('assistant_grants').where(within('organisation_id', scope)).where('user_id', '=', userId);

/** Live ones first, then newest first. */
export const listGrants = (tx: Tx, scope: Scope, userId: number) =>
  ofUser(tx, scope, userId).select(columns).orderBy(sql`revoked_at is not null`).orderBy('id', 'desc').limit(maxListed).execute();

export const insertGrant = (
  tx: Tx,
  grant: {
    organisation_id: number;
    user_id: number;
    grant_id: string;
    client: string;
    redirect_host: string;
    scopes: AssistantScope[];
  },
) => tx.insertInto('assistant_grants').values(grant).returning('id').executeTakeFirstOrThrow();

/** Revokes a live grant; undefined without one. */
export const revokeGrant = (tx: Tx, scope: Scope, userId: number, id: number) =>
  tx
    .updateTable('assistant_grants')
    .set({ revoked_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(['client', 'grant_id'])
    .executeTakeFirst();

/** A live grant of a token, and its use noted to the minute. Needs the portal's own scope. */
export async function useGrant(tx: Tx, grantId: string) {
  const grant = await tx
    .selectFrom('assistant_grants')
    .select(['id', 'user_id', 'organisation_id', 'scopes'])
    .select(sql<boolean>`last_used_at is null or last_used_at < now() - interval '1 minute'`.as('isStale'))
    .where('grant_id', '=', grantId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (grant?.isStale)
    await tx.updateTable('assistant_grants').set({ last_used_at: sql<Date>`now()` }).where('id', '=', grant.id).execute();
  return grant;
}

export const removeTokens = (tx: Tx, grantId: string) => tx.deleteFrom('oauth_records').where('grant_id', '=', grantId).execute();

export async function isFull(tx: Tx): Promise<boolean> {
  const { count } = await tx
    .selectFrom('oauth_records')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('model', '=', 'Client')
    .executeTakeFirstOrThrow();
  return count >= maxClients;
}

/** Removes expired records, those of revoked access, and clients older than an hour without a live token. */
export async function removeEnded(tx: Tx): Promise<void> {
  await sql`delete from oauth_records where expires_at < now() - interval '1 hour'`.execute(tx);
  await sql`delete from oauth_records r using assistant_grants g where g.grant_id = r.grant_id and g.revoked_at is not null`.execute(
    tx,
  );
  await sql`delete from oauth_records c where c.model = 'Client' and c.created_at < now() - interval '1 hour'
    and not exists (select from oauth_records r where r.model in ('RefreshToken', 'AccessToken', 'AuthorizationCode')
      and r.payload ->> 'clientId' = c.payload ->> 'client_id')`.execute(tx);
}
