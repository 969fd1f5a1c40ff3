/** SQL of signing in. Runs with the portal's own scope: before a sign-in nobody's organisation is known. */
import { hasClientSelector, providerId } from '@parapet/contract/access.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';

export interface Account {
  id: number;
  organisationId: number;
  email: string;
  firstName: string;
  lastName: string;
  role: string;
  passwordHash: string | null;
  needsSecondFactor: boolean;
  data: { settings: Record<string, unknown>; shortcuts: string[] };
  isPartner: boolean;
  partnerId: number;
  partnerName: string;
}

const accounts = (tx: Tx) =>
  tx
    .selectFrom('users')
    .innerJoin('organisations', 'organisations.id', 'users.organisation_id')
    .leftJoin('organisations as partner', 'partner.id', 'organisations.parent_id')
    .where('users.is_deleted', '=', false)
    .where('organisations.deactivated_at', 'is', null)
    .select([
      'users.id',
      'users.organisation_id as organisationId',
      'users.email',
      'users.first_name as firstName',
      'users.last_name as lastName',
      'users.role',
      'users.password_hash as passwordHash',
      'users.data',
      'organisations.is_partner as isPartner',
      sql<boolean>`users.is_mfa_required or users.is_mfa_set`.as('needsSecondFactor'),
      // A partner is its own partner; a client's is its parent.
      sql<number>`case when organisations.is_partner then organisations.id else coalesce(partner.id, organisations.id) end`.as('partnerId'),
      sql<string>`case when organisations.is_partner then organisations.name else coalesce(partner.name, organisations.name) end`.as('partnerName'),
    ]);

export const findAccountByEmail = (tx: Tx, email: string): Promise<Account | undefined> =>
  accounts(tx).where(sql<boolean>`lower(users.email) = lower(${email})`).executeTakeFirst();

export const findAccount = (tx: Tx, userId: number): Promise<Account | undefined> => accounts(tx).where('users.id', '=', userId).executeTakeFirst();

export async function insertSession(
  tx: Tx,
  session: { id: string; userId: number; organisationId: number; address: string; userAgent: string; hours: number },
): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      id: session.id,
      organisation_id: session.organisationId,
      user_id: session.userId,
      expires_at: sql<Date>`now() + make_interval(hours => ${session.hours})`,
      address: session.address,
      user_agent: session.userAgent.slice(0, 300),
    })
    .execute();
  await tx.updateTable('users').set({ last_sign_in_at: sql<Date>`now()` }).where('id', '=', session.userId).execute();
}

export async function revokeSession(tx: Tx, sessionId: string): Promise<void> {
  await tx.updateTable('sessions').set({ revoked_at: sql<Date>`now()` }).where('id', '=', sessionId).where('revoked_at', 'is', null).execute();
}

/** Whoever a live session belongs to, with the organisations that it may see; undefined when it ended, idled out or its user is gone. */
export async function findActor(tx: Tx, sessionId: string, userId: number, idleMinutes: number): Promise<Omit<Actor, 'address'> | undefined> {
  const row = await tx
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('organisations', 'organisations.id', 'users.organisation_id')
    .where('sessions.id', '=', sessionId)
    .where('sessions.user_id', '=', userId)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', sql<Date>`now()`)
    .where('sessions.last_seen_at', '>', sql<Date>`now() - make_interval(mins => ${idleMinutes})`)
    .where('users.is_deleted', '=', false)
    .where('organisations.deactivated_at', 'is', null)
    .select([
      'users.id as userId',
      'users.email',
      'users.first_name',
      'users.last_name',
      'users.role',
      'users.organisation_id as organisationId',
      'organisations.is_partner as isPartner',
      sql<boolean>`sessions.last_seen_at < now() - interval '1 minute'`.as('isStale'),
    ])
    .executeTakeFirst();
  if (!row) return undefined;
  if (row.isStale) await tx.updateTable('sessions').set({ last_seen_at: sql<Date>`now()` }).where('id', '=', sessionId).execute();

  const who = { role: row.role, isPartner: row.isPartner, organisationId: row.organisationId };
  let organisationIds = [row.organisationId];
  if (hasClientSelector(who)) {
    const seen = await tx
      .selectFrom('organisations')
      .select('id')
      .where('deactivated_at', 'is', null)
      .$if(row.organisationId !== providerId, (query) =>
        query.where((eb) => eb.or([eb('id', '=', row.organisationId), eb('parent_id', '=', row.organisationId)])),
      )
      .orderBy('id')
      .execute();
    organisationIds = seen.map((organisation) => organisation.id);
  }
  return { ...who, userId: row.userId, sessionId, email: row.email, displayName: `${row.first_name} ${row.last_name}`.trim(), organisationIds };
}
