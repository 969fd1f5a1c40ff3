/** SQL of sign-in. Runs in the portal’s own scope: the organisation is unknown before sign-in. */
import { hasClientSelector, type KeyScope } from '@parapet/contract/access.ts';
import type { UserData } from '@parapet/contract/auth.ts';
import { sql } from 'kysely';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx, writtenOnce } from '../../core/db/scope.ts';
import { type Actor, neverProven } from '../../core/http/actor.ts';

export interface Account {
  id: number;
  organisationId: number;
  email: string;
  firstName: string;
  lastName: string;
  role: string;
  passwordHash: string | null;
  isMfaSet: boolean;
  /** True when set up, due after a reset, or required by the account or the organisation’s policy. */
  isMfaNeeded: boolean;
  /** Required by the account or the organisation’s policy: the user can’t turn it off. */
  isMfaDemanded: boolean;
  /** Encrypted. */
  mfaSecret: Buffer | null;
  mfaLastStep: number | null;
  allowsFirstMatchByEmail: boolean;
  pictureVersion: string | null;
  data: UserData;
  isPartner: boolean;
  organisationName: string;
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
    .where('partner.deactivated_at', 'is', null)
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
      'organisations.name as organisationName',
      'users.is_mfa_set as isMfaSet',
      sql<boolean>`users.is_mfa_set or users.is_mfa_enrolment_due or users.is_mfa_required or organisations.is_mfa_compulsory`.as(
        'isMfaNeeded',
      ),
      sql<boolean>`users.is_mfa_required or organisations.is_mfa_compulsory`.as('isMfaDemanded'),
      'users.mfa_secret as mfaSecret',
      'users.mfa_last_step as mfaLastStep',
      'organisations.allows_first_match_by_email as allowsFirstMatchByEmail',
      'users.picture_version as pictureVersion',
      // A partner is its own partner; a client’s partner is its parent.
      sql<number>`case when organisations.is_partner then organisations.id else coalesce(partner.id, organisations.id) end`.as(
        'partnerId',
      ),
      sql<string>`case when organisations.is_partner then organisations.name else coalesce(partner.name, organisations.name) end`.as(
        'partnerName',
      ),
    ]);

/** Lower-cases in JavaScript, like the attempt counters: PostgreSQL’s `lower` would match spellings that are counted separately. */
export const findAccountByEmail = (tx: Tx, email: string): Promise<Account | undefined> =>
  findByLowerCase(tx, email.toLowerCase());
const findByLowerCase = writtenOnce<string, Account>((tx, email) =>
  accounts(tx).where(sql<boolean>`lower(users.email) = ${email}`),
);

export const findAccount = (tx: Tx, userId: number): Promise<Account | undefined> =>
  accounts(tx).where('users.id', '=', userId).executeTakeFirst();

/** Locks the account’s row until the transaction ends. */
export const findAccountForUpdate = writtenOnce<number, Account>((tx, userId) =>
  accounts(tx).where('users.id', '=', userId).forUpdate('users'),
);

export type Method = 'password' | 'mfa' | 'singleSignOn';

/** Times of the last proof of identity and of the last MFA proof; null when unknown. */
export interface Proof {
  provenAt: Date | null;
  secondFactorAt: Date | null;
}

/** Starts a session and ends the least recently used ones beyond `maxSessions`; returns the ids of those. The caller holds the lock on the user’s row. */
export async function insertSession(
  tx: Tx,
  session: Proof & {
    id: string;
    userId: number;
    organisationId: number;
    method: Method;
    address: string;
    userAgent: string;
    hours: number;
    idleMinutes: number;
    maxSessions: number;
  },
): Promise<string[]> {
  // One round trip, for bursts of sign-ins.
  const row = await tx
    .with('seen', (qb) => qb.updateTable('users').set({ last_sign_in_at: sql<Date>`now()` }).where('id', '=', session.userId))
    .with('ended', (qb) =>
      qb
        .updateTable('sessions')
        .set({ revoked_at: sql<Date>`now()` })
        .where('id', 'in', (live) =>
          live
            .selectFrom('sessions')
            .select('id')
            .where('user_id', '=', session.userId)
            .where('revoked_at', 'is', null)
            .where('expires_at', '>', sql<Date>`now()`)
            .where('last_seen_at', '>', sql<Date>`now() - make_interval(mins => ${session.idleMinutes})`)
            .orderBy('last_seen_at', 'desc')
            .orderBy('signed_in_at', 'desc')
            .offset(session.maxSessions - 1),
        )
        .returning('id'),
    )
    .insertInto('sessions')
    .values({
      id: session.id,
      organisation_id: session.organisationId,
      user_id: session.userId,
      method: session.method,
      expires_at: sql<Date>`now() + make_interval(hours => ${session.hours})`,
      address: session.address,
      user_agent: session.userAgent.slice(0, 300),
      proven_at: session.provenAt,
      second_factor_at: session.secondFactorAt,
    })
    .returning(sql<string[]>`coalesce((select array_agg(id::text) from ended), '{}')`.as('ended'))
    .executeTakeFirstOrThrow();
  return row.ended;
}

/** Records a proof in a live session of the user; false without such a session. Keeps an earlier MFA proof. */
export async function updateProof(tx: Tx, sessionId: string, userId: number, proof: Proof): Promise<boolean> {
  const row = await tx
    .updateTable('sessions')
    .set({ proven_at: proof.provenAt, ...(proof.secondFactorAt && { second_factor_at: proof.secondFactorAt }) })
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function revokeSession(tx: Tx, sessionId: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Revokes all sessions, API keys and access of assistants of a user, and ends notifications in browsers. */
export async function revokeAccessOf(tx: Tx, userId: number): Promise<void> {
  for (const table of ['sessions', 'api_keys', 'assistant_grants'] as const)
    await tx
      .updateTable(table)
      .set({ revoked_at: sql<Date>`now()` })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .execute();
  await tx.deleteFrom('push_subscriptions').where('user_id', '=', userId).execute();
}

export async function updateData(tx: Tx, userId: number, data: UserData): Promise<void> {
  await tx
    .updateTable('users')
    .set({ data: JSON.stringify(data) })
    .where('id', '=', userId)
    .execute();
}

/** Deletes expired challenges, sign-ons, links and attempts; sessions after 30 days and emails after 400. */
export async function removeEnded(tx: Tx): Promise<void> {
  for (const table of ['mfa_challenges', 'passkey_challenges', 'one_time_links', 'sign_on_starts', 'sign_on_codes'] as const)
    await tx.deleteFrom(table).where('expires_at', '<', sql<Date>`now() - interval '1 hour'`).execute();
  await tx
    .deleteFrom('attempts')
    .where('at', '<', sql<Date>`now() - case kind when 'password.known' then interval '90 days' else interval '1 day' end`)
    .execute();
  await tx.deleteFrom('sessions').where('expires_at', '<', sql<Date>`now() - interval '30 days'`).execute();
  await tx.deleteFrom('mails').where('created_at', '<', sql<Date>`now() - interval '400 days'`).execute();
}

// Run on every request: prepared by name, once per connection, and sent past Kysely, which would compile them each time.
const liveSessions = { name: 'live sessions', text: 'select * from live_sessions($1::uuid[], make_interval(mins => $2))' };
const liveApiKeys = { name: 'live API keys', text: 'select * from live_api_keys($1::bytea[])' };

/** Actors of live sessions by session id, with their visible organisations. Omits ended and idle sessions and those of deleted users. */
export async function findActors(
  db: Database,
  sessionIds: readonly string[],
  idleMinutes: number,
): Promise<Map<string, Omit<Actor, 'address'>>> {
  const { rows } = await db.pool.query<SessionRow>({ ...liveSessions, values: [sessionIds, idleMinutes] });
  const stale = rows.filter((row) => row.is_stale).map((row) => row.session_id);
  if (stale.length > 0) {
    await scoped(db, 'system', (tx) =>
      tx.updateTable('sessions').set({ last_seen_at: sql<Date>`now()` }).where('id', 'in', stale).execute(),
    );
  }
  return new Map(
    rows.map((row) => [
      row.session_id,
      {
        ...identityOf(row),
        sessionId: row.session_id,
        provenAt: row.proven_at?.getTime() ?? 0,
        secondFactorAt: row.second_factor_at?.getTime() ?? 0,
        hasPassword: row.has_password,
        hasSecondFactor: row.has_second_factor,
      },
    ]),
  );
}

/** Actors of live API keys by hexadecimal hash. Omits expired and revoked keys and those of deleted users. */
export async function findActorsByKey(db: Database, hashes: readonly string[]): Promise<Map<string, Omit<Actor, 'address'>>> {
  const { rows } = await db.pool.query<KeyRow>({ ...liveApiKeys, values: [hashes.map((hash) => Buffer.from(hash, 'hex'))] });
  const stale = rows.filter((row) => row.is_stale).map((row) => row.key_id);
  if (stale.length > 0) {
    await scoped(db, 'system', (tx) =>
      tx.updateTable('api_keys').set({ last_used_at: sql<Date>`now()` }).where('id', 'in', stale).execute(),
    );
  }
  return new Map(
    rows.map((row) => [
      row.hash.toString('hex'),
      // API keys never satisfy a recent proof of identity.
      {
        ...identityOf(row),
        ...neverProven,
        sessionId: '',
        apiKey: { id: row.key_id, scopes: row.scopes, addressRanges: row.address_ranges },
      },
    ]),
  );
}

/**
 * Current permissions of a user for background work; undefined once the user, the organisation or the requesting key is gone.
 * Needs a transaction in the portal’s own scope.
 */
export async function findActorOfUser(
  tx: Tx,
  userId: number,
  apiKeyId: number | undefined,
): Promise<Omit<Actor, 'address'> | undefined> {
  const { rows } = await sql<OwnerRow & { scopes: KeyScope[] | null; address_ranges: string[] | null }>`
    select u.id as user_id, u.email, u.first_name, u.last_name, u.role, o.id as organisation_id, o.is_partner, k.scopes, k.address_ranges,
      case when o.is_partner then (
        select array_agg(c.id order by c.id) from organisations c
        where c.deactivated_at is null and (o.id = 1 or c.id = o.id or c.parent_id = o.id)
      ) else array[o.id] end as seen
    from users u join organisations o on o.id = u.organisation_id left join organisations p on p.id = o.parent_id
    left join api_keys k on k.id = ${apiKeyId ?? null}::integer and k.user_id = u.id and k.revoked_at is null and k.expires_at > now()
    where u.id = ${userId} and not u.is_deleted and o.deactivated_at is null and p.deactivated_at is null`.execute(tx);
  const [row] = rows;
  if (!row || (apiKeyId !== undefined && row.scopes === null)) return undefined;
  const key =
    apiKeyId !== undefined && row.scopes !== null
      ? { apiKey: { id: apiKeyId, scopes: row.scopes, addressRanges: row.address_ranges ?? [] } }
      : {};
  return { ...identityOf(row), ...neverProven, sessionId: '', ...key };
}

function identityOf(row: OwnerRow) {
  const who = { role: row.role, isPartner: row.is_partner, organisationId: row.organisation_id };
  return {
    ...who,
    userId: row.user_id,
    email: row.email,
    displayName: `${row.first_name} ${row.last_name}`.trim(),
    organisationIds: hasClientSelector(who) ? row.seen : [row.organisation_id],
  };
}

interface OwnerRow {
  user_id: number;
  email: string;
  first_name: string;
  last_name: string;
  role: string;
  organisation_id: number;
  is_partner: boolean;
  is_stale: boolean;
  seen: number[];
}

interface SessionRow extends OwnerRow {
  session_id: string;
  proven_at: Date | null;
  second_factor_at: Date | null;
  has_password: boolean;
  has_second_factor: boolean;
}

interface KeyRow extends OwnerRow {
  hash: Buffer;
  key_id: number;
  scopes: KeyScope[];
  address_ranges: string[];
}
