/**
 * Sign-in by password or stored token, and a session’s own calls. Unknown, deleted and single-sign-on-only accounts are refused with
 * the same text in the same time as a wrong password; failures slow an account and an address down.
 */
import type { MfaChallenge, SessionUser, UserData } from '@parapet/contract/auth.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import { safePath } from '@parapet/contract/rules/safePath.ts';
import { sql } from 'kysely';
import type { Afterwards } from '../../core/afterwards.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { verifyPassword } from '../../core/passwords.ts';
import { recordOwnAudit } from '../../domain/audit.ts';
import { type AddressThrottle, claimBurstNotice, clearPasswordAttempts, consumePasswordAttempt } from '../../domain/throttle.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { wrongPasswordsMail } from './auth.mails.ts';
import {
  type Account,
  findAccount,
  findAccountByEmail,
  findAccountForUpdate,
  findActors,
  removeEnded,
  revokeSession,
  updateData,
} from './auth.store.ts';
import type { SecondFactor } from './mfa.service.ts';
import { actorOf, idleMinutes, type Origin, type Sessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

export type AuthService = ReturnType<typeof createAuthService>;

/** Failed sign-ins that trigger a notice to the owner. */
const burst = { min: 10, minutes: 15 };

const refusal = 'Incorrect email address or password.';
const refused = () => problem.invalid({ email: [refusal], password: [refusal] }, refusal);

export interface AuthServiceDeps {
  db: Database;
  tokens: Tokens;
  sessions: Sessions;
  secondFactor: SecondFactor;
  throttle: AddressThrottle;
  outbox: OutboxService;
  afterwards: Afterwards;
  customerSuccessUrl: string | undefined;
  /** Called once the refusal is recorded. */
  onWrongPassword: (organisationId: number, address: string) => void;
}

/** Records a wrong password and emails the owner of the account after a burst of them. */
async function recordWrongPassword(
  { db, outbox, afterwards, onWrongPassword }: AuthServiceDeps,
  { email, account, origin }: { email: string; account: Account | undefined; origin: Origin },
): Promise<void> {
  // Runs as many statements for an unknown account, which has no organisation’s log, as for a known one; neither waits for the disk.
  const isBurst = await scoped(db, 'system', async (tx) => {
    await sql`set local synchronous_commit = off`.execute(tx);
    if (!account) await tx.selectFrom('audit').select('id').where('id', '=', 0).executeTakeFirst();
    else await recordOwnAudit(tx, actorOf(account, origin), { action: 'user.signInRefused', after: { method: 'password' } });
    return claimBurstNotice(tx, email, burst);
  });
  if (!account) return;
  onWrongPassword(account.organisationId, origin.address);
  if (isBurst)
    afterwards.run(async (tx) => {
      await outbox.queue(tx, wrongPasswordsMail(account, burst.min, burst.minutes));
    });
}

export function createAuthService(deps: AuthServiceDeps) {
  const { db, tokens, sessions, secondFactor, throttle, customerSuccessUrl } = deps;
  return {
    async authenticate(
      input: { email: string; password: string },
      origin: Origin,
      host: string,
    ): Promise<{ user: SessionUser } | { mfaChallenge: MfaChallenge }> {
      throttle('sign-in', origin.address);
      const account = await scoped(
        db,
        'system',
        async (tx) => {
          const [found] = await Promise.all([
            findAccountByEmail(tx, input.email),
            consumePasswordAttempt(tx, input.email, origin.address),
          ]);
          return found;
        },
        { isPrepared: true },
      );
      const isRight = await verifyPassword(account?.passwordHash, input.password);
      if (!account || !isRight) {
        await recordWrongPassword(deps, { email: input.email, account, origin });
        throw refused();
      }
      const next = await scoped(
        db,
        'system',
        async (tx) => {
          // Re-read: the password, the MFA policy or the account may have changed during verification.
          const current = await findAccountForUpdate(tx, account.id);
          if (!current || current.passwordHash !== account.passwordHash) throw refused();
          const clearing = clearPasswordAttempts(tx, input.email, origin.address);
          const [next] = await Promise.all([
            current.isMfaNeeded ? secondFactor.challenge(tx, current, host) : sessions.start(tx, current, origin, 'password'),
            clearing,
          ]);
          return next;
        },
        { isPrepared: true },
      );
      return typeof next === 'function' ? { mfaChallenge: await next() } : { user: next };
    },

    /** Signs in with a stored token and renews it; the session’s limit and sign-in time stay. */
    async renew(accessToken: string): Promise<{ user: SessionUser }> {
      const claims = await tokens.read(accessToken);
      const actor = claims && (await findActors(db, [claims.sessionId], idleMinutes)).get(claims.sessionId);
      const user =
        claims && actor?.userId === claims.userId
          ? await readScoped(db, 'system', async (tx) => {
              const account = await findAccount(tx, claims.userId);
              return account && sessions.userOf(tx, account, claims.sessionId);
            })
          : undefined;
      if (!user) throw problem.signInNeeded('Your sign-in has expired. Sign in again.');
      return { user };
    },

    async logout(actor: Actor): Promise<void> {
      await scoped(db, 'system', async (tx) => {
        await revokeSession(tx, actor.sessionId);
        await recordOwnAudit(tx, actor, { action: 'user.signedOut' });
      });
    },

    async updateUserData(actor: Actor, data: UserData): Promise<{ data: UserData }> {
      await scoped(db, 'system', async (tx) => {
        await updateData(tx, actor.userId, data);
        await recordOwnAudit(tx, actor, { action: 'user.dataSaved' });
      });
      return { data };
    },

    /** Address of the customer-success tool for the actor: carries ids, never a token. */
    customerSuccess(actor: Actor, link: string | undefined): { url: string } {
      if (customerSuccessUrl === undefined)
        throw new Problem('notFound', 'No customer-success tool is configured for this portal (CUSTOMER_SUCCESS_URL).');
      const url = new URL(customerSuccessUrl);
      url.searchParams.set('contactID', String(actor.userId));
      url.searchParams.set('accountID', String(actor.organisationId));
      url.searchParams.set('next', safePath(link) ?? '/apps/dashboard');
      return { url: url.href };
    },

    /** Scheduled removal of expired rows. */
    sweep: (): Promise<void> => scoped(db, 'system', removeEnded, { statementTimeoutMs: 60_000 }),
  };
}
