/** SQL of MFA challenges. Runs in the portal’s own scope: the user has not signed in yet. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { hashOfToken } from '../../core/secrets.ts';
import type { Account } from './auth.store.ts';
import { removePasskeys } from './passkeys.store.ts';
import { removeRecoveryCodes } from './recoveryCodes.ts';

const maxAttempts = 5;

export async function insertChallenge(
  tx: Tx,
  challenge: {
    nonce: string;
    kind: 'signIn' | 'enrolment';
    account: Pick<Account, 'id' | 'organisationId'>;
    passwordHash: Buffer;
    newSecret: Buffer | null;
  },
): Promise<void> {
  await tx
    .insertInto('mfa_challenges')
    .values({
      nonce_hash: hashOfToken(challenge.nonce),
      kind: challenge.kind,
      organisation_id: challenge.account.organisationId,
      user_id: challenge.account.id,
      password_hash: challenge.passwordHash,
      new_secret: challenge.newSecret,
      expires_at: sql<Date>`now() + interval '5 minutes'`,
    })
    .execute();
}

/** Counts an attempt at a live challenge; undefined when it is unknown, used, expired or out of attempts. */
export const takeChallenge = (tx: Tx, kind: 'signIn' | 'enrolment', nonce: string) =>
  tx
    .updateTable('mfa_challenges')
    .set({ tries: sql<number>`tries + 1` })
    .where('nonce_hash', '=', hashOfToken(nonce))
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('tries', '<', maxAttempts)
    .returning(['user_id as userId', 'password_hash as passwordHash', 'new_secret as newSecret'])
    .executeTakeFirst();

/** Marks a challenge as used; false when a concurrent call used it first. */
export async function consumeChallenge(tx: Tx, nonce: string): Promise<boolean> {
  const used = await tx
    .updateTable('mfa_challenges')
    .set({ used_at: sql<Date>`now()`, new_secret: null })
    .where('nonce_hash', '=', hashOfToken(nonce))
    .where('used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  return used !== undefined;
}

/** Removes all open challenges of a user. */
export async function removeChallenges(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('mfa_challenges').where('user_id', '=', userId).execute();
}

/** Records a used time step; with a new secret, also turns MFA on. */
export async function updateSecondFactor(
  tx: Tx,
  userId: number,
  { step, newSecret }: { step: number; newSecret: Buffer | null },
): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      mfa_last_step: step,
      ...(newSecret && { mfa_secret: newSecret, is_mfa_set: true, is_mfa_enrolment_due: false }),
    })
    .where('id', '=', userId)
    .execute();
}

/** Removes authenticator app, recovery codes and passkeys; with `isEnrolmentDue` the next sign-in requires a new authenticator app. */
export async function removeSecondFactor(tx: Tx, scope: Scope, userId: number, isEnrolmentDue: boolean): Promise<void> {
  await tx
    .updateTable('users')
    .set({ is_mfa_set: false, mfa_secret: null, mfa_last_step: null, is_mfa_enrolment_due: isEnrolmentDue })
    .where(within('organisation_id', scope))
    .where('id', '=', userId)
    .execute();
  await removeRecoveryCodes(tx, scope, userId);
  await removePasskeys(tx, scope, userId);
}

/** Marks the session as signed in with MFA, as of now. */
export async function markFactorProved(tx: Tx, scope: Scope, sessionId: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ method: 'mfa', proven_at: sql<Date>`now()`, second_factor_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('id', '=', sessionId)
    .execute();
}
