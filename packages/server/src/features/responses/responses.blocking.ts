/** Blocking of a case's users in two calls: a token that names the user, then the block (the path is a capability). */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import type { responsesApi } from '@parapet/contract/responses.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { ResponsesDeps } from './responses.ledger.ts';
import { inRetriedTx } from './responses.locks.ts';
import { consumeBlockToken, findUserOfCase, insertBlockToken, showResponse } from './responses.store.ts';

const tokenMs = 2 * 60_000;

export function createBlocking({ db, clock, ledger, cases }: ResponsesDeps) {
  return {
    async issueBlockToken(
      actor: Actor,
      { caseID, userID }: { caseID: number; userID: string },
    ): Promise<AnswerOf<typeof responsesApi.issueBlockToken>> {
      const scope = scopeOf(actor);
      const token = newToken();
      const expiresAt = new Date(clock.now() + tokenMs);
      await scoped(db, scope, async (tx) => {
        const record = await cases.lock(tx, scope, caseID);
        const name = await findUserOfCase(tx, record, userID);
        if (name === undefined) throw problem.notFound('user in the alerts of this case named', userID);
        await insertBlockToken(tx, {
          token_hash: hashOfToken(token),
          organisation_id: record.organisation_id,
          case_id: record.id,
          actor_user_id: actor.userId,
          user_name: name,
          expires_at: expiresAt,
        });
        await recordAudit(tx, actor, {
          action: 'response.pathIssued',
          organisationId: record.organisation_id,
          target: String(record.id),
          after: { user: name },
        });
      });
      return { token, expiresAt: expiresAt.toISOString() };
    },

    async blockUser(
      actor: Actor,
      { token, isDisabled, acknowledgesWarning }: { token: string; isDisabled: boolean; acknowledgesWarning: boolean },
    ): Promise<AnswerOf<typeof responsesApi.blockUser>> {
      const scope = scopeOf(actor);
      return inRetriedTx(db, scope, async (tx) => {
        const found = await consumeBlockToken(tx, scope, {
          hash: hashOfToken(token),
          actorId: actor.userId,
          now: new Date(clock.now()),
        });
        // One text for unknown, used, expired and other users' tokens.
        if (!found)
          throw new Problem('notFound', 'This link has expired or was used already. Reopen the dialog and confirm again.');
        const record = await cases.lock(tx, scope, found.case_id);
        const action = isDisabled ? 'blockUser' : 'unblockUser';
        const { response } = await ledger.request(tx, actor, record, {
          organisationId: record.organisation_id,
          action,
          target: found.user_name,
          acknowledgesWarning,
        });
        return { signInResult: true, response: await showResponse(tx, scope, response) };
      });
    },
  };
}
