/** Archived days of a client for a case: requested and released as case work, loaded by a job. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type CaseRecalls, maxRecallDays, type recallsApi } from '@parapet/contract/recalls.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { readScoped, type Scope, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { loadRecalls, type RecallJobDeps } from './recalls.job.ts';
import * as store from './recalls.store.ts';

type Wanted = InputOf<typeof recallsApi.request>['body'];

export type RecallsService = ReturnType<typeof createRecallsService>;

export function createRecallsService(deps: RecallJobDeps) {
  const { db, clock, log } = deps;

  const organisationOf = async (scope: Scope, caseId: number): Promise<number> => {
    const found = await readScoped(db, scope, (tx) => store.findCase(tx, scope, caseId));
    if (!found) throw problem.notFound('case', caseId);
    return found.organisationId;
  };

  const list = async (actor: Actor, caseId: number): Promise<CaseRecalls> => {
    const scope = scopeOf(actor);
    const organisationId = await organisationOf(scope, caseId);
    return readScoped(db, scope, async (tx) => ({
      archive: await store.spanOfArchive(tx, scope, organisationId),
      recalls: (await store.listRecalls(tx, scope, caseId)).map(({ requestedAt, expiresAt, releasedAt, ...row }) => ({
        ...row,
        requestedAt: requestedAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        releasedAt: releasedAt?.toISOString() ?? null,
      })),
    }));
  };

  return {
    list,

    async request(actor: Actor, caseId: number, { firstDay, lastDay, keepDays }: Wanted): Promise<CaseRecalls> {
      const scope = scopeOf(actor);
      const organisationId = await organisationOf(scope, caseId);
      const days = (Date.parse(lastDay) - Date.parse(firstDay)) / dayMs + 1;
      if (days < 1) throw problem.invalid({ lastDay: ['The last day must not be before the first.'] });
      if (days > maxRecallDays) throw problem.invalid({ lastDay: [`Select at most ${maxRecallDays} days.`] });
      const now = clock.now();
      await scoped(db, scope, async (tx) => {
        const made = await store.insertRecall(tx, scope, {
          organisationId,
          caseId,
          firstDay,
          lastDay,
          requestedBy: actor.userId,
          requestedByName: actor.displayName,
          requestedAt: new Date(now),
          expiresAt: new Date(now + keepDays * dayMs),
        });
        if (!made) throw problem.conflict(`The archive has no events of ${firstDay} to ${lastDay}. Select days that it has.`);
        await recordAudit(tx, actor, {
          action: 'recall.requested',
          organisationId,
          target: String(caseId),
          after: { recall: made.id, firstDay, lastDay, keepDays, files: made.files, events: made.events },
        });
      });
      return list(actor, caseId);
    },

    async release(actor: Actor, caseId: number, id: number): Promise<CaseRecalls> {
      const scope = scopeOf(actor);
      await organisationOf(scope, caseId);
      await scoped(db, scope, async (tx) => {
        const found = await store.lockRecall(tx, scope, id, caseId);
        if (!found) throw problem.notFound('recall', id);
        await store.release(tx, scope, id, new Date(clock.now()));
        const { organisationId } = found;
        await recordAudit(tx, actor, {
          action: 'recall.released',
          organisationId,
          target: String(caseId),
          after: { recall: id },
        });
      });
      await scoped(db, 'system', store.removeReleased);
      return list(actor, caseId);
    },

    /** Releases what is over, and loads what was requested. */
    async run(): Promise<void> {
      const now = new Date(clock.now());
      for (const id of await readScoped(db, 'system', (tx) => store.listExpired(tx, now)))
        await scoped(db, 'system', async (tx) => {
          if (await store.lockRecall(tx, 'system', id)) await store.release(tx, 'system', id, now);
        });
      const gone = await scoped(db, 'system', store.removeReleased);
      if (gone > 0) log.info({ events: gone }, 'released events that were brought back from the archive');
      await loadRecalls(deps);
    },
  };
}
