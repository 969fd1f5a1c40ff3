/**
 * Signing in by password or stored token, and what a session can do about itself. Known, unknown, deleted and single-sign-on-only accounts
 * answer alike in text and time; wrong passwords slow an account and an address down (decision 7).
 */
import type { MfaChallenge, SessionUser, UserData } from '@parapet/contract/auth.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import { safePath } from '@parapet/contract/rules/safePath.ts';
import { sql } from 'kysely';
import type { Afterwards } from '../../core/afterwards.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { verifyPassword } from '../../core/passwords.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { wrongPasswordsMail } from './auth.mails.ts';
import {
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
import { type AddressThrottle, forgetPasswordTries, takeBurstNotice, takePasswordTry } from './throttle.ts';
import type { Tokens } from './tokens.ts';

export type AuthService = ReturnType<typeof createAuthService>;

/** Wrong passwords that the owner is told of. */
const burst = { most: 10, minutes: 15 };

const refusal = 'The email address or the password is not right.';
const refused = () => problem.invalid({ email: [refusal], password: [refusal] }, refusal);

export function createAuthService({
  db,
  tokens,
  sessions,
  secondFactor,
  throttle,
  outbox,
  afterwards,
  customerSuccessUrl,
  onWrongPassword,
}: {
  db: Database;
  tokens: Tokens;
  sessions: Sessions;
  secondFactor: SecondFactor;
  throttle: AddressThrottle;
  outbox: OutboxService;
  afterwards: Afterwards;
  customerSuccessUrl: string | undefined;
  /** Called after the refusal was recorded. */
  onWrongPassword: (organisationId: number, address: string) => void;
}) {
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
            takePasswordTry(tx, input.email, origin.address),
          ]);
          return found;
        },
        { isPrepared: true },
      );
      const isRight = await verifyPassword(account?.passwordHash, input.password);
      if (!account || !isRight) {
        // As many statements for an unknown account, whose refusal belongs to no organisation's log; and neither waits for the disk.
        const isBurst = await scoped(db, 'system', async (tx) => {
          await sql`set local synchronous_commit = off`.execute(tx);
          if (!account) await tx.selectFrom('audit').select('id').where('id', '=', 0).executeTakeFirst();
          else
            await recordAudit(tx, actorOf(account, origin), {
              action: 'user.signInRefused',
              organisationId: account.organisationId,
              target: String(account.id),
              after: { method: 'password' },
            });
          return takeBurstNotice(tx, input.email, burst);
        });
        if (account) onWrongPassword(account.organisationId, origin.address);
        if (account && isBurst)
          afterwards.run(async (tx) => {
            await outbox.queue(tx, wrongPasswordsMail(account, burst.most, burst.minutes));
          });
        throw refused();
      }
      const next = await scoped(
        db,
        'system',
        async (tx) => {
          // While the password was verified, somebody may have changed it, asked for a second factor or deleted the account.
          const now = await findAccountForUpdate(tx, account.id);
          if (!now || now.passwordHash !== account.passwordHash) throw refused();
          const forgetting = forgetPasswordTries(tx, input.email, origin.address);
          const [next] = await Promise.all([
            now.isMfaNeeded ? secondFactor.challenge(tx, now, host) : sessions.start(tx, now, origin, 'password'),
            forgetting,
          ]);
          return next;
        },
        { isPrepared: true },
      );
      return typeof next === 'function' ? { mfaChallenge: await next() } : { user: next };
    },

    /** Signs in with a stored token and renews it; the session's own limit and the time of its sign-in stay. */
    async renew(accessToken: string): Promise<{ user: SessionUser }> {
      const claims = await tokens.read(accessToken);
      const actor = claims && (await findActors(db, [claims.sessionId], idleMinutes)).get(claims.sessionId);
      const user =
        claims && actor?.userId === claims.userId
          ? await scoped(
              db,
              'system',
              async (tx) => {
                const account = await findAccount(tx, claims.userId);
                return account && sessions.userOf(tx, account, claims.sessionId);
              },
              { readOnly: true },
            )
          : undefined;
      if (!user) throw problem.signInNeeded('The stored sign-in is not valid any more. Please sign in again.');
      return { user };
    },

    async logout(actor: Actor): Promise<void> {
      await scoped(db, 'system', async (tx) => {
        await revokeSession(tx, actor.sessionId);
        await recordAudit(tx, actor, {
          action: 'user.signedOut',
          organisationId: actor.organisationId,
          target: String(actor.userId),
        });
      });
    },

    async updateUserData(actor: Actor, data: UserData): Promise<{ data: UserData }> {
      await scoped(db, 'system', async (tx) => {
        await updateData(tx, actor.userId, data);
        await recordAudit(tx, actor, {
          action: 'user.dataSaved',
          organisationId: actor.organisationId,
          target: String(actor.userId),
        });
      });
      return { data };
    },

    /** Where one's own account goes on to the customer-success tool: by ids, never with a token (decisions 10, 11b). */
    customerSuccess(actor: Actor, link: string | undefined): { url: string } {
      if (customerSuccessUrl === undefined)
        throw new Problem('notFound', 'No customer-success tool is configured for this portal (CUSTOMER_SUCCESS_URL).');
      const url = new URL(customerSuccessUrl);
      url.searchParams.set('contactID', String(actor.userId));
      url.searchParams.set('accountID', String(actor.organisationId));
      url.searchParams.set('next', safePath(link) ?? '/apps/dashboard');
      return { url: url.href };
    },

    /** By the clock: what has ended is not kept. */
    sweep: (): Promise<void> => scoped(db, 'system', removeEnded, { statementTimeoutMs: 60_000 }),
  };
}
