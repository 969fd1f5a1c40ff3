/** Starts sessions and issues their tokens, for every way of signing in. */
import { randomUUID } from 'node:crypto';
import type { SessionUser } from '@parapet/contract/auth.ts';
import type { PartnerOrganisation } from '@parapet/contract/organisations.ts';
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import { recordAudit, recordOwnAudit } from '../../domain/audit.ts';
import { type Account, insertSession, type Method, type Proof } from './auth.store.ts';
import type { Tokens } from './tokens.ts';

export const sessionHours = 12;
export const idleMinutes = 60;

export interface Origin {
  address: string;
  userAgent: string;
}

export const actorOf = (account: Pick<Account, 'id' | 'organisationId'>, origin: Pick<Origin, 'address'>) => ({
  userId: account.id,
  organisationId: account.organisationId,
  address: origin.address,
});

/** Proof that a sign-in gives. Single sign-on gives none: its claims carry the proof (sso.proof.ts). */
const proofBy = (method: Method, now: Date): Proof => {
  if (method === 'singleSignOn') return { provenAt: null, secondFactorAt: null };
  return { provenAt: now, secondFactorAt: method === 'mfa' ? now : null };
};

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({
  tokens,
  partnerOf,
  pictureUrl,
  maxSessions,
  clock,
}: {
  tokens: Tokens;
  /** Contact and brand of an organisation’s partner. */
  partnerOf: (tx: Tx, organisationId: number) => Promise<PartnerOrganisation | undefined>;
  /** Signed path of a profile picture; empty when there is none. */
  pictureUrl: (userId: number, version: string | null) => string;
  /** Limit of live sessions per user; a further sign-in ends the least recently used. */
  maxSessions: number;
  clock: Clock;
}) {
  /** Response of every sign-in, with a fresh token. Runs in the caller’s transaction to save a round trip under load. */
  const userOf = async (tx: Tx, account: Account, sessionId: string): Promise<SessionUser> => {
    const [partnerOrg, accessToken] = await Promise.all([
      partnerOf(tx, account.organisationId),
      tokens.issue(account.id, sessionId),
    ]);
    return {
      id: account.id,
      displayName: `${account.firstName} ${account.lastName}`.trim(),
      emailAddress: account.email,
      role: account.role === '' ? [] : [account.role],
      accessToken,
      isPartner: account.isPartner,
      clientOrganizationID: account.organisationId,
      clientOrganizationName: account.organisationName,
      logoURL: partnerOrg?.logoURL ?? '',
      profileURL: pictureUrl(account.id, account.pictureVersion),
      data: { settings: account.data.settings ?? {}, shortcuts: account.data.shortcuts ?? [] },
      partnerOrg: partnerOrg ?? null,
    };
  };

  return {
    userOf,

    /** Starts a session in the caller’s transaction; the token is valid only once that commits. */
    async start(
      tx: Tx,
      account: Account,
      origin: Origin,
      method: Method,
      proof: Proof = proofBy(method, new Date(clock.now())),
    ): Promise<SessionUser> {
      const id = randomUUID();
      const [user, ended] = await Promise.all([
        userOf(tx, account, id),
        insertSession(tx, {
          id,
          userId: account.id,
          organisationId: account.organisationId,
          method,
          hours: sessionHours,
          idleMinutes,
          maxSessions,
          provenAt: proof.provenAt,
          secondFactorAt: proof.secondFactorAt,
          ...origin,
        }),
        recordOwnAudit(tx, actorOf(account, origin), { action: 'user.signedIn', after: { method } }),
      ]);
      for (const target of ended)
        await recordAudit(tx, actorOf(account, origin), {
          action: 'session.ended',
          organisationId: account.organisationId,
          target,
          after: { reason: `More than ${maxSessions} sessions at once` },
        });
      return user;
    },
  };
}
