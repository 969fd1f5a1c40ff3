/**
 * Runs bulk jobs in the worker role. Each batch re-checks its actor's permissions and locks the job against other workers; a pause after it leaves
 * room for interactive requests.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { may, missingKeyScope } from '@parapet/contract/access.ts';
import { type Bus, publish } from '../../core/bus.ts';
import { systemClock } from '../../core/clock.ts';
import { isDatabaseAway, retrying, type Scope, scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { type BulkDeps, type Change, needs, type StoredActor } from './bulk.service.ts';
import {
  type Item,
  type JobRecord,
  listItems,
  listUnfinished,
  type Outcome,
  removeOld,
  saveOutcome,
  takeJob,
  updateJob,
} from './bulk.store.ts';

/** Rows per batch: small enough to keep row locks and this process free for interactive requests. */
const batchOf = { cases: 100, alerts: 1_000 } as const;
/** Suppressions per batch; each searches for the cases that it covers. */
const suppressionsAtOnce = 10;
/** Pause after a batch, as a share of its duration. */
const pauseShare = 1;
const maxPauseMs = 250;
const statementTimeoutMs = 30_000;

export type ActorNow = (tx: Tx, userId: number, apiKeyId: number | undefined) => Promise<Omit<Actor, 'address'> | undefined>;

/** Deletes unsent notices of these changes. */
export type WithdrawNotices = (
  tx: Tx,
  scope: Scope,
  by: { userId: number; since: Date },
  cases: readonly { id: number; version: number }[],
) => Promise<void>;

export interface BulkWorker {
  /** Runs all waiting jobs. */
  run(): Promise<void>;
  removeOld(): Promise<void>;
  /** Stops after the current batch; another process continues the job. */
  close(): Promise<void>;
}

export function createBulkWorker({
  db,
  cases,
  alerts,
  suppressions,
  withdrawNotices,
  actorNow,
  log,
  clock = systemClock,
}: BulkDeps & { actorNow: ActorNow; withdrawNotices: WithdrawNotices; log: Log }): BulkWorker {
  const closing = new AbortController();

  const changeCases = async (tx: Tx, scope: Scope, actor: Actor, change: Change, ids: readonly number[]): Promise<Outcome> => {
    const { changed, faults } =
      change.do === 'status'
        ? await cases.setStatus(tx, scope, actor, ids, change.caseStatus)
        : await cases.setAnalyst(tx, scope, actor, ids, change.do === 'assign' ? change.analystUserAccountID : null);
    const done = new Set(changed.map(({ id }) => id));
    return { changed, gone: ids.filter((id) => !done.has(id)), faults };
  };

  const markAlerts = async (tx: Tx, scope: Scope, actor: Actor, isNew: boolean, ids: readonly number[]): Promise<Outcome> => {
    const changed = await alerts.markIn(tx, scope, actor, ids, isNew);
    const done = new Set(changed.map(({ id }) => id));
    return {
      changed: changed.map(({ id }) => ({ id, before: { isNew: !isNew } })),
      gone: ids.filter((id) => !done.has(id)),
      faults: [],
    };
  };

  const suppressLike = async (
    tx: Tx,
    scope: Scope,
    actor: Actor,
    change: Extract<Change, { do: 'suppress' }>,
    ids: readonly number[],
  ): Promise<Outcome> => {
    const { created, faults } = await suppressions.createLike(tx, scope, actor, ids, change);
    const done = new Set(created.map(({ alertId }) => alertId));
    return {
      changed: created.map(({ alertId, suppressionId }) => ({ id: alertId, before: { suppressionId } })),
      gone: ids.filter((id) => !done.has(id)),
      faults,
    };
  };

  const doBatch = async (tx: Tx, job: JobRecord, actor: Actor, items: readonly Item<unknown>[]): Promise<void> => {
    const change = job.what as Change;
    const ids = items.map(({ id }) => id);
    const scope = scopeOf(actor);
    const outcome =
      job.kind === 'cases'
        ? await changeCases(tx, scope, actor, change, ids)
        : change.do === 'suppress'
          ? await suppressLike(tx, scope, actor, change, ids)
          : await markAlerts(tx, scope, actor, change.do === 'unseen', ids);
    await saveOutcome(tx, job, outcome, { changed: outcome.changed.length, skipped: outcome.gone.length });
  };

  const restore = async (
    tx: Tx,
    scope: Scope,
    actor: Actor,
    job: JobRecord,
    items: readonly Item<unknown>[],
  ): Promise<{ restored: readonly unknown[]; faults: string[] }> => {
    if (job.kind === 'cases') {
      await withdrawNotices(tx, scope, { userId: actor.userId, since: job.created_at }, items);
      return cases.restore(tx, scope, actor, items as Parameters<BulkDeps['cases']['restore']>[3]);
    }
    const change = job.what as Change;
    if (change.do === 'suppress') {
      const ids = items.map(({ before }) => (before as { suppressionId: number }).suppressionId);
      return { restored: await suppressions.endAll(tx, scope, actor, ids), faults: [] };
    }
    const ids = items.map(({ id }) => id);
    return { restored: await alerts.markIn(tx, scope, actor, ids, change.do === 'seen'), faults: [] };
  };

  const undoBatch = async (tx: Tx, job: JobRecord, actor: Actor, items: readonly Item<unknown>[]): Promise<void> => {
    const { restored, faults } = await restore(tx, scopeOf(actor), actor, job, items);
    const gone = items.map(({ id }) => id);
    await saveOutcome(tx, job, { changed: [], gone, faults }, { changed: -restored.length, skipped: 0 });
  };

  /** Runs one batch. Returns the id of its last row; undefined once the job is finished. */
  const batch = (jobId: number, after: number): Promise<number | undefined> =>
    scoped(
      db,
      systemScope,
      async (tx) => {
        const job = await takeJob(tx, jobId);
        if (!job) return undefined;
        const isUndoing = job.state === 'undoing';
        const requester = job.actor as StoredActor;
        const now = await actorNow(tx, requester.userId, requester.apiKeyId);
        const actor = now && { ...now, address: requester.address };
        if (
          !actor ||
          needs[(job.what as Change).do].some(
            (permission) => !may(actor, permission) || (actor.apiKey && missingKeyScope(actor.apiKey.scopes, permission)),
          )
        ) {
          await saveOutcome(
            tx,
            job,
            {
              changed: [],
              gone: [],
              faults: ['Stopped: the requester no longer has permission. The remaining rows are unchanged.'],
            },
            { changed: 0, skipped: 0 },
          );
          await updateJob(tx, jobId, { state: 'failed', finished_at: new Date(clock.now()) });
          return undefined;
        }
        const isSuppressing = (job.what as Change).do === 'suppress';
        const atOnce = isSuppressing ? suppressionsAtOnce : batchOf[job.kind as keyof typeof batchOf];
        const items = await listItems(tx, jobId, isUndoing, after, atOnce);
        const last = items.at(-1);
        if (!last) {
          await updateJob(tx, jobId, { state: isUndoing ? 'undone' : 'done', finished_at: new Date(clock.now()) });
          // Notices of these cases were held back until now.
          if (isUndoing) await publish(tx, 'notice.queued', {});
          return undefined;
        }
        if (job.state === 'waiting') await updateJob(tx, jobId, { state: 'running' });
        await (isUndoing ? undoBatch : doBatch)(tx, job, actor, items);
        return last.id;
      },
      { statementTimeoutMs },
    );

  const fail = async (jobId: number): Promise<void> => {
    await scoped(db, systemScope, async (tx) => {
      const job = await takeJob(tx, jobId);
      if (!job) return;
      const faults = ['Stopped by an internal error. Changes so far are kept; try again with the rest.'];
      await saveOutcome(tx, job, { changed: [], gone: [], faults }, { changed: 0, skipped: 0 });
      await updateJob(tx, jobId, { state: 'failed', finished_at: new Date(clock.now()) });
    });
  };

  const work = async (jobId: number): Promise<void> => {
    let last: number | undefined = 0;
    while (last !== undefined && !closing.signal.aborted) {
      const started = performance.now();
      const after: number = last;
      try {
        last = await retrying(() => batch(jobId, after));
      } catch (error) {
        if (isDatabaseAway(error)) throw error;
        log.error({ err: error, jobId }, 'bulk job failed');
        await fail(jobId);
        return;
      }
      const pauseMs = Math.min(maxPauseMs, pauseShare * (performance.now() - started));
      await pause(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  };

  const runAll = async (): Promise<void> => {
    for (;;) {
      isRequestedAgain = false;
      for (const id of await scoped(db, systemScope, listUnfinished)) {
        if (closing.signal.aborted) return;
        await work(id);
      }
      if (!isRequestedAgain) return;
    }
  };
  let running: Promise<void> | undefined;
  let isRequestedAgain = false;

  return {
    run() {
      isRequestedAgain = true;
      running ??= runAll().finally(() => {
        running = undefined;
      });
      return running;
    },
    removeOld: () => scoped(db, systemScope, (tx) => removeOld(tx, new Date(clock.now())), { statementTimeoutMs }),
    async close() {
      closing.abort();
      await running?.catch(() => {});
    },
  };
}

/** Runs the worker after each commit that queues a job. Returns a function that stops it. */
export function startBulkWorker(bus: Pick<Bus, 'on'>, worker: BulkWorker, log: Log): () => Promise<void> {
  const run = () => void worker.run().catch((error) => log.error({ err: error }, 'bulk jobs could not be run'));
  const ends = [bus.on('bulk.queued', run), bus.on('bus.reconnected', run)];
  run();
  return async () => {
    for (const end of ends) end();
    await worker.close();
  };
}
