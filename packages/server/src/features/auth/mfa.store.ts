/** SQL of the second step. Runs with the portal's own scope: nobody has signed in yet. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { hashOfToken } from '../../core/secrets.ts';
import type { Account } from './auth.store.ts';
import { removePasskeys } from './passkeys.store.ts';
import { removeRecoveryCodes } from './recoveryCodes.ts';

const maxCodes = 5;

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

/** Takes one try of a live challenge; undefined when it is unknown, used, over or has none left. */
export const takeChallenge = (tx: Tx, kind: 'signIn' | 'enrolment', nonce: string) =>
  tx
    .updateTable('mfa_challenges')
    .set({ tries: sql<number>`tries + 1` })
    .where('nonce_hash', '=', hashOfToken(nonce))
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('tries', '<', maxCodes)
    .returning(['user_id as userId', 'password_hash as passwordHash', 'new_secret as newSecret'])
    .executeTakeFirst();

/** False when another call was faster. */
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

/** Ends every second step of a user that is under way. */
export async function removeChallenges(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('mfa_challenges').where('user_id', '=', userId).execute();
}

/** Uses a time step up, and with a new secret sets the factor. */
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

/** Removes authenticator app, recovery codes and passkeys; `isEnrolmentDue`: the next sign-in sets an authenticator app up. */
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

/** The session counts as signed in with a second factor from now on. */
export async function markFactorProved(tx: Tx, scope: Scope, sessionId: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ method: 'mfa', proven_at: sql<Date>`now()`, second_factor_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('id', '=', sessionId)
    .execute();
}
