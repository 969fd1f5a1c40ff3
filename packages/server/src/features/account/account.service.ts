/** The user’s own sessions and API keys, which act with the user’s permissions. */
import { type KeyScope, keyScopes } from '@parapet/contract/access.ts';
import type { accountApi } from '@parapet/contract/account.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, ownScope, scopeOf } from '../../core/http/actor.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { recordAudit, recordAudits } from '../../domain/audit.ts';
import { lockUser } from '../../domain/user-lock.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { expiryMail, scopesMail } from './account.mails.ts';
import {
  countLiveKeys,
  endSessions,
  hasKey,
  insertKey,
  type KeyRow,
  listKeys,
  listMinted,
  listSessions,
  revokeKey,
  revokeMinted,
  takeDueNotices,
} from './account.store.ts';

/** Maximum number of live keys per user. */
const maxLiveKeys = 20;
/** Days before expiry at which an API key’s owner is notified. */
const noticeDays = 14;

const shown = (row: KeyRow) => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
});

export type AccountService = ReturnType<typeof createAccountService>;

export interface AccountServiceDeps {
  db: Database;
  idleMinutes: number;
  outbox: Pick<OutboxService, 'queue'>;
}

const createApiKey =
  ({ db }: AccountServiceDeps) =>
  async (
    actor: Actor,
    input: { name: string; scopes: readonly KeyScope[]; addressRanges: readonly string[]; expiresInDays: number },
  ): Promise<AnswerOf<typeof accountApi.createApiKey>> => {
    const key = `pak_${newToken()}`;
    const scope = ownScope(actor);
    return scoped(db, scope, async (tx) => {
      await lockUser(tx, scope, actor.userId);
      if ((await countLiveKeys(tx, scope, actor.userId)) >= maxLiveKeys)
        throw problem.conflict(`You’ve reached the limit of ${maxLiveKeys} API keys. Revoke one that you no longer use.`);
      const row = await insertKey(tx, {
        organisationId: actor.organisationId,
        userId: actor.userId,
        name: input.name,
        prefix: key.slice(0, 10),
        hash: hashOfToken(key),
        scopes: keyScopes.filter((scope) => input.scopes.includes(scope)),
        addressRanges: input.addressRanges,
        days: input.expiresInDays,
      });
      await recordAudit(tx, actor, {
        action: 'apiKey.created',
        organisationId: actor.organisationId,
        target: String(row.id),
        after: { name: row.name, scopes: row.scopes, addressRanges: row.addressRanges, expiresAt: row.expiresAt },
      });
      return { ...shown(row), key };
    });
  };

const mintedByApiKey =
  ({ db }: AccountServiceDeps) =>
  async (actor: Actor, id: number): Promise<AnswerOf<typeof accountApi.mintedByApiKey>> => {
    const rows = await readScoped(db, scopeOf(actor), async (tx) => {
      if (!(await hasKey(tx, ownScope(actor), actor.userId, id))) throw problem.notFound('API key', id);
      return listMinted(tx, scopeOf(actor), id);
    });
    const results = rows.map((row) => ({
      ...row,
      createdAt: row.createdAt.toISOString(),
      revokedAt: row.revokedAt?.toISOString() ?? null,
    }));
    return { results, total: results.length };
  };

/** Revokes a key; with `withMinted` also the ingest keys and enrolment tokens created with it. */
const revokeApiKey =
  ({ db }: AccountServiceDeps) =>
  async (actor: Actor, id: number, withMinted: boolean): Promise<{ revoked: number }> => {
    const scope = scopeOf(actor);
    return scoped(db, scope, async (tx) => {
      const name = await revokeKey(tx, ownScope(actor), actor.userId, id);
      if (name === undefined) throw problem.notFound('API key', id);
      await recordAudit(tx, actor, {
        action: 'apiKey.revoked',
        organisationId: actor.organisationId,
        target: String(id),
        before: { name },
      });
      const minted = withMinted ? await revokeMinted(tx, scope, id) : [];
      await recordAudits(
        tx,
        actor,
        minted.map(({ kind, id: target, organisationId }) => ({
          action: `${kind}.revoked`,
          organisationId,
          target: String(target),
          before: { createdByApiKey: id },
        })),
      );
      return { revoked: minted.length };
    });
  };

export function createAccountService(deps: AccountServiceDeps) {
  const { db, idleMinutes, outbox } = deps;

  return {
    async sessions(actor: Actor): Promise<AnswerOf<typeof accountApi.sessions>> {
      const scope = ownScope(actor);
      const { results, total } = await readScoped(db, scope, (tx) => listSessions(tx, scope, actor.userId, idleMinutes));
      return {
        results: results.map((row) => ({
          ...row,
          signedInAt: row.signedInAt.toISOString(),
          lastSeenAt: row.lastSeenAt.toISOString(),
          isCurrent: row.id === actor.sessionId,
        })),
        total,
      };
    },

    async endSession(actor: Actor, id: string): Promise<void> {
      const scope = ownScope(actor);
      await scoped(db, scope, async (tx) => {
        if ((await endSessions(tx, scope, actor.userId, idleMinutes, { only: id })) === 0) throw problem.notFound('sign-in', id);
        await recordAudit(tx, actor, { action: 'session.ended', organisationId: actor.organisationId, target: id });
      });
    },

    async endOtherSessions(actor: Actor): Promise<{ ended: number }> {
      const scope = ownScope(actor);
      return scoped(db, scope, async (tx) => {
        const ended = await endSessions(tx, scope, actor.userId, idleMinutes, { except: actor.sessionId });
        if (ended > 0)
          await recordAudit(tx, actor, {
            action: 'sessions.ended',
            organisationId: actor.organisationId,
            target: String(actor.userId),
            after: { ended },
          });
        return { ended };
      });
    },

    async apiKeys(actor: Actor): Promise<AnswerOf<typeof accountApi.apiKeys>> {
      // Keys and tokens created with an API key belong to clients.
      const { results, total } = await readScoped(db, scopeOf(actor), (tx) => listKeys(tx, ownScope(actor), actor.userId));
      return { results: results.map(shown), total };
    },
    createApiKey: createApiKey(deps),
    mintedByApiKey: mintedByApiKey(deps),
    revokeApiKey: revokeApiKey(deps),

    /** Scheduled: emails the owners of expiring keys, and of older keys that were assigned scopes. */
    async sendKeyNotices(): Promise<void> {
      await scoped(db, 'system', async (tx) => {
        for (const key of await takeDueNotices(tx, noticeDays))
          await outbox.queue(tx, key.isScopes ? scopesMail(key) : expiryMail(key));
      });
    },
  };
}
