/** SQL of a user’s own sessions and API keys, within the organisation’s scope. */
import type { KeyScope } from '@parapet/contract/access.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

const maxSessions = 500;
const maxKeys = 200;
const maxMinted = 500;

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

/** Condition of a live session, equal to that of request authentication (live_sessions). */
const liveSessions = (tx: Tx, scope: Scope, userId: number, idleMinutes: number) =>
  tx
    .selectFrom('sessions')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('last_seen_at', '>', sql<Date>`now() - make_interval(mins => ${idleMinutes})`);

/** Revokes the selected live sessions; returns their number. */
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
  'scopes',
  'address_ranges as addressRanges',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'last_used_at as lastUsedAt',
  'revoked_at as revokedAt',
] as const;

/** Kinds of credentials that API keys create, by contract name, with their tables. */
const minting = [
  { kind: 'ingestKey', table: 'ingest_keys' },
  { kind: 'enrolmentToken', table: 'enrolment_tokens' },
] as const;

/** Number of live credentials created with an API key. */
const working = () =>
  sql`(select created_by_api_key_id from ingest_keys where revoked_at is null
    union all select created_by_api_key_id from enrolment_tokens where revoked_at is null and expires_at > now())`;

const isLive = sql<boolean>`revoked_at is null and expires_at > now()`;

const keysOf = (tx: Tx, scope: Scope, userId: number) =>
  tx.selectFrom('api_keys').where(within('organisation_id', scope)).where('user_id', '=', userId);

/** API keys, live ones first, then newest first. */
export async function listKeys(tx: Tx, scope: Scope, userId: number) {
  const results = await keysOf(tx, scope, userId)
    .select(keyColumns)
    .select([
      sql<number>`(select count(*) from ${working()} m where m.created_by_api_key_id = api_keys.id)::integer`.as('minted'),
      sql<number>`(count(*) over ())::integer`.as('total'),
    ])
    .orderBy(isLive, 'desc')
    .orderBy('id', 'desc')
    .limit(maxKeys)
    .execute();
  return { results, total: results[0]?.total ?? 0 };
}

export const hasKey = async (tx: Tx, scope: Scope, userId: number, id: number): Promise<boolean> =>
  (await keysOf(tx, scope, userId).where('id', '=', id).select('id').executeTakeFirst()) !== undefined;

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
    scopes: readonly KeyScope[];
    addressRanges: readonly string[];
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
      scopes: [...key.scopes],
      address_ranges: [...key.addressRanges],
      expires_at: sql<Date>`now() + make_interval(days => ${key.days})`,
    })
    .returning(keyColumns)
    .returning(sql<number>`0`.as('minted'))
    .executeTakeFirstOrThrow();
export type KeyRow = Awaited<ReturnType<typeof insertKey>>;

/** Revokes a live key and returns its name; undefined without one. */
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

/** Ingest keys and enrolment tokens that were created with an API key, newest first. */
export async function listMinted(tx: Tx, scope: Scope, apiKeyId: number) {
  const rows = await Promise.all(
    minting.map(({ kind, table }) =>
      tx
        .selectFrom(table)
        .innerJoin('organisations', 'organisations.id', `${table}.organisation_id`)
        .where(within(`${table}.organisation_id`, scope))
        .where(`${table}.created_by_api_key_id`, '=', apiKeyId)
        .select([
          sql.lit(kind).as('kind'),
          `${table}.id`,
          `${table}.organisation_id as clientOrganizationID`,
          'organisations.name as clientOrganizationName',
          `${table}.name`,
          `${table}.prefix`,
          `${table}.created_at as createdAt`,
          `${table}.revoked_at as revokedAt`,
        ])
        .orderBy('id', 'desc')
        .limit(maxMinted)
        .execute(),
    ),
  );
  return rows.flat().sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

/** Revokes live credentials created with an API key; returns the revoked rows. */
export async function revokeMinted(tx: Tx, scope: Scope, apiKeyId: number) {
  const revoked: { kind: (typeof minting)[number]['kind']; id: number; organisationId: number }[] = [];
  for (const { kind, table } of minting) {
    const rows = await tx
      .updateTable(table)
      .set({ revoked_at: sql<Date>`now()` })
      .where(within('organisation_id', scope))
      .where('created_by_api_key_id', '=', apiKeyId)
      .where('revoked_at', 'is', null)
      .returning(['id', 'organisation_id as organisationId'])
      .execute();
    revoked.push(...rows.map((row) => ({ kind, ...row })));
  }
  return revoked;
}

/** Keys with a due notice: scopes assigned to an older key, or expiry in less than `days`. Marks them as notified. */
export async function takeDueNotices(tx: Tx, days: number) {
  const { rows } = await sql<{
    id: number;
    name: string;
    prefix: string;
    scopes: KeyScope[];
    expiresAt: Date;
    isScopes: boolean;
    email: string;
    firstName: string;
    organisationId: number;
  }>`
    with due as (
      select k.id, k.is_scopes_notice_due as "isScopes" from api_keys k
      where k.revoked_at is null and k.expires_at > now()
        and (k.is_scopes_notice_due or (k.expiry_notice_at is null and k.expires_at < now() + make_interval(days => ${days})
          -- One that never had longer was known to be short.
          and k.expires_at - k.created_at > make_interval(days => ${days})))
      order by k.id limit 200 for update skip locked)
    update api_keys k set is_scopes_notice_due = false, expiry_notice_at = case when due."isScopes" then k.expiry_notice_at else now() end
    from due, users u
    where k.id = due.id and u.id = k.user_id
    returning k.id, k.name, k.prefix, k.scopes, k.expires_at as "expiresAt", due."isScopes", u.email, u.first_name as "firstName",
      u.organisation_id as "organisationId"`.execute(tx);
  return rows;
}
