/** A session and its token for whoever has proved to be somebody, whichever way: the only place where one begins. */
import { randomUUID } from 'node:crypto';
import type { SessionUser } from '@parapet/contract/auth.ts';
import type { PartnerOrganisation } from '@parapet/contract/organisations.ts';
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
  partnerOf,
  pictureUrl,
}: {
  tokens: Tokens;
  /** Contact and brand of the partner that looks after an organisation. */
  partnerOf: (tx: Tx, organisationId: number) => Promise<PartnerOrganisation | undefined>;
  /** Signed path of a profile picture; empty when there is none. */
  pictureUrl: (userId: number, version: string | null) => string;
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
    async start(tx: Tx, account: Account, origin: Origin, method: Method): Promise<SessionUser> {
      const id = randomUUID();
      const [user] = await Promise.all([
        userOf(tx, account, id),
        insertSession(tx, {
          id,
          userId: account.id,
          organisationId: account.organisationId,
          method,
          hours: sessionHours,
          ...origin,
        }),
        recordAudit(tx, actorOf(account, origin), {
          action: 'user.signedIn',
          organisationId: account.organisationId,
          target: String(account.id),
          after: { method },
        }),
      ]);
      return user;
    },
  };
}
