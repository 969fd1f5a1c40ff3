/** SQL of one-time links. Runs with the portal's own scope: who holds a link has not signed in. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';

export type LinkKind = 'reset' | 'invitation';
export const lifetimeMinutes: Record<LinkKind, number> = { reset: 30, invitation: 7 * 24 * 60 };

/** Makes a link and answers its token, which is stored nowhere. Of one kind only the newest of a user counts. */
export async function insertLink(tx: Tx, link: { userId: number; organisationId: number; kind: LinkKind }): Promise<string> {
  // Of two at the same time the second waits here, and ends the first one's.
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

/** Ends all live links of a user. */
export async function endLinks(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('one_time_links')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute();
}

/** Whose live link this is. */
export const findLink = (tx: Tx, token: string) =>
  tx
    .selectFrom('one_time_links')
    .select(['user_id as userId', 'kind', 'expires_at as expiresAt'])
    .where('token_hash', '=', hashOfToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();

/** Uses a live link up, with all others of its user; false when it is none (any more). */
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
