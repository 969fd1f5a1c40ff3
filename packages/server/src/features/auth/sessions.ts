/** A session and its token for whoever has proved to be somebody, whichever way: the only place where one begins. */
import { randomUUID } from 'node:crypto';
import type { SessionUser } from '@parapet/contract/auth.ts';
import type { PartnerOrganisation } from '@parapet/contract/organisations.ts';
import type { Tx } from '../../core/db/scope.ts';
import { recordAudit } from '../../domain/audit.ts';
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

/** The sign-in itself is the proof; what an identity provider proved it has to say. */
const proofBy = (method: Method): Proof => {
  const now = new Date();
  if (method === 'singleSignOn') return { provenAt: null, secondFactorAt: null };
  return { provenAt: now, secondFactorAt: method === 'mfa' ? now : null };
};

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({
  tokens,
  partnerOf,
  pictureUrl,
  maxSessions,
}: {
  tokens: Tokens;
  /** Contact and brand of the partner that looks after an organisation. */
  partnerOf: (tx: Tx, organisationId: number) => Promise<PartnerOrganisation | undefined>;
  /** Signed path of a profile picture; empty when there is none. */
  pictureUrl: (userId: number, version: string | null) => string;
  /** Live ones of one user; a further sign-in ends the least recently used. */
  maxSessions: number;
}) {
  /** The answer of every way in, with a fresh token. Part of the caller's transaction: sign-ins come in crowds. */
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
      logoURL: partnerOrg?.logoURL ?? '',
      profileURL: pictureUrl(account.id, account.pictureVersion),
      data: { settings: account.data.settings ?? {}, shortcuts: account.data.shortcuts ?? [] },
      partnerOrg: partnerOrg ?? null,
    };
  };

  return {
    userOf,

    /** Part of the caller's transaction, so that the answer is worth nothing unless it commits. */
    async start(tx: Tx, account: Account, origin: Origin, method: Method, proof: Proof = proofBy(method)): Promise<SessionUser> {
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
          most: maxSessions,
          provenAt: proof.provenAt,
          secondFactorAt: proof.secondFactorAt,
          ...origin,
        }),
        recordAudit(tx, actorOf(account, origin), {
          action: 'user.signedIn',
          organisationId: account.organisationId,
          target: String(account.id),
          after: { method },
        }),
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
