/** SQL of passkeys and their challenges. */
import { type Selectable, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import { hashOfToken } from '../../core/secrets.ts';

export interface PasskeySite {
  /** Host without port. */
  rpId: string;
  origin: string;
}

const passkeysOf = (tx: Tx, scope: Scope, userId: number) =>
  tx.selectFrom('passkeys').where(within('organisation_id', scope)).where('user_id', '=', userId);

const columns = [
  'id',
  'rp_id as rpId',
  'credential_id as credentialId',
  'public_key as publicKey',
  'counter',
  'transports',
  'name',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
] as const;

export const listPasskeys = (tx: Tx, scope: Scope, userId: number) =>
  passkeysOf(tx, scope, userId).select(columns).orderBy('id').execute();
export type PasskeyRow = Awaited<ReturnType<typeof listPasskeys>>[number];

export const findPasskey = (tx: Tx, scope: Scope, userId: number, rpId: string, credentialId: string) =>
  passkeysOf(tx, scope, userId)
    .where('rp_id', '=', rpId)
    .where('credential_id', '=', credentialId)
    .select(columns)
    .executeTakeFirst();

export type NewPasskeyRow = Omit<Selectable<Tables['passkeys']>, 'id' | 'created_at' | 'last_used_at'>;

/** Inserted row; undefined when the passkey is already registered. */
export const insertPasskey = (tx: Tx, passkey: NewPasskeyRow): Promise<PasskeyRow | undefined> =>
  tx
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst();

export async function markPasskeyUsed(tx: Tx, scope: Scope, id: number, counter: number): Promise<void> {
  await tx
    .updateTable('passkeys')
    .set({ counter, last_used_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .execute();
}

export const removePasskey = (tx: Tx, scope: Scope, userId: number, id: number) =>
  tx
    .deleteFrom('passkeys')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning(['name', 'rp_id as rpId'])
    .executeTakeFirst();

export const removePasskeys = (tx: Tx, scope: Scope, userId: number) =>
  tx.deleteFrom('passkeys').where(within('organisation_id', scope)).where('user_id', '=', userId).execute();

type Purpose = Tables['passkey_challenges']['purpose'];

export async function insertPasskeyChallenge(
  tx: Tx,
  challenge: {
    challenge: string;
    user: { id: number; organisationId: number };
    purpose: Purpose;
    boundTo: string;
    site: PasskeySite;
  },
): Promise<void> {
  await tx
    .insertInto('passkey_challenges')
    .values({
      challenge_hash: hashOfToken(challenge.challenge),
      organisation_id: challenge.user.organisationId,
      user_id: challenge.user.id,
      purpose: challenge.purpose,
      bound_to: hashOfToken(challenge.boundTo),
      rp_id: challenge.site.rpId,
      origin: challenge.site.origin,
      expires_at: sql<Date>`now() + interval '5 minutes'`,
    })
    .execute();
}

/** Consumes a challenge; undefined when it is unknown, expired, or bound to another user, purpose or session. */
export const takePasskeyChallenge = (
  tx: Tx,
  { challenge, userId, purpose, boundTo }: { challenge: string; userId: number; purpose: Purpose; boundTo: string },
): Promise<PasskeySite | undefined> =>
  tx
    .deleteFrom('passkey_challenges')
    .where('challenge_hash', '=', hashOfToken(challenge))
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('bound_to', '=', hashOfToken(boundTo))
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['rp_id as rpId', 'origin'])
    .executeTakeFirst();
