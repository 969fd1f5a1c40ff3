/**
 * Bulk reports for many clients. A job stores its progress after each client, so an interrupted one resumes; the requester’s permissions are
 * checked again for each client. Files are kept for 7 days.
 */

import { Readable } from 'node:stream';
import { allClients, may } from '@parapet/contract/access.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import type { ReportJob } from '@parapet/contract/reports.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Blobs } from '../../core/blobs.ts';
import { type Bus, onEach, publish } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { isDatabaseAway, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { FileAnswer } from '../../core/http/serve.ts';
import type { Log } from '../../core/log.ts';
import { zipped } from '../../core/zip.ts';
import { recordAudit } from '../../domain/audit.ts';
import { pdfType } from '../../domain/pdf.ts';
import { type Month, monthKey, monthRange, notStarted } from './reports.months.ts';
import type { ReportsService } from './reports.service.ts';
import {
  countUnfinished,
  findJob,
  insertJob,
  type JobRecord,
  listClients,
  listUnfinished,
  nameOf,
  removeJobsBefore,
  stepJob,
} from './reports.work.store.ts';

export type ReportJobs = ReturnType<typeof createReportJobs>;
export type ActorNow = (tx: Tx, userId: number, apiKeyId: number | undefined) => Promise<Omit<Actor, 'address'> | undefined>;

const maxUnfinished = 3;
const keptMs = 7 * dayMs;

/** Storage key of the report of a client. */
export const jobReportKey = (jobId: number, client: number): string => `reports/job-${jobId}/${client}.pdf`;

export interface JobsDeps {
  db: Database;
  clock: Clock;
  reports: Pick<ReportsService, 'makePdf'>;
  blobs: Blobs;
  actorNow: ActorNow;
  log: Log;
}

type JobBody = Month & { clientOrganizationID: number };

const shown = (job: JobRecord): ReportJob => ({
  id: job.id,
  year: job.year,
  month: job.month,
  state: job.state,
  total: job.clients.length,
  done: job.done,
  failures: job.failures,
  createdAt: job.created_at.toISOString(),
});

export function createReportJobs(deps: JobsDeps) {
  const { db, clock, blobs } = deps;
  let isClosing = false;
  let working: Promise<void> | undefined;
  let isAskedAgain = false;

  const workAll = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      for (const job of await scoped(db, 'system', listUnfinished)) await work(deps, job, () => isClosing);
    } while (isAskedAgain && !isClosing);
  };

  return {
    start: (actor: Actor, body: JobBody): Promise<ReportJob> => start(deps, actor, body),

    get: async (actor: Actor, id: number): Promise<ReportJob> => shown(await getJob(db, actor, id)),

    file: (actor: Actor, id: number): Promise<FileAnswer> => download(deps, actor, id),

    /** Runs queued jobs; called on a timer and on bus messages. */
    run(): Promise<void> {
      isAskedAgain = true;
      working ??= workAll().finally(() => {
        working = undefined;
      });
      return working;
    },

    async removeOld(): Promise<void> {
      const gone = await scoped(db, 'system', (tx) => removeJobsBefore(tx, new Date(clock.now() - keptMs)));
      for (const { id, clients } of gone) for (const client of clients) await blobs.remove(jobReportKey(id, client));
    },

    async close(): Promise<void> {
      isClosing = true;
      await working?.catch(() => {});
    },
  };
}

async function getJob(db: Database, actor: Actor, id: number): Promise<JobRecord> {
  const scope = scopeOf(actor);
  const job = await scoped(db, scope, (tx) => findJob(tx, scope, id), { readOnly: true });
  if (!job) throw problem.notFound('job', id);
  return job;
}

async function start({ db, clock }: JobsDeps, actor: Actor, body: JobBody): Promise<ReportJob> {
  const scope = scopeFor(actor, allClients);
  const { clientOrganizationID: partner, year, month } = body;
  if (partner !== 0) scopeFor(actor, partner);
  // Started somewhere: time zones are at most 14 hours ahead of UTC.
  if (monthRange(body, 'Pacific/Kiritimati').start > clock.now()) throw notStarted(body);
  return scoped(db, scope, async (tx) => {
    if ((await countUnfinished(tx, scope, actor.userId)) >= maxUnfinished)
      throw problem.conflict(`${maxUnfinished} of your jobs are still running. Wait for one to finish.`);
    const clients = await listClients(tx, scope, partner);
    if (clients.length === 0)
      throw problem.invalid({
        clientOrganizationID: ['No clients to report on. Choose another partner or all.'],
      });
    const { organisationId, userId } = actor;
    const job = await insertJob(tx, { organisationId, userId, year, month, clients });
    await recordAudit(tx, actor, {
      action: 'reportJob.started',
      organisationId: partner || organisationId,
      target: String(job.id),
      after: { year, month, clients: clients.length },
    });
    await publish(tx, 'report.queued', {});
    return shown(job);
  });
}

/** Reports of a job that the reader has access to now, as a ZIP file. */
async function download({ db, blobs }: JobsDeps, actor: Actor, id: number): Promise<FileAnswer> {
  const job = await getJob(db, actor, id);
  if (job.state === 'queued' || job.state === 'running')
    throw problem.conflict(`Job ${id} is still running: ${job.done} of ${job.clients.length} reports created.`);
  if (job.done === 0) throw problem.notFound('file of job', id);
  const visible = new Set(actor.organisationIds);
  const clients = job.clients.filter((client) => visible.has(client));
  const names = await scoped(db, scopeOf(actor), async (tx) => {
    await recordAudit(tx, actor, {
      action: 'reportJob.downloaded',
      organisationId: job.organisation_id,
      target: String(id),
      after: { year: job.year, month: job.month, clients: clients.length },
    });
    const named = new Map<number, string>();
    for (const client of clients) named.set(client, await nameOf(tx, client));
    return named;
  });
  const month = monthKey(job);
  async function* files(): AsyncGenerator<{ name: string; bytes: Buffer }> {
    for (const client of clients) {
      const bytes = await blobs.get(jobReportKey(id, client));
      const name = (names.get(client) ?? '').replace(/[^\p{L}\p{N}]+/gu, '_').slice(0, 60);
      if (bytes) yield { name: `report-${name}-${client}-${month}.pdf`, bytes };
    }
  }
  return { type: 'application/zip', bytes: Readable.from(zipped(files())), downloadName: `reports-${month}.zip` };
}

/** Generates the remaining reports of a job, until it is complete, another process runs it, or this one is closing. */
async function work(deps: JobsDeps, first: JobRecord, isClosing: () => boolean): Promise<void> {
  for (let job: JobRecord | undefined = first; job && !isClosing(); ) {
    const client: number | undefined = job.clients[job.done + job.failures.length];
    if (client === undefined) return;
    job = await storeResult(deps.db, job, client, await make(deps, job, client));
  }
}

/** Generates one client’s report. Returns the reason for a failure, undefined on success. */
async function make(
  { db, actorNow, reports, blobs, log }: JobsDeps,
  job: JobRecord,
  client: number,
): Promise<string | undefined> {
  const actor = await scoped(db, 'system', (tx) => actorNow(tx, job.asked_by, undefined), { readOnly: true });
  if (!actor || !may(actor, 'reports:schedule')) return 'The requester no longer has permission to generate reports.';
  if (!actor.organisationIds.includes(client)) return 'The requester no longer has access to this client.';
  try {
    const { bytes } = await reports.makePdf(client, job);
    await blobs.put(jobReportKey(job.id, client), bytes, pdfType);
    return undefined;
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    log.warn({ err: error, job: job.id, client }, 'could not generate a report of a job');
    return error instanceof Problem ? error.message : 'Something went wrong. Try again with this client alone.';
  }
}

/** Returns the job with its progress; undefined when another process runs it. */
function storeResult(db: Database, job: JobRecord, client: number, fault: string | undefined): Promise<JobRecord | undefined> {
  return scoped(db, 'system', async (tx) => {
    const failures =
      fault === undefined ? job.failures : [...job.failures, { clientOrganizationName: await nameOf(tx, client), text: fault }];
    const done = job.done + (fault === undefined ? 1 : 0);
    const isOver = done + failures.length === job.clients.length;
    const state = isOver ? (done === 0 ? 'failed' : 'done') : 'running';
    return (await stepJob(tx, job, { state, done, failures })) ? { ...job, state, done, failures } : undefined;
  });
}

/** Runs jobs after each commit that queued one. Returns the unsubscribe function. */
export function startReportWorker(bus: Bus, jobs: ReportJobs, log: Log): () => Promise<void> {
  const run = () => void jobs.run().catch((error) => log.error({ err: error }, 'report jobs failed'));
  const end = onEach(bus, 'report.queued', run);
  run();
  return async () => {
    end();
    await jobs.close();
  };
}
