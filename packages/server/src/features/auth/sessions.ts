/** A session and its token for whoever has proved to be somebody, whichever way: the only place where one begins. */
import { randomUUID } from 'node:crypto';
import type { SessionUser } from '@parapet/contract/auth.ts';
import { recordAudit } from '../../core/audit.ts';
import type { Tx } from '../../core/db/scope.ts';
import { type Account, insertSession, type Method } from './auth.store.ts';
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

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({
  tokens,
  logoUrl,
  pictureUrl,
}: {
  tokens: Tokens;
  /** Path of a brand's logo, by its sub-domain and the version of the image. */
  logoUrl: (subDomain: string, version: string | null) => string;
  /** Signed path of a profile picture; empty when there is none. */
  pictureUrl: (userId: number, version: string | null) => string;
}) {
  return {
    /** Part of the caller's transaction. Answers the session's id. */
    async start(tx: Tx, account: Account, origin: Origin, method: Method): Promise<string> {
      const id = randomUUID();
      await insertSession(tx, {
        id,
        userId: account.id,
        organisationId: account.organisationId,
        method,
        hours: sessionHours,
        ...origin,
      });
      await recordAudit(tx, actorOf(account, origin), {
        action: 'user.signedIn',
        organisationId: account.organisationId,
        target: String(account.id),
        after: { method },
      });
      return id;
    },

    /** The answer of every way in, with a fresh token. */
    userOf: async (account: Account, sessionId: string): Promise<SessionUser> => ({
      id: account.id,
      displayName: `${account.firstName} ${account.lastName}`.trim(),
      emailAddress: account.email,
      role: account.role === '' ? [] : [account.role],
      accessToken: await tokens.issue(account.id, sessionId),
      isPartner: account.isPartner,
      clientOrganizationID: account.organisationId,
      logoURL: account.subDomain === null ? '' : logoUrl(account.subDomain, account.logoVersion),
      profileURL: pictureUrl(account.id, account.pictureVersion),
      data: { settings: account.data.settings ?? {}, shortcuts: account.data.shortcuts ?? [] },
      partnerOrg: { clientOrganizationID: account.partnerId, partnerName: account.partnerName },
    }),
  };
}
