/**
 * Signing in by password or stored token. Known, unknown and deleted accounts answer alike in text and time; wrong passwords slow an
 * account and an address down (decision 7).
 */
import { randomUUID } from 'node:crypto';
import type { SessionUser } from '@parapet/contract/auth.ts';
import { problem } from '@parapet/contract/problem.ts';
import { recordAudit } from '../../core/audit.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { type Account, findAccount, findAccountByEmail, findActors, insertSession, revokeSession } from './auth.store.ts';
import { verifyPassword } from './passwords.ts';
import type { Throttle } from './throttle.ts';
import type { Tokens } from './tokens.ts';

export const sessionHours = 12;
export const idleMinutes = 60;

export interface Origin {
  address: string;
  userAgent: string;
}

export type AuthService = ReturnType<typeof createAuthService>;

export function createAuthService({ db, tokens, throttle }: { db: Database; tokens: Tokens; throttle: Throttle }) {
  const sessionUserOf = async (account: Account, sessionId: string): Promise<SessionUser> => ({
    id: account.id,
    displayName: `${account.firstName} ${account.lastName}`.trim(),
    emailAddress: account.email,
    role: [account.role],
    accessToken: await tokens.issue(account.id, sessionId),
    isPartner: account.isPartner,
    clientOrganizationID: account.organisationId,
    logoURL: '',
    profileURL: '',
    data: { settings: account.data.settings ?? {}, shortcuts: account.data.shortcuts ?? [] },
    partnerOrg: { clientOrganizationID: account.partnerId, partnerName: account.partnerName },
  });

  return {
    async authenticate(input: { email: string; password: string }, origin: Origin): Promise<{ user: SessionUser }> {
      throttle.check(input.email, origin.address);
      const account = await scoped(db, 'system', (tx) => findAccountByEmail(tx, input.email));
      const isRight = await verifyPassword(account?.passwordHash, input.password);
      if (!account || !isRight) {
        throttle.failed(input.email, origin.address);
        if (account) {
          await scoped(db, 'system', (tx) =>
            recordAudit(tx, actorOf(account, origin), {
              action: 'user.signInRefused',
              organisationId: account.organisationId,
              target: String(account.id),
            }),
          );
        }
        throw problem.invalid({ email: [refusal], password: [refusal] }, refusal);
      }
      throttle.succeeded(input.email);
      if (account.needsSecondFactor) {
        throw problem.forbidden(
          'This account needs its second factor, which this portal cannot ask for yet. Please ask your administrator.',
        );
      }
      const sessionId = randomUUID();
      await scoped(db, 'system', async (tx) => {
        await insertSession(tx, {
          id: sessionId,
          userId: account.id,
          organisationId: account.organisationId,
          hours: sessionHours,
          ...origin,
        });
        await recordAudit(tx, actorOf(account, origin), {
          action: 'user.signedIn',
          organisationId: account.organisationId,
          target: String(account.id),
        });
      });
      return { user: await sessionUserOf(account, sessionId) };
    },

    /** Signs in with a stored token and renews it; the session's own limit stays. */
    async renew(accessToken: string): Promise<{ user: SessionUser }> {
      const claims = await tokens.read(accessToken);
      if (!claims) throw problem.signInNeeded('The stored sign-in is not valid any more. Please sign in again.');
      const actor = (await findActors(db, [claims.sessionId], idleMinutes)).get(claims.sessionId);
      const account =
        actor?.userId === claims.userId ? await scoped(db, 'system', (tx) => findAccount(tx, claims.userId)) : undefined;
      if (!account) throw problem.signInNeeded('The stored sign-in is not valid any more. Please sign in again.');
      return { user: await sessionUserOf(account, claims.sessionId) };
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
  };
}

const refusal = 'The email address or the password is not right.';
const actorOf = (account: Account, origin: Origin) => ({
  userId: account.id,
  organisationId: account.organisationId,
  address: origin.address,
});
