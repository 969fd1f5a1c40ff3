/**
 * The second factor (decisions 1–3, 23): the second step of a sign-in, and proofs within a session. A challenge is named by its nonce and continued by a
 * secret of its own; only hashes are stored. Counters hold over all methods and commit even when the proof is wrong, and a code's time step is used up
 * under the lock of its user's row.
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
import { type AuditChange, recordAudit } from '../../domain/audit.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { factorSetMail, recoveryCodeUsedMail } from './auth.mails.ts';
import { type Account, findAccount, findAccountForUpdate } from './auth.store.ts';
import { consumeChallenge, insertChallenge, takeChallenge, updateSecondFactor } from './mfa.store.ts';
import { listPasskeys } from './passkeys.store.ts';
import { passkeyRequestFor, passkeySiteOf, provePasskey } from './passkeys.ts';
import { countRecoveryCodes, useRecoveryCode } from './recoveryCodes.ts';
import { actorOf, type Origin, type Sessions } from './sessions.ts';
import { forgetTries, takeTry } from './throttle.ts';
import { drawSecret, newTotpSecret, stepOf } from './totp.ts';

export type SecondFactor = ReturnType<typeof createSecondFactor>;

const codesAnAccount = {
  most: 10,
  minutes: 15,
  text: 'Too many codes were tried for this account. Please wait a few minutes before you try again.',
};

const endedText = 'This sign-in has ended. Please start again with your email address and password.';
const ended = () => problem.invalid({ nonce: [endedText] }, endedText);

/** What is wrong with a proof, at its own field. */
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
/** Of a secret that is being set up. */
const newSecretPlace = ({ organisationId }: Owner, nonce: string): Place => ({
  organisationId,
  column: 'mfa_challenges.new_secret',
  id: hashOfToken(nonce),
});
/** As it is stored, for accounts that begin with a second factor: the demo's. */
export const sealerOf = (keys: Keys) => (tx: Tx, owner: Owner, secret: string) => keys.seal(tx, secretPlace(owner), secret);

/** What continues a sign-in, or an enrolment in its session, is worth nothing with another nonce. */
const hashOfContinuation = (nonce: string, password: string) => createHash('sha256').update(`${nonce}\n${password}`).digest();

const scopeOfAccount = (account: Account): Scope => ({ organisationIds: [account.organisationId] });

export function createSecondFactor({
  db,
  clock,
  keys,
  sessions,
  outbox,
  brand,
}: {
  db: Database;
  clock: Clock;
  keys: Pick<Keys, 'seal' | 'open'>;
  sessions: Sessions;
  outbox: OutboxService;
  brand: Pick<BrandService, 'ofMails' | 'siteOf'>;
}) {
  const audit = (tx: Tx, account: Account, origin: Pick<Origin, 'address'>, change: AuditChange) =>
    recordAudit(tx, actorOf(account, origin), {
      ...change,
      organisationId: account.organisationId,
      target: String(account.id),
    });
  const takeCodeTry = (userId: number) => scoped(db, 'system', (tx) => takeTry(tx, 'code', userId, codesAnAccount));

  /**
   * Judges a proof and uses it up, in a transaction that holds the account's row and is to commit whatever comes of it. Answers undefined for a wrong
   * one.
   */
  const judge = async (
    tx: Tx,
    account: Account,
    { proof, boundTo, origin }: { proof: SecondFactorProof; boundTo: string; origin: Pick<Origin, 'address'> },
  ): Promise<{ recoveryCodesLeft?: number } | undefined> => {
    if (!account.isMfaSet) return undefined;
    if ('passkey' in proof) return (await provePasskey(tx, account, proof.passkey, boundTo)) ? {} : undefined;
    if ('code' in proof) return (await judgeCode(tx, account, proof.code)) ? {} : undefined;
    const recoveryCodesLeft = await useRecoveryCode(tx, scopeOfAccount(account), account.id, proof.recoveryCode);
    if (recoveryCodesLeft === undefined) return undefined;
    await audit(tx, account, origin, { action: 'user.recoveryCodeUsed', after: { left: recoveryCodesLeft } });
    await outbox.queue(tx, recoveryCodeUsedMail(account, recoveryCodesLeft));
    return { recoveryCodesLeft };
  };

  /** Uses a code's time step up; with a challenge's new secret, the code sets the factor. False for a wrong code. */
  const judgeCode = async (
    tx: Tx,
    account: Account,
    code: string,
    pending?: { newSecret: Buffer; nonce: string },
  ): Promise<boolean> => {
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
  };

  const draw = async (tx: Tx, account: Account, secret: string) => {
    const { name } = await brand.ofMails(tx, account.organisationId);
    return () => drawSecret(secret, name, account.email);
  };

  return {
    /** Begins the second step for an account whose password was right. Part of the caller's transaction; answers how to show it afterwards. */
    async challenge(tx: Tx, account: Account, host: string): Promise<() => Promise<MfaChallenge>> {
      const [nonce, password] = [newToken(), newToken()];
      const secret = account.isMfaSet ? undefined : newTotpSecret();
      await insertChallenge(tx, {
        nonce,
        kind: 'signIn',
        account,
        passwordHash: hashOfContinuation(nonce, password),
        newSecret: secret === undefined ? null : await keys.seal(tx, newSecretPlace(account, nonce), secret),
      });
      const qrCode = secret === undefined ? undefined : await draw(tx, account, secret);
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
    },

    /** The proof, with what continues the sign-in: the challenge's password, or the typed one. */
    async complete(
      input: z.output<(typeof authApi.completeMfa)['body']>,
      origin: Origin,
    ): Promise<{ user: SessionUser; recoveryCodesLeft?: number }> {
      const proof = proofOf(input);
      if (!proof) throw problem.invalid({ code: [oneProofText] });
      const challenge = await scoped(db, 'system', (tx) => takeChallenge(tx, 'signIn', input.nonce));
      if (!challenge) throw ended();
      await takeCodeTry(challenge.userId);
      if (!timingSafeEqual(hashOfContinuation(input.nonce, input.password), challenge.passwordHash)) {
        const account = await scoped(db, 'system', (tx) => findAccount(tx, challenge.userId));
        if (!(await verifyPassword(account?.passwordHash, input.password))) throw ended();
      }

      const answer = await scoped(db, 'system', async (tx) => {
        const account = await findAccountForUpdate(tx, challenge.userId);
        const { newSecret } = challenge;
        // Somebody else has enrolled, or the second factor was reset, since this sign-in began.
        if (!account || account.isMfaSet === (newSecret !== null)) return 'ended';
        const proved = newSecret
          ? 'code' in proof && (await judgeCode(tx, account, proof.code, { newSecret, nonce: input.nonce })) && {}
          : await judge(tx, account, { proof, boundTo: input.nonce, origin });
        if (!proved) {
          await audit(tx, account, origin, { action: 'user.signInRefused', after: { method: methodOf(proof) } });
          return 'wrong';
        }
        // A challenge that another call has used up: what this one changed is taken back with it.
        if (!(await consumeChallenge(tx, input.nonce))) throw ended();
        await forgetTries(tx, 'code', account.id);
        if (newSecret) {
          await audit(tx, account, origin, { action: 'user.mfaSet' });
          await outbox.queue(tx, factorSetMail(account));
        }
        return { user: await sessions.start(tx, account, origin, 'mfa'), ...proved };
      });
      if (answer === 'ended') throw ended();
      if (answer === 'wrong') throw refusalOf(proof);
      return answer;
    },

    /**
     * Judges a proof of whoever is signed in: the one place for a fresh second factor. Throws invalid, at the proof's field, when it is wrong, and
     * tooManyRequests when no try is left. A passkey answers `request` of the same session.
     */
    async verify(actor: Pick<Actor, 'userId' | 'sessionId' | 'address'>, proof: SecondFactorProof): Promise<void> {
      await takeCodeTry(actor.userId);
      const isRight = await scoped(db, 'system', async (tx) => {
        const account = await findAccountForUpdate(tx, actor.userId);
        if (!account) return false;
        const proved = await judge(tx, account, { proof, boundTo: actor.sessionId, origin: actor });
        if (proved) await forgetTries(tx, 'code', account.id);
        else await audit(tx, account, actor, { action: 'user.proofRefused', after: { method: methodOf(proof) } });
        return proved !== undefined;
      });
      if (!isRight) throw refusalOf(proof, 'code');
    },

    /** What the browser needs for a passkey's proof within a session; null where there is none for this host. */
    async request(actor: Pick<Actor, 'userId' | 'sessionId'>, host: string) {
      const site = await passkeySiteOf(brand, host);
      return scoped(db, 'system', async (tx) => {
        const owner = await findAccount(tx, actor.userId);
        if (!owner?.isMfaSet) return null;
        const passkeys = await listPasskeys(tx, scopeOfAccount(owner), owner.id);
        return passkeyRequestFor(tx, { owner, passkeys, site, boundTo: actor.sessionId });
      });
    },

    /** Begins to set an authenticator app up within a session; undefined where one is set up. */
    async startEnrolment(actor: Pick<Actor, 'userId' | 'sessionId'>) {
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
        return { nonce, qrSecret: secret, qrCode: await draw(tx, account, secret) };
      });
      return started && { nonce: started.nonce, qrSecret: started.qrSecret, qrCodeImage: await started.qrCode() };
    },

    /** The app's first code sets the factor; `work` is part of the same transaction. Throws invalid for a wrong code or a nonce that is over. */
    async confirmEnrolment<T>(
      actor: Pick<Actor, 'userId' | 'sessionId' | 'address'>,
      { nonce, code }: { nonce: string; code: string },
      work: (tx: Tx, account: Account) => Promise<T>,
    ): Promise<T> {
      const challenge = await scoped(db, 'system', (tx) => takeChallenge(tx, 'enrolment', nonce));
      const isOwn = challenge && timingSafeEqual(hashOfContinuation(nonce, actor.sessionId), challenge.passwordHash);
      const overText = 'This setup has ended. Please start again.';
      const over = () => problem.invalid({ nonce: [overText] }, overText);
      if (!isOwn || challenge.userId !== actor.userId) throw over();
      await takeCodeTry(actor.userId);
      const done = await scoped(db, 'system', async (tx) => {
        const account = await findAccountForUpdate(tx, actor.userId);
        if (!account || account.isMfaSet || !challenge.newSecret) return 'over';
        if (!(await judgeCode(tx, account, code, { newSecret: challenge.newSecret, nonce }))) return 'wrong';
        if (!(await consumeChallenge(tx, nonce))) throw over();
        await forgetTries(tx, 'code', account.id);
        await audit(tx, account, actor, { action: 'user.mfaSet' });
        await outbox.queue(tx, factorSetMail(account));
        return { result: await work(tx, account) };
      });
      if (done === 'over') throw over();
      if (done === 'wrong') throw refusalOf({ code });
      return done.result;
    },
  };
}
