/** SQL of signing in. Runs with the portal's own scope: before a sign-in nobody's organisation is known. */
import { hasClientSelector } from '@parapet/contract/access.ts';
import type { UserData } from '@parapet/contract/auth.ts';
import { sql } from 'kysely';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
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
  data: UserData;
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
      sql<number>`case when organisations.is_partner then organisations.id else coalesce(partner.id, organisations.id) end`.as(
        'partnerId',
      ),
      sql<string>`case when organisations.is_partner then organisations.name else coalesce(partner.name, organisations.name) end`.as(
        'partnerName',
      ),
    ]);

export const findAccountByEmail = (tx: Tx, email: string): Promise<Account | undefined> =>
  accounts(tx).where(sql<boolean>`lower(users.email) = lower(${email})`).executeTakeFirst();

export const findAccount = (tx: Tx, userId: number): Promise<Account | undefined> =>
  accounts(tx).where('users.id', '=', userId).executeTakeFirst();

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
  await tx
    .updateTable('sessions')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Whoever these sessions belong to, with the organisations that they may see; sessions that ended, idled out or whose user is gone are left out. */
export async function findActors(
  db: Database,
  sessionIds: readonly string[],
  idleMinutes: number,
): Promise<Map<string, Omit<Actor, 'address'>>> {
  const { rows } =
    await sql<SessionRow>`select * from live_sessions(${[...sessionIds]}::uuid[], make_interval(mins => ${idleMinutes}))`.execute(
      db.kysely,
    );
  const stale = rows.filter((row) => row.is_stale).map((row) => row.session_id);
  if (stale.length > 0) {
    await scoped(db, 'system', (tx) =>
      tx.updateTable('sessions').set({ last_seen_at: sql<Date>`now()` }).where('id', 'in', stale).execute(),
    );
  }
  return new Map(
    rows.map((row) => {
      const who = { role: row.role, isPartner: row.is_partner, organisationId: row.organisation_id };
      return [
        row.session_id,
        {
          ...who,
          userId: row.user_id,
          sessionId: row.session_id,
          email: row.email,
          signedInAt: row.signed_in_at.getTime(),
          displayName: `${row.first_name} ${row.last_name}`.trim(),
          organisationIds: hasClientSelector(who) ? row.seen : [row.organisation_id],
        },
      ];
    }),
  );
}

interface SessionRow {
  session_id: string;
  user_id: number;
  email: string;
  first_name: string;
  last_name: string;
  role: string;
  organisation_id: number;
  is_partner: boolean;
  is_stale: boolean;
  signed_in_at: Date;
  seen: number[];
}
