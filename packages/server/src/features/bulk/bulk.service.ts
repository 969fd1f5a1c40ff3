/**
 * Bulk jobs. The selection is stored with the request; the worker (bulk.worker.ts) changes it in batches, each in a short transaction with its own
 * counters, so that an interrupted job continues where it stopped.
 */
import type { Permission } from '@parapet/contract/access.ts';
import { type BulkJob, type bulkApi, maxSuppressions, undoSeconds } from '@parapet/contract/bulk.ts';
import { problem } from '@parapet/contract/problem.ts';
import { sql } from 'kysely';
import type { z } from 'zod';
import { publish } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { type Actor, mayAs, ownScope, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { lockUser } from '../../domain/user-lock.ts';
import type { AlertsService } from '../alerts/alerts.service.ts';
import type { ManyCasesService } from '../cases/cases.many.service.ts';
import type { SuppressionsService } from '../suppressions/suppressions.service.ts';
import {
  countUnfinished,
  deduplicateByRule,
  findJob,
  findUnselected,
  insertJob,
  insertSelection,
  type JobRecord,
  type Selection,
  updateJob,
} from './bulk.store.ts';

export type BulkService = ReturnType<typeof createBulkService>;

export type CasesWork = z.output<typeof bulkApi.cases.body>;
export type AlertsWork = z.output<typeof bulkApi.alerts.body>;
export type Change = CasesWork['change'] | AlertsWork['change'];

/** Requester of a job, as stored with it. */
export interface StoredActor {
  userId: number;
  address: string;
  apiKeyId?: number;
}

/** Permissions needed, checked at the request and at each batch. */
export const needs: Record<Change['do'], Permission[]> = {
  status: ['cases:changeStatus'],
  assign: ['cases:changeStatus', 'cases:write'],
  seen: ['alerts:mark'],
  unseen: ['alerts:mark'],
  suppress: ['alerts:mark', 'suppressions:write'],
};

const maxRows = 100_000;
const maxUnfinished = 5;

export interface BulkDeps {
  db: Database;
  cases: ManyCasesService;
  alerts: Pick<AlertsService, 'selection' | 'markIn'>;
  suppressions: Pick<SuppressionsService, 'checkEnd' | 'createLike' | 'endAll'>;
  clock: Clock;
}

function shownAt(clock: Clock, job: JobRecord): BulkJob {
  const until = job.state === 'done' && job.changed > 0 ? (job.finished_at?.getTime() ?? 0) + undoSeconds * 1000 : 0;
  return {
    id: job.id,
    state: job.state as BulkJob['state'],
    total: job.total,
    changed: job.changed,
    skipped: job.skipped,
    faults: job.faults,
    undoUntil: until > clock.now() ? new Date(until).toISOString() : null,
  };
}

/** Requested change of a selection: rows by id, or those of a filtered list. */
interface BulkRequest {
  actor: Actor;
  work: CasesWork | AlertsWork;
  table: 'cases' | 'alerts';
  selectFiltered: (tx: Tx, scope: Scope) => Promise<Selection | undefined>;
}

/** Throws forbidden or invalid. */
function checkRequest({ actor, work: { which, change } }: BulkRequest): void {
  const denied = needs[change.do].find((permission) => !mayAs(actor, permission));
  if (denied) throw problem.forbidden(`Your role (${actor.role || 'none'}) may not run this bulk action: it needs ${denied}.`);
  const { ids } = which;
  if ((ids === undefined) === (which.filters === undefined) || ids?.length === 0)
    throw problem.invalid({ which: ['Provide either at least one id or the filters of the list.'] });
  if (!ids && Date.parse(which.start) >= Date.parse(which.end))
    throw problem.invalid({ 'which.end': ['The end must be after the start.'] });
}

/** Stores the rows of a job. Returns their number; throws invalid for too many, not found for an id outside the scope. */
async function storeSelection(
  tx: Tx,
  jobId: number,
  scope: Scope,
  { work, table, selectFiltered }: BulkRequest,
): Promise<number> {
  const { ids } = work.which;
  const at = table === 'cases' ? sql`null::timestamptz as at` : sql`o.at`;
  const selection = ids
    ? sql`select o.organisation_id, o.id, ${at} from ${sql.table(table)} o
            where ${within('o.organisation_id', scope)} and o.id = any(${ids}::integer[])`
    : await selectFiltered(tx, scope);
  const total = selection ? await insertSelection(tx, jobId, selection, maxRows) : 0;
  if (total > maxRows)
    throw problem.invalid({ which: [`At most ${maxRows} at once. Select a shorter timeframe or narrower filters.`] });
  const foreign = ids && (await findUnselected(tx, jobId, ids));
  if (foreign !== undefined) throw problem.notFound(table === 'cases' ? 'case' : 'alert', foreign);
  if (work.change.do !== 'suppress') return total;
  const suppressed = await deduplicateByRule(tx, jobId);
  if (suppressed > maxSuppressions)
    throw problem.invalid({
      which: [
        `These alerts need ${suppressed} suppressions; at most ${maxSuppressions} can be created at once. Select fewer alerts, or suppress their rule, device or user alone.`,
      ],
    });
  return suppressed;
}

/** Stores the selection and queues the job. The rows are read in the scope of the selected client; the job belongs to the actor's organisation. */
async function beginJob({ db, suppressions, clock }: BulkDeps, request: BulkRequest): Promise<BulkJob> {
  checkRequest(request);
  const { actor, table } = request;
  const { which, change } = request.work;
  if (change.do === 'suppress') suppressions.checkEnd(change.endTime);
  const scope = scopeFor(actor, which.selectedClientOrganizationID);
  const both = { organisationIds: [...new Set([...(scope === 'system' ? [] : scope.organisationIds), actor.organisationId])] };
  const job = await scoped(db, both, async (tx) => {
    await lockUser(tx, ownScope(actor), actor.userId);
    if ((await countUnfinished(tx, ownScope(actor), actor.userId)) >= maxUnfinished)
      throw problem.tooManyRequests(`You already have ${maxUnfinished} bulk jobs in progress. Wait for one to finish.`, 5);
    const requester: StoredActor = {
      userId: actor.userId,
      address: actor.address,
      ...(actor.apiKey && { apiKeyId: actor.apiKey.id }),
    };
    const { id } = await insertJob(tx, {
      organisationId: actor.organisationId,
      userId: actor.userId,
      createdAt: new Date(clock.now()),
      kind: table,
      what: change,
      actor: requester,
    });
    const total = await storeSelection(tx, id, scope, request);
    await recordAudit(tx, actor, {
      action: `bulk.${change.do}`,
      organisationId: which.selectedClientOrganizationID || actor.organisationId,
      target: String(id),
      after: { total, change, which },
    });
    await publish(tx, 'bulk.queued', {});
    return findJob(tx, ownScope(actor), actor.userId, id);
  });
  return shownAt(clock, job as JobRecord);
}

export function createBulkService(deps: BulkDeps) {
  const { db, cases, alerts, clock } = deps;
  const shown = (job: JobRecord) => shownAt(clock, job);

  return {
    cases(actor: Actor, work: CasesWork): Promise<BulkJob> {
      const { filters, start, end } = work.which;
      const selectFiltered = async (_tx: Tx, scope: Scope) =>
        cases.selection(actor, scope, filters as NonNullable<typeof filters>, start, end);
      return beginJob(deps, { actor, work, table: 'cases', selectFiltered });
    },

    alerts(actor: Actor, work: AlertsWork): Promise<BulkJob> {
      const { filters, start, end } = work.which;
      const selectFiltered = (tx: Tx, scope: Scope) =>
        alerts.selection(tx, actor, scope, start, end, filters as NonNullable<typeof filters>);
      return beginJob(deps, { actor, work, table: 'alerts', selectFiltered });
    },

    async get(actor: Actor, id: number): Promise<BulkJob> {
      const job = await readScoped(db, ownScope(actor), (tx) => findJob(tx, ownScope(actor), actor.userId, id));
      if (!job) throw problem.notFound('bulk job', id);
      return shown(job);
    },

    /** Queues the undo of a finished job. Repeating it is a no-op. */
    async undo(actor: Actor, id: number): Promise<BulkJob> {
      const scope = ownScope(actor);
      return scoped(db, scope, async (tx) => {
        const job = await findJob(tx, scope, actor.userId, id, true);
        if (!job) throw problem.notFound('bulk job', id);
        if (job.state === 'undoing' || job.state === 'undone') return shown(job);
        if (job.state !== 'done')
          throw problem.conflict(
            job.state === 'failed'
              ? 'This job was stopped and cannot be undone.'
              : 'This job is still in progress. Undo it once it has finished.',
          );
        if (shown(job).undoUntil === null)
          throw problem.conflict(`A job can be undone for ${undoSeconds} seconds after it finishes. That time is over.`);
        await recordAudit(tx, actor, { action: 'bulk.undone', organisationId: actor.organisationId, target: String(id) });
        const undoing = await updateJob(tx, id, { state: 'undoing', finished_at: null });
        await publish(tx, 'bulk.queued', {});
        return shown(undoing);
      });
    },
  };
}
