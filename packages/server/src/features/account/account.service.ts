/** One's own account: where one is signed in, and keys for programs that act with one's own rights. */
import type { accountApi } from '@parapet/contract/account.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { recordAudit } from '../../core/audit.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { lockUser } from '../../core/db/user-lock.ts';
import { type Actor, ownScope, requireFreshSignIn } from '../../core/http/actor.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { countLiveKeys, endSessions, insertKey, type KeyRow, listKeys, listSessions, revokeKey } from './account.store.ts';

/** At once; one that ended makes room. */
const maxLiveKeys = 20;

const shown = (row: KeyRow) => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
});

export type AccountService = ReturnType<typeof createAccountService>;

export function createAccountService({ db, idleMinutes }: { db: Database; idleMinutes: number }) {
  return {
    async sessions(actor: Actor): Promise<AnswerOf<typeof accountApi.sessions>> {
      const scope = ownScope(actor);
      const { results, total } = await scoped(db, scope, (tx) => listSessions(tx, scope, actor.userId, idleMinutes), {
        readOnly: true,
      });
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
      const scope = ownScope(actor);
      const { results, total } = await scoped(db, scope, (tx) => listKeys(tx, scope, actor.userId), { readOnly: true });
      return { results: results.map(shown), total };
    },

    async createApiKey(
      actor: Actor,
      input: { name: string; access: 'read' | 'readWrite'; expiresInDays: number },
    ): Promise<AnswerOf<typeof accountApi.createApiKey>> {
      requireFreshSignIn(actor);
      const key = `pak_${newToken()}`;
      const scope = ownScope(actor);
      return scoped(db, scope, async (tx) => {
        await lockUser(tx, scope, actor.userId);
        if ((await countLiveKeys(tx, scope, actor.userId)) >= maxLiveKeys)
          throw problem.conflict(`You have ${maxLiveKeys} API keys, which is the most. Revoke one that is not used any more.`);
        const row = await insertKey(tx, {
          organisationId: actor.organisationId,
          userId: actor.userId,
          name: input.name,
          prefix: key.slice(0, 10),
          hash: hashOfToken(key),
          access: input.access,
          days: input.expiresInDays,
        });
        await recordAudit(tx, actor, {
          action: 'apiKey.created',
          organisationId: actor.organisationId,
          target: String(row.id),
          after: { name: row.name, access: row.access, expiresAt: row.expiresAt },
        });
        return { ...shown(row), key };
      });
    },

    async revokeApiKey(actor: Actor, id: number): Promise<void> {
      const scope = ownScope(actor);
      await scoped(db, scope, async (tx) => {
        const name = await revokeKey(tx, scope, actor.userId, id);
        if (name === undefined) throw problem.notFound('API key', id);
        await recordAudit(tx, actor, {
          action: 'apiKey.revoked',
          organisationId: actor.organisationId,
          target: String(id),
          before: { name },
        });
      });
    },
  };
}
