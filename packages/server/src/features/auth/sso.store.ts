/** SQL of single sign-on. Runs in the portal’s own scope: the user has not signed in yet. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { hashOfToken } from '../../core/secrets.ts';
import type { Account, Proof } from './auth.store.ts';

/** Identity provider of an active partner. */
export const findProvider = (tx: Tx, organisationId: number) =>
  tx
    .selectFrom('identity_providers')
    .innerJoin('organisations', 'organisations.id', 'identity_providers.organisation_id')
    .where('organisations.deactivated_at', 'is', null)
    .where('identity_providers.organisation_id', '=', organisationId)
    .select(['issuer', 'client_id as clientId', 'client_secret as clientSecret'])
    .executeTakeFirst();

export async function insertStart(
  tx: Tx,
  start: {
    state: string;
    organisationId: number | null;
    browser: string;
    nonce: string;
    verifier: string;
    path: string;
    sessionId: string | null;
  },
): Promise<void> {
  await tx
    .insertInto('sign_on_starts')
    .values({
      state_hash: hashOfToken(start.state),
      organisation_id: start.organisationId,
      browser_hash: hashOfToken(start.browser),
      nonce: start.nonce,
      verifier: start.verifier,
      redirect_path: start.path,
      session_id: start.sessionId,
      expires_at: sql<Date>`now() + interval '10 minutes'`,
    })
    .execute();
}

/** Consumes a started sign-on for the browser that began it; another browser’s attempt leaves it in place. */
export const takeStart = (tx: Tx, state: string, browser: string) =>
  tx
    .deleteFrom('sign_on_starts')
    .where('state_hash', '=', hashOfToken(state))
    .where('browser_hash', '=', hashOfToken(browser))
    .where('expires_at', '>', sql<Date>`now()`)
    .returning([
      'organisation_id as organisationId',
      'nonce',
      'verifier',
      'redirect_path as path',
      'session_id as sessionId',
      sql<Date>`expires_at - interval '10 minutes'`.as('startedAt'),
    ])
    .executeTakeFirst();

export async function insertCode(tx: Tx, one: Proof & { code: string; account: Account; browser: string }): Promise<void> {
  await tx
    .insertInto('sign_on_codes')
    .values({
      code_hash: hashOfToken(one.code),
      organisation_id: one.account.organisationId,
      user_id: one.account.id,
      browser_hash: hashOfToken(one.browser),
      expires_at: sql<Date>`now() + interval '60 seconds'`,
      proven_at: one.provenAt,
      second_factor_at: one.secondFactorAt,
    })
    .execute();
}

/** Consumes a one-time code of this browser; returns its user and proof. */
export const consumeCode = (tx: Tx, code: string, browser: string): Promise<(Proof & { userId: number }) | undefined> =>
  tx
    .updateTable('sign_on_codes')
    .set({ used_at: sql<Date>`now()` })
    .where('code_hash', '=', hashOfToken(code))
    .where('browser_hash', '=', hashOfToken(browser))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['user_id as userId', 'proven_at as provenAt', 'second_factor_at as secondFactorAt'])
    .executeTakeFirst();

/** Owner of a session. */
export const findSessionOwner = (tx: Tx, sessionId: string) =>
  tx
    .selectFrom('sessions')
    .where('id', '=', sessionId)
    .select(['user_id as id', 'organisation_id as organisationId'])
    .executeTakeFirst();

export async function findIdentity(tx: Tx, issuer: string, subject: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom('user_identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.user_id;
}

/** False when the account is known to this issuer already, by another subject, or the subject by another account. */
export async function insertIdentity(tx: Tx, issuer: string, subject: string, account: Account): Promise<boolean> {
  // Serialises concurrent first matches: the second finds the first one’s row.
  await tx.selectFrom('users').select('id').where('id', '=', account.id).forUpdate().execute();
  const known = await tx
    .selectFrom('user_identities')
    .select('subject')
    .where('issuer', '=', issuer)
    .where('user_id', '=', account.id)
    .executeTakeFirst();
  if (known) return known.subject === subject;
  const row = await tx
    .insertInto('user_identities')
    .values({ issuer, subject, organisation_id: account.organisationId, user_id: account.id })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}
