/**
 * Runs bulk jobs in the worker role. Each batch re-checks its actor's permissions and locks the job against other workers; a pause after it leaves
 * room for interactive requests.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Bus, publish } from '../../core/bus.ts';
import { isDatabaseAway, retrying, type Scope, scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { type Actor, mayAs, scopeOf } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { createSharedRun } from '../../core/sharedRun.ts';
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

export type BulkWorkerDeps = BulkDeps & { actorNow: ActorNow; withdrawNotices: WithdrawNotices; log: Log };

/** Changes cases or alerts; `gone` are the rows that were skipped. */
async function applyChange(
  { cases, alerts, suppressions }: BulkWorkerDeps,
  tx: Tx,
  actor: Actor,
  change: Change,
  ids: readonly number[],
): Promise<Omit<Outcome, 'gone'>> {
  const scope = scopeOf(actor);
  switch (change.do) {
    case 'status':
      return cases.setStatus(tx, scope, actor, ids, change.caseStatus, change.closing);
    case 'assign':
      return cases.setAnalyst(tx, scope, actor, ids, change.analystUserAccountID);
    case 'suppress': {
      const { created, faults } = await suppressions.createLike(tx, scope, actor, ids, change);
      return { changed: created.map(({ alertId, suppressionId }) => ({ id: alertId, before: { suppressionId } })), faults };
    }
    default: {
      const isNew = change.do === 'unseen';
      const marked = await alerts.markIn(tx, scope, actor, ids, isNew);
      return { changed: marked.map(({ id }) => ({ id, before: { isNew: !isNew } })), faults: [] };
    }
  }
}

async function changeBatch(deps: BulkWorkerDeps, tx: Tx, job: JobRecord, actor: Actor, items: readonly Item<unknown>[]) {
  const ids = items.map(({ id }) => id);
  const { changed, faults } = await applyChange(deps, tx, actor, job.what as Change, ids);
  const done = new Set(changed.map(({ id }) => id));
  const gone = ids.filter((id) => !done.has(id));
  await saveOutcome(tx, job, { changed, gone, faults }, { changed: changed.length, skipped: gone.length });
}

async function restore(
  { cases, alerts, suppressions, withdrawNotices }: BulkWorkerDeps,
  tx: Tx,
  actor: Actor,
  job: JobRecord,
  items: readonly Item<unknown>[],
): Promise<{ restored: readonly unknown[]; faults: string[] }> {
  const scope = scopeOf(actor);
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
}

async function undoBatch(deps: BulkWorkerDeps, tx: Tx, job: JobRecord, actor: Actor, items: readonly Item<unknown>[]) {
  const { restored, faults } = await restore(deps, tx, actor, job, items);
  const gone = items.map(({ id }) => id);
  await saveOutcome(tx, job, { changed: [], gone, faults }, { changed: -restored.length, skipped: 0 });
}

/** The requester with today’s permissions; undefined once they do not suffice. */
async function requesterOf({ actorNow }: BulkWorkerDeps, tx: Tx, job: JobRecord): Promise<Actor | undefined> {
  const { userId, apiKeyId, address } = job.actor as StoredActor;
  const now = await actorNow(tx, userId, apiKeyId);
  return now && needs[(job.what as Change).do].every((permission) => mayAs(now, permission)) ? { ...now, address } : undefined;
}

async function stopJob({ clock }: BulkWorkerDeps, tx: Tx, job: JobRecord, fault: string): Promise<void> {
  await saveOutcome(tx, job, { changed: [], gone: [], faults: [fault] }, { changed: 0, skipped: 0 });
  await updateJob(tx, job.id, { state: 'failed', finished_at: new Date(clock.now()) });
}

/** Runs one batch. Returns the id of its last row; undefined once the job is finished. */
async function runBatch(deps: BulkWorkerDeps, tx: Tx, jobId: number, after: number): Promise<number | undefined> {
  const job = await takeJob(tx, jobId);
  if (!job) return undefined;
  const actor = await requesterOf(deps, tx, job);
  if (!actor) {
    await stopJob(deps, tx, job, 'Stopped: the requester no longer has permission. The remaining rows are unchanged.');
    return undefined;
  }
  const isUndoing = job.state === 'undoing';
  const isSuppressing = (job.what as Change).do === 'suppress';
  const atOnce = isSuppressing ? suppressionsAtOnce : batchOf[job.kind as keyof typeof batchOf];
  const items = await listItems(tx, jobId, isUndoing, after, atOnce);
  const last = items.at(-1);
  if (!last) {
    await updateJob(tx, jobId, { state: isUndoing ? 'undone' : 'done', finished_at: new Date(deps.clock.now()) });
    // Notices of these cases were held back until now.
    if (isUndoing) await publish(tx, 'notice.queued', {});
    return undefined;
  }
  if (job.state === 'waiting') await updateJob(tx, jobId, { state: 'running' });
  await (isUndoing ? undoBatch : changeBatch)(deps, tx, job, actor, items);
  return last.id;
}

/** Runs a job batch by batch until it is finished or `closing` aborts. */
async function runJob(deps: BulkWorkerDeps, jobId: number, closing: AbortSignal): Promise<void> {
  const { db, log } = deps;
  let last: number | undefined = 0;
  while (last !== undefined && !closing.aborted) {
    const started = performance.now();
    const after: number = last;
    try {
      last = await retrying(() => scoped(db, systemScope, (tx) => runBatch(deps, tx, jobId, after), { statementTimeoutMs }));
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      log.error({ err: error, jobId }, 'bulk job failed');
      await scoped(db, systemScope, async (tx) => {
        const job = await takeJob(tx, jobId);
        if (job) await stopJob(deps, tx, job, 'Stopped by an internal error. Changes so far are kept; try again with the rest.');
      });
      return;
    }
    const pauseMs = Math.min(maxPauseMs, pauseShare * (performance.now() - started));
    await pause(pauseMs, undefined, { signal: closing }).catch(() => {});
  }
}

export function createBulkWorker(deps: BulkWorkerDeps): BulkWorker {
  const { db, clock } = deps;
  const { run, close } = createSharedRun(async (closing) => {
    for (const id of await scoped(db, systemScope, listUnfinished)) if (!closing.aborted) await runJob(deps, id, closing);
    return false;
  });

  return {
    run,
    removeOld: () => scoped(db, systemScope, (tx) => removeOld(tx, new Date(clock.now())), { statementTimeoutMs }),
    close,
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
