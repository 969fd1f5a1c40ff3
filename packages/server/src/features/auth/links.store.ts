/** SQL of one-time links. Runs in the portal’s own scope: the holder has not signed in. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';

export type LinkKind = 'reset' | 'invitation';
export const lifetimeMinutes: Record<LinkKind, number> = { reset: 30, invitation: 7 * 24 * 60 };

/** Creates a link and returns its token; only the hash is stored. Revokes the user’s earlier links of the same kind. */
export async function insertLink(tx: Tx, link: { userId: number; organisationId: number; kind: LinkKind }): Promise<string> {
  // Serialises concurrent requests: the second revokes the first one’s link.
  await tx.selectFrom('users').select('id').where('id', '=', link.userId).forUpdate().execute();
  await tx
    .updateTable('one_time_links')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', link.userId)
    .where('kind', '=', link.kind)
    .where('used_at', 'is', null)
    .execute();
  const token = newToken();
  await tx
    .insertInto('one_time_links')
    .values({
      token_hash: hashOfToken(token),
      organisation_id: link.organisationId,
      user_id: link.userId,
      kind: link.kind,
      expires_at: sql<Date>`now() + make_interval(mins => ${lifetimeMinutes[link.kind]}::integer)`,
    })
    .execute();
  return token;
}

/** Revokes all live links of a user. */
export async function endLinks(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('one_time_links')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute();
}

/** Owner, kind and expiry of a live link. */
export const findLink = (tx: Tx, token: string) =>
  tx
    .selectFrom('one_time_links')
    .select(['user_id as userId', 'kind', 'expires_at as expiresAt'])
    .where('token_hash', '=', hashOfToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();

/** Consumes a live link and revokes the user’s others; false for a link that is unknown, used or expired. */
export async function consumeLink(tx: Tx, token: string): Promise<boolean> {
  const used = await tx
    .updateTable('one_time_links')
    .set({ used_at: sql<Date>`now()` })
    .where('token_hash', '=', hashOfToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('user_id')
    .executeTakeFirst();
  if (!used) return false;
  await endLinks(tx, used.user_id);
  return true;
}
