/**
 * The second step of a sign-in (decisions 1–3). A challenge is named by its nonce and continued by a secret of its own; only hashes are stored.
 * Counters commit even when the sign-in fails, and a code's time step is used up under the lock of its user's row.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type MfaChallenge, type SessionUser, wrongCodeText } from '@parapet/contract/auth.ts';
import { problem } from '@parapet/contract/problem.ts';
import { Secret, TOTP } from 'otpauth';
import { toString as drawQr } from 'qrcode';
import { recordAudit } from '../../core/audit.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { verifyPassword } from '../../core/passwords.ts';
import { newToken, type Seal } from '../../core/secrets.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { type Account, findAccount, findAccountForUpdate } from './auth.store.ts';
import { consumeChallenge, insertChallenge, takeChallenge, updateSecondFactor } from './mfa.store.ts';
import { actorOf, type Origin, type Sessions } from './sessions.ts';
import { forgetTries, takeTry } from './throttle.ts';

export type SecondFactor = ReturnType<typeof createSecondFactor>;

const stepSeconds = 30;
const codesAnAccount = {
  most: 10,
  minutes: 15,
  text: 'Too many codes were tried for this account. Please wait a few minutes before you try again.',
};
const endedText = 'This sign-in has ended. Please start again with your email address and password.';
const ended = () => problem.invalid({ nonce: [endedText] }, endedText);

/** Binds a sealed secret to its user. */
const aboutSecret = (userId: number) => `second factor of user ${userId}`;
/** As it is stored, for accounts that begin with a second factor: the demo's. */
export const sealedSecret = (seal: Seal) => (userId: number, secret: string) => seal.seal(secret, aboutSecret(userId));

const generatorOf = (secret: string) =>
  new TOTP({ algorithm: 'SHA1', digits: 6, period: stepSeconds, secret: Secret.fromBase32(secret) });

const isSame = (a: string, b: string) =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

/** The time step of a code, this one or the one before; undefined for a wrong code. */
function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  const now = Math.floor(nowMs / 1000 / stepSeconds);
  const generator = generatorOf(secret);
  return [now, now - 1].find((step) => isSame(generator.generate({ timestamp: step * stepSeconds * 1000 }), code));
}

/** What continues a sign-in is worth nothing with another nonce. */
const hashOfContinuation = (nonce: string, password: string) => createHash('sha256').update(`${nonce}\n${password}`).digest();

export function createSecondFactor({
  db,
  clock,
  seal,
  sessions,
  outbox,
  brandNameOf,
}: {
  db: Database;
  clock: Clock;
  seal: Seal;
  sessions: Sessions;
  outbox: OutboxService;
  brandNameOf: (tx: Tx, organisationId: number) => Promise<string>;
}) {
  return {
    /** Begins the second step for an account whose password was right. Part of the caller's transaction; answers how to show it afterwards. */
    async challenge(tx: Tx, account: Account): Promise<() => Promise<MfaChallenge>> {
      const [nonce, password] = [newToken(), newToken()];
      const secret = account.isMfaSet ? undefined : new Secret({ size: 20 }).base32;
      await insertChallenge(tx, {
        nonce,
        account,
        passwordHash: hashOfContinuation(nonce, password),
        newSecret: secret === undefined ? null : seal.seal(secret, aboutSecret(account.id)),
      });
      // A QR code holds less than 2 kB, and the name stands in it twice.
      const issuer = secret === undefined ? '' : [...(await brandNameOf(tx, account.organisationId))].slice(0, 60).join('');
      const address =
        secret === undefined ? '' : new TOTP({ issuer, label: account.email, secret: Secret.fromBase32(secret) }).toString();
      return async () => ({
        nonce,
        method: 'authenticator',
        data: account.email,
        setupNeeded: secret !== undefined,
        qrCodeImage: address === '' ? '' : await drawQr(address, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 }),
        qrSecret: secret ?? '',
        password,
      });
    },

    /** The code, with what continues the sign-in: the challenge's password, or the typed one. */
    async complete(input: { nonce: string; code: string; password: string }, origin: Origin): Promise<{ user: SessionUser }> {
      const challenge = await scoped(db, 'system', (tx) => takeChallenge(tx, input.nonce));
      if (!challenge) throw ended();
      await scoped(db, 'system', (tx) => takeTry(tx, 'code', challenge.userId, codesAnAccount));
      if (!timingSafeEqual(hashOfContinuation(input.nonce, input.password), challenge.passwordHash)) {
        const account = await scoped(db, 'system', (tx) => findAccount(tx, challenge.userId));
        if (!(await verifyPassword(account?.passwordHash, input.password))) throw ended();
      }

      const user = await scoped(db, 'system', async (tx) => {
        const account = await findAccountForUpdate(tx, challenge.userId);
        // Somebody else has enrolled, or the second factor was reset, since this sign-in began.
        const sealed = challenge.newSecret ?? account?.mfaSecret;
        if (!account || !sealed || account.isMfaSet === (challenge.newSecret !== null)) return 'ended';
        const step = stepOf(seal.open(sealed, aboutSecret(account.id)), input.code, clock.now());
        if (step === undefined || step <= (account.mfaLastStep ?? -1)) {
          await recordAudit(tx, actorOf(account, origin), {
            action: 'user.signInRefused',
            organisationId: account.organisationId,
            target: String(account.id),
            after: { method: 'mfa' },
          });
          return 'wrong';
        }
        if (!(await consumeChallenge(tx, input.nonce))) return 'ended';
        await updateSecondFactor(tx, account.id, { step, newSecret: challenge.newSecret });
        await forgetTries(tx, 'code', account.id);
        if (challenge.newSecret) {
          await recordAudit(tx, actorOf(account, origin), {
            action: 'user.mfaSet',
            organisationId: account.organisationId,
            target: String(account.id),
          });
          await outbox.queue(tx, {
            organisationId: account.organisationId,
            kind: 'user.mfaSet',
            to: [account.email],
            subject: 'A second factor was set up',
            title: 'A second factor was set up for your account',
            paragraphs: ['From now on, each sign-in asks for a code of the authenticator app that was set up just now.'],
            notes: ['If it was not you, tell your administrator at once: somebody knows your password.'],
          });
        }
        return sessions.start(tx, account, origin, 'mfa');
      });
      if (user === 'ended') throw ended();
      if (user === 'wrong') throw problem.invalid({ wrongCode: [wrongCodeText] }, wrongCodeText);
      return { user };
    },
  };
}
