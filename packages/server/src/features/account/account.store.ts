/** SQL of one's own sign-ins and API keys: within the scope of the own organisation, and of one user. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

const maxSessions = 500;
const maxKeys = 200;

export async function listSessions(tx: Tx, scope: Scope, userId: number, idleMinutes: number) {
  const live = liveSessions(tx, scope, userId, idleMinutes);
  const results = await live
    .select([
      'id',
      'signed_in_at as signedInAt',
      'last_seen_at as lastSeenAt',
      'address',
      'user_agent as userAgent',
      'method',
      sql<number>`(count(*) over ())::integer`.as('total'),
    ])
    .orderBy('signed_in_at', 'desc')
    .orderBy('id')
    .limit(maxSessions)
    .execute();
  return { results, total: results[0]?.total ?? 0 };
}

/** The same that a request is let in with (live_sessions). */
const liveSessions = (tx: Tx, scope: Scope, userId: number, idleMinutes: number) =>
  tx
    .selectFrom('sessions')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('last_seen_at', '>', sql<Date>`now() - make_interval(mins => ${idleMinutes})`);

/** Ends these of the live ones; answers how many it ended. */
export async function endSessions(
  tx: Tx,
  scope: Scope,
  userId: number,
  idleMinutes: number,
  which: { only: string } | { except: string },
): Promise<number> {
  const ids = liveSessions(tx, scope, userId, idleMinutes).select('id');
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set({ revoked_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('revoked_at', 'is', null)
    .where('id', 'in', 'only' in which ? ids.where('id', '=', which.only) : ids.where('id', '!=', which.except))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

const keyColumns = [
  'id',
  'name',
  'prefix',
  'access',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'last_used_at as lastUsedAt',
  'revoked_at as revokedAt',
] as const;

const isLive = sql<boolean>`revoked_at is null and expires_at > now()`;

const keysOf = (tx: Tx, scope: Scope, userId: number) =>
  tx.selectFrom('api_keys').where(within('organisation_id', scope)).where('user_id', '=', userId);

/** Those that work first, the newest before the others. */
export async function listKeys(tx: Tx, scope: Scope, userId: number) {
  const results = await keysOf(tx, scope, userId)
    .select(keyColumns)
    .select(sql<number>`(count(*) over ())::integer`.as('total'))
    .orderBy(isLive, 'desc')
    .orderBy('id', 'desc')
    .limit(maxKeys)
    .execute();
  return { results, total: results[0]?.total ?? 0 };
}

export async function countLiveKeys(tx: Tx, scope: Scope, userId: number): Promise<number> {
  const { count } = await keysOf(tx, scope, userId)
    .where(isLive)
    .select(sql<number>`count(*)::integer`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export const insertKey = (
  tx: Tx,
  key: {
    organisationId: number;
    userId: number;
    name: string;
    prefix: string;
    hash: Buffer;
    access: 'read' | 'readWrite';
    days: number;
  },
) =>
  tx
    .insertInto('api_keys')
    .values({
      organisation_id: key.organisationId,
      user_id: key.userId,
      name: key.name,
      prefix: key.prefix,
      hash: key.hash,
      access: key.access,
      expires_at: sql<Date>`now() + make_interval(days => ${key.days})`,
    })
    .returning(keyColumns)
    .executeTakeFirstOrThrow();
export type KeyRow = Awaited<ReturnType<typeof insertKey>>;

/** The name of a key that worked until now; undefined where there is none. */
export async function revokeKey(tx: Tx, scope: Scope, userId: number, id: number): Promise<string | undefined> {
  const row = await tx
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}
