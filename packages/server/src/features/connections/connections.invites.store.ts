/** SQL of invitations to connect. Those by token run in the portal's own scope: the holder has not signed in. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';

const listedDays = 90;
/** Tries with values for one link. */
const maxAttempts = 20;

export const listInvites = (tx: Tx, scope: Scope, id?: number) =>
  tx
    .selectFrom('connection_invites')
    .select([
      'id',
      'organisation_id as organisationId',
      'kind',
      'name',
      'email',
      'tenant',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'used_at as usedAt',
      'revoked_at as revokedAt',
      shownName(scope, 'created_by', 'created_by_name').as('createdBy'),
    ])
    .where(within('organisation_id', scope))
    .where('created_at', '>', sql<Date>`now() - make_interval(days => ${listedDays}::integer)`)
    .$if(id !== undefined, (query) => query.where('id', '=', id as number))
    .orderBy('id', 'desc')
    .limit(10_000)
    .execute();
export type InviteRow = Awaited<ReturnType<typeof listInvites>>[number];

export async function insertInvite(
  tx: Tx,
  invite: {
    organisationId: number;
    tokenHash: Buffer;
    kind: string;
    name: string;
    email: string;
    tenant: string | null;
    userId: number;
    userName: string;
    expiresAt: Date;
  },
): Promise<number> {
  const { id } = await tx
    .insertInto('connection_invites')
    .values({
      organisation_id: invite.organisationId,
      token_hash: invite.tokenHash,
      kind: invite.kind,
      name: invite.name,
      email: invite.email,
      tenant: invite.tenant,
      created_by: invite.userId,
      created_by_name: invite.userName,
      expires_at: invite.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns false for an invitation that is not open. */
export async function revokeInvite(tx: Tx, scope: Scope, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('connection_invites')
    .set({ revoked_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const live = (tx: Tx, now: Date) =>
  tx
    .selectFrom('connection_invites as i')
    .innerJoin('organisations as o', 'o.id', 'i.organisation_id')
    .leftJoin('organisations as p', 'p.id', 'o.parent_id')
    .leftJoin('users as u', 'u.id', 'i.created_by')
    .leftJoin('organisations as from', 'from.id', 'u.organisation_id')
    .select([
      'i.id',
      'i.organisation_id as organisationId',
      'i.kind',
      'i.name',
      'i.email',
      'i.tenant',
      'i.expires_at as expiresAt',
      'o.name as client',
      'from.name as invitedBy',
    ])
    .where('i.used_at', 'is', null)
    .where('i.revoked_at', 'is', null)
    .where('i.expires_at', '>', now)
    .where('o.deactivated_at', 'is', null)
    .where('p.deactivated_at', 'is', null);

const open = (tx: Tx, tokenHash: Buffer, now: Date) =>
  live(tx, now).where('i.token_hash', '=', tokenHash).where('i.attempts', '<', maxAttempts);

/** A live invitation, with the name of its client. */
export const findInvite = (tx: Tx, tokenHash: Buffer, now: Date) => open(tx, tokenHash, now).executeTakeFirst();

/** A live invitation by its id, for a consent under way. */
export const findInviteById = (tx: Tx, id: number, now: Date) => live(tx, now).where('i.id', '=', id).executeTakeFirst();

/** Counts a try; undefined for a link that is unknown, used, revoked, expired or tried too often. */
export async function takeAttempt(tx: Tx, tokenHash: Buffer, now: Date) {
  const invite = await open(tx, tokenHash, now).forUpdate('i').executeTakeFirst();
  if (invite)
    await tx.updateTable('connection_invites').set({ attempts: sql<number>`attempts + 1` }).where('id', '=', invite.id).execute();
  return invite;
}

/** Uses an invitation up; false when another call was first, or it was revoked. */
export async function useInvite(tx: Tx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('connection_invites')
    .set({ used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
