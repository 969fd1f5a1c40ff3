/**
 * MFA (docs/decisions/0023-second-factors.md): the second step of a sign-in, and proofs within a session. A challenge is identified by its nonce and
 * continued by its own secret; only hashes are stored. Counters cover all methods and commit even when the proof is wrong, and a
 * code’s time step is consumed under the lock on its user’s row.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { authApi } from '@parapet/contract/auth.ts';
import { type MfaChallenge, type SessionUser, wrongCodeText } from '@parapet/contract/auth.ts';
import { problem } from '@parapet/contract/problem.ts';
import { oneProofText, proofOf, type SecondFactorProof } from '@parapet/contract/secondFactor.proof.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Place } from '../../core/keys/columns.ts';
import type { Keys } from '../../core/keys/keys.ts';
import { verifyPassword } from '../../core/passwords.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { recordOwnAudit } from '../../domain/audit.ts';
import { clearAttempts, consumeAttempt } from '../../domain/throttle.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { factorSetMail, recoveryCodeUsedMail } from './auth.mails.ts';
import { type Account, findAccount, findAccountForUpdate } from './auth.store.ts';
import { consumeChallenge, insertChallenge, takeChallenge, updateSecondFactor } from './mfa.store.ts';
import { listPasskeys } from './passkeys.store.ts';
import { passkeyRequestFor, passkeySiteOf, provePasskey } from './passkeys.ts';
import { countRecoveryCodes, useRecoveryCode } from './recoveryCodes.ts';
import { actorOf, type Origin, type Sessions } from './sessions.ts';
import { drawSecret, newTotpSecret, stepOf } from './totp.ts';

export type SecondFactor = ReturnType<typeof createSecondFactor>;

const codeLimit = {
  max: 10,
  minutes: 15,
  text: 'Too many codes were tried for this account. Wait a few minutes before you try again.',
};

const endedText = 'This sign-in has expired. Start again with your email address and password.';
const ended = () => problem.invalid({ nonce: [endedText] }, endedText);

/** Validation error at the field of the refused proof. */
const refusalOf = (proof: SecondFactorProof, codeField = 'wrongCode') => {
  const [field, text] =
    'code' in proof
      ? [codeField, wrongCodeText]
      : 'recoveryCode' in proof
        ? ['recoveryCode', 'This recovery code was not accepted. Each code works once.']
        : ['passkey', 'The passkey was not accepted. Start again, or use a code.'];
  return problem.invalid({ [field as string]: [text as string] }, text);
};
const methodOf = (proof: SecondFactorProof) => ('code' in proof ? 'mfa' : 'recoveryCode' in proof ? 'recoveryCode' : 'passkey');

type Owner = Pick<Account, 'id' | 'organisationId'>;
const secretPlace = ({ id, organisationId }: Owner): Place => ({ organisationId, column: 'users.mfa_secret', id });
/** Place of a secret during enrolment. */
const newSecretPlace = ({ organisationId }: Owner, nonce: string): Place => ({
  organisationId,
  column: 'mfa_challenges.new_secret',
  id: hashOfToken(nonce),
});
/** Encrypts the secret of an account that starts with MFA, such as a demo account. */
export const sealerOf = (keys: Keys) => (tx: Tx, owner: Owner, secret: string) => keys.seal(tx, secretPlace(owner), secret);

/** Binds the continuation secret of a sign-in or an enrolment to its nonce. */
const hashOfContinuation = (nonce: string, password: string) => createHash('sha256').update(`${nonce}\n${password}`).digest();

const scopeOfAccount = (account: Account): Scope => ({ organisationIds: [account.organisationId] });

export interface SecondFactorDeps {
  db: Database;
  clock: Clock;
  keys: Pick<Keys, 'seal' | 'open'>;
  sessions: Sessions;
  outbox: OutboxService;
  brand: Pick<BrandService, 'ofMails' | 'siteOf'>;
}

type SessionOwner = Pick<Actor, 'userId' | 'sessionId'>;
type ProvingActor = SessionOwner & Pick<Actor, 'address'>;

const consumeCodeAttempt = (db: Database, userId: number) =>
  scoped(db, 'system', (tx) => consumeAttempt(tx, 'code', userId, codeLimit));

/**
 * Verifies and consumes a proof; undefined for a wrong one. The transaction must hold the account’s row and commit in either case.
 */
async function verifyProof(
  deps: SecondFactorDeps,
  tx: Tx,
  account: Account,
  { proof, boundTo, origin }: { proof: SecondFactorProof; boundTo: string; origin: Pick<Origin, 'address'> },
): Promise<{ recoveryCodesLeft?: number } | undefined> {
  if (!account.isMfaSet) return undefined;
  if ('passkey' in proof) return (await provePasskey(tx, account, proof.passkey, boundTo)) ? {} : undefined;
  if ('code' in proof) return (await verifyCode(deps, tx, account, proof.code)) ? {} : undefined;
  const recoveryCodesLeft = await useRecoveryCode(tx, scopeOfAccount(account), account.id, proof.recoveryCode);
  if (recoveryCodesLeft === undefined) return undefined;
  await recordOwnAudit(tx, actorOf(account, origin), { action: 'user.recoveryCodeUsed', after: { left: recoveryCodesLeft } });
  await deps.outbox.queue(tx, recoveryCodeUsedMail(account, recoveryCodesLeft));
  return { recoveryCodesLeft };
}

/** Consumes a code’s time step; with a challenge’s new secret, turns MFA on. False for a wrong code. */
async function verifyCode(
  { keys, clock }: Pick<SecondFactorDeps, 'keys' | 'clock'>,
  tx: Tx,
  account: Account,
  code: string,
  pending?: { newSecret: Buffer; nonce: string },
): Promise<boolean> {
  const sealed = pending?.newSecret ?? account.mfaSecret;
  if (!sealed) return false;
  const place = pending ? newSecretPlace(account, pending.nonce) : secretPlace(account);
  const secret = (await keys.open(tx, place, sealed)).toString();
  const step = stepOf(secret, code, clock.now());
  if (step === undefined || step <= (account.mfaLastStep ?? -1)) return false;
  await updateSecondFactor(tx, account.id, {
    step,
    newSecret: pending ? await keys.seal(tx, secretPlace(account), secret) : null,
  });
  return true;
}

/** Returns a function that draws the QR code of a secret, to be called after the transaction. */
async function qrCodeOf(brand: Pick<BrandService, 'ofMails'>, tx: Tx, { organisationId, email }: Account, secret: string) {
  const { name } = await brand.ofMails(tx, organisationId);
  return () => drawSecret(secret, name, email);
}

/** Starts the second step after a correct password, in the caller’s transaction; returns a function that renders the challenge after commit. */
const startChallenge =
  ({ db, keys, brand }: SecondFactorDeps) =>
  async (tx: Tx, account: Account, host: string): Promise<() => Promise<MfaChallenge>> => {
    const [nonce, password] = [newToken(), newToken()];
    const secret = account.isMfaSet ? undefined : newTotpSecret();
    await insertChallenge(tx, {
      nonce,
      kind: 'signIn',
      account,
      passwordHash: hashOfContinuation(nonce, password),
      newSecret: secret === undefined ? null : await keys.seal(tx, newSecretPlace(account, nonce), secret),
    });
    const qrCode = secret === undefined ? undefined : await qrCodeOf(brand, tx, account, secret);
    const scope = scopeOfAccount(account);
    const [passkeys, codes] =
      secret === undefined
        ? await Promise.all([listPasskeys(tx, scope, account.id), countRecoveryCodes(tx, scope, account.id)])
        : [[], 0];
    return async () => {
      const site = passkeys.length > 0 ? await passkeySiteOf(brand, host) : undefined;
      const request = { owner: account, passkeys, site, boundTo: nonce };
      return {
        nonce,
        method: 'authenticator',
        data: account.email,
        setupNeeded: secret !== undefined,
        qrCodeImage: (await qrCode?.()) ?? '',
        qrSecret: secret ?? '',
        password,
        passkey: site ? await scoped(db, 'system', (own) => passkeyRequestFor(own, request)) : null,
        hasRecoveryCodes: codes > 0,
      };
    };
  };

/** Completes a sign-in with a proof and the challenge’s secret or the account’s password. */
const completeSignIn =
  (deps: SecondFactorDeps) =>
  async (
    input: z.output<(typeof authApi.completeMfa)['body']>,
    origin: Origin,
  ): Promise<{ user: SessionUser; recoveryCodesLeft?: number }> => {
    const proof = proofOf(input);
    if (!proof) throw problem.invalid({ code: [oneProofText] });
    const challenge = await scoped(deps.db, 'system', (tx) => takeChallenge(tx, 'signIn', input.nonce));
    if (!challenge) throw ended();
    await consumeCodeAttempt(deps.db, challenge.userId);
    if (!timingSafeEqual(hashOfContinuation(input.nonce, input.password), challenge.passwordHash)) {
      const account = await scoped(deps.db, 'system', (tx) => findAccount(tx, challenge.userId));
      if (!(await verifyPassword(account?.passwordHash, input.password))) throw ended();
    }

    const outcome = await scoped(deps.db, 'system', async (tx) => {
      const account = await findAccountForUpdate(tx, challenge.userId);
      const { newSecret } = challenge;
      // MFA was set up or reset since this sign-in began.
      if (!account || account.isMfaSet === (newSecret !== null)) return 'ended';
      const proved = newSecret
        ? 'code' in proof && (await verifyCode(deps, tx, account, proof.code, { newSecret, nonce: input.nonce })) && {}
        : await verifyProof(deps, tx, account, { proof, boundTo: input.nonce, origin });
      if (!proved) {
        await recordOwnAudit(tx, actorOf(account, origin), { action: 'user.signInRefused', after: { method: methodOf(proof) } });
        return 'wrong';
      }
      // A concurrent call consumed the challenge: throwing rolls this one back.
      if (!(await consumeChallenge(tx, input.nonce))) throw ended();
      await clearAttempts(tx, 'code', account.id);
      if (newSecret) {
        await recordOwnAudit(tx, actorOf(account, origin), { action: 'user.mfaSet' });
        await deps.outbox.queue(tx, factorSetMail(account));
      }
      return { user: await deps.sessions.start(tx, account, origin, 'mfa'), ...proved };
    });
    if (outcome === 'ended') throw ended();
    if (outcome === 'wrong') throw refusalOf(proof);
    return outcome;
  };

/**
 * Verifies an MFA proof within a session. Throws invalid at the field of a wrong proof, and tooManyRequests when no attempt is
 * left. A passkey must respond to `request` of the same session.
 */
const verifyInSession =
  (deps: SecondFactorDeps) =>
  async (actor: ProvingActor, proof: SecondFactorProof): Promise<void> => {
    await consumeCodeAttempt(deps.db, actor.userId);
    const isRight = await scoped(deps.db, 'system', async (tx) => {
      const account = await findAccountForUpdate(tx, actor.userId);
      if (!account) return false;
      const proved = await verifyProof(deps, tx, account, { proof, boundTo: actor.sessionId, origin: actor });
      if (proved) await clearAttempts(tx, 'code', account.id);
      else await recordOwnAudit(tx, actorOf(account, actor), { action: 'user.proofRefused', after: { method: methodOf(proof) } });
      return proved !== undefined;
    });
    if (!isRight) throw refusalOf(proof, 'code');
  };

/** WebAuthn request options for a proof within a session; null without a passkey of this host. */
const passkeyRequestOf =
  ({ db, brand }: SecondFactorDeps) =>
  async (actor: SessionOwner, host: string) => {
    const site = await passkeySiteOf(brand, host);
    return scoped(db, 'system', async (tx) => {
      const owner = await findAccount(tx, actor.userId);
      if (!owner?.isMfaSet) return null;
      const passkeys = await listPasskeys(tx, scopeOfAccount(owner), owner.id);
      return passkeyRequestFor(tx, { owner, passkeys, site, boundTo: actor.sessionId });
    });
  };

/** Starts the setup of an authenticator app within a session; undefined when one is already set up. */
const startEnrolment =
  ({ db, keys, brand }: SecondFactorDeps) =>
  async (actor: SessionOwner) => {
    const started = await scoped(db, 'system', async (tx) => {
      const account = await findAccountForUpdate(tx, actor.userId);
      if (!account || account.isMfaSet) return undefined;
      const [nonce, secret] = [newToken(), newTotpSecret()];
      await insertChallenge(tx, {
        nonce,
        kind: 'enrolment',
        account,
        passwordHash: hashOfContinuation(nonce, actor.sessionId),
        newSecret: await keys.seal(tx, newSecretPlace(account, nonce), secret),
      });
      return { nonce, qrSecret: secret, qrCode: await qrCodeOf(brand, tx, account, secret) };
    });
    return started && { nonce: started.nonce, qrSecret: started.qrSecret, qrCodeImage: await started.qrCode() };
  };

/** Turns MFA on with the app’s first code and runs `work` in the same transaction. Throws invalid for a wrong code or an expired nonce. */
const confirmEnrolment =
  (deps: SecondFactorDeps) =>
  async <T>(
    actor: ProvingActor,
    { nonce, code }: { nonce: string; code: string },
    work: (tx: Tx, account: Account) => Promise<T>,
  ): Promise<T> => {
    const challenge = await scoped(deps.db, 'system', (tx) => takeChallenge(tx, 'enrolment', nonce));
    const isOwn = challenge && timingSafeEqual(hashOfContinuation(nonce, actor.sessionId), challenge.passwordHash);
    const overText = 'This setup has expired. Start again.';
    const expired = () => problem.invalid({ nonce: [overText] }, overText);
    if (!isOwn || challenge.userId !== actor.userId) throw expired();
    await consumeCodeAttempt(deps.db, actor.userId);
    const done = await scoped(deps.db, 'system', async (tx) => {
      const account = await findAccountForUpdate(tx, actor.userId);
      if (!account || account.isMfaSet || !challenge.newSecret) return 'over';
      if (!(await verifyCode(deps, tx, account, code, { newSecret: challenge.newSecret, nonce }))) return 'wrong';
      if (!(await consumeChallenge(tx, nonce))) throw expired();
      await clearAttempts(tx, 'code', account.id);
      await recordOwnAudit(tx, actorOf(account, actor), { action: 'user.mfaSet' });
      await deps.outbox.queue(tx, factorSetMail(account));
      return { result: await work(tx, account) };
    });
    if (done === 'over') throw expired();
    if (done === 'wrong') throw refusalOf({ code });
    return done.result;
  };

export const createSecondFactor = (deps: SecondFactorDeps) => ({
  challenge: startChallenge(deps),
  complete: completeSignIn(deps),
  verify: verifyInSession(deps),
  request: passkeyRequestOf(deps),
  startEnrolment: startEnrolment(deps),
  confirmEnrolment: confirmEnrolment(deps),
});
