/**
 * Writes exports in the role worker, one at a time: page by page of the newest matching events, with progress. Before each page the requester’s
 * permission and clients are checked again; an interrupted export starts over.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { maxExportedEvents } from '@parapet/contract/eventExports.ts';
import { type Bus, onEach } from '../../core/bus.ts';
import { isDatabaseAway, readScoped, type Scope, scoped, TookTooLongError, type Tx } from '../../core/db/scope.ts';
import { type Actor, mayAs } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { createSharedRun } from '../../core/sharedRun.ts';
import type { StoredEvent } from '../../domain/events/eventStore.ts';
import type { EventsFilter } from './events.filter.ts';
import { type Cursor, readMatches } from './events.store.ts';
import { writeFile } from './exports.files.ts';
import { type ExportsDeps, exportKey } from './exports.service.ts';
import * as store from './exports.store.ts';

export type ActorNow = (tx: Tx, userId: number, apiKeyId: number | undefined) => Promise<Omit<Actor, 'address'> | undefined>;

export interface ExportWorkerDeps extends ExportsDeps {
  actorNow: ActorNow;
  log: Log;
  /** Default: 1,000,000. */
  maxEvents?: number;
}

/** Events of a page: as many as a page of this size probably holds, by the page before; few at first. */
const [minPerPage, maxPerPage, pageCharacters] = [50, 2_000, 16 * 1024 ** 2];
/** Characters of documents after which a file is full. Parquet is made in memory. */
const maxCharacters = { csv: 1024 ** 3, ndjson: 1024 ** 3, parquet: 128 * 1024 ** 2 };
/** Pause after a page, as a share of its duration: searches of people come first. */
const pauseShare = 0.5;
const maxPauseMs = 500;

/** Ends an export with a reason for its requester. */
class RefusedError extends Error {}
class CancelledError extends Error {}

export function createExportWorker(deps: ExportWorkerDeps) {
  const { db, clock, blobs, log } = deps;
  const removeParts = async (id: number, count: number) => {
    for (let part = 0; part < count; part++) await blobs.remove(exportKey(id, part));
  };

  const { run, close } = createSharedRun(async (closing) => {
    const job = await scoped(db, 'system', store.claimExport);
    if (job) await write(deps, job, closing);
    return job !== undefined;
  });

  return {
    run,

    /** Deletes cancelled exports and those past their time. */
    async sweep(): Promise<void> {
      for (const { id, parts } of await scoped(db, 'system', (tx) => store.listOver(tx, new Date(clock.now())))) {
        await removeParts(id, parts);
        await scoped(db, 'system', (tx) => store.removeExport(tx, id));
        log.debug({ export: id }, 'deleted an export of events');
      }
    },

    close,
  };
}

export type ExportWorker = ReturnType<typeof createExportWorker>;

async function write(deps: ExportWorkerDeps, job: store.ExportRecord, closing: AbortSignal): Promise<void> {
  const { db, blobs, log } = deps;
  const update = (change: Parameters<typeof store.updateExport>[2]) =>
    scoped(db, 'system', (tx) => store.updateExport(tx, job.id, change));
  let [parts, bytes] = [0, 0];
  const progress = { events: 0, isCut: false };
  const putPart = async (part: Buffer) => {
    // Counted before it is there: what an interruption leaves is found by the sweep.
    if (!(await update({ parts: Math.max(job.parts, parts + 1) }))) throw new CancelledError();
    await blobs.put(exportKey(job.id, parts), part, 'application/octet-stream');
    parts++;
    bytes += part.length;
  };
  try {
    const names = await scoped(db, 'system', (tx) => store.namesOfClients(tx, job.organisation_ids));
    await writeFile(job.format, pagesOf(deps, job, progress, closing), names, putPart);
    await update({ state: 'done', parts, bytes, events: progress.events, is_cut: progress.isCut });
    for (let part = parts; part < job.parts; part++) await blobs.remove(exportKey(job.id, part));
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    // Closing: the claim ends, and another process starts over.
    if (error instanceof CancelledError) return;
    if (!(error instanceof RefusedError)) log.error({ err: error, export: job.id }, 'an export of events failed');
    const failure =
      error instanceof RefusedError
        ? error.message
        : error instanceof TookTooLongError
          ? 'Stopped: reading these events took too long. Select a shorter range, one client, or more filters.'
          : 'Stopped by an internal error. Export again.';
    await update({ state: 'failed', failure });
  }
}

/** Matching events, newest first, until all are read or a file is full. */
async function* pagesOf(
  deps: ExportWorkerDeps,
  job: store.ExportRecord,
  progress: { events: number; isCut: boolean },
  closing: AbortSignal,
): AsyncGenerator<StoredEvent[]> {
  const { db, maxEvents = maxExportedEvents } = deps;
  const scope: Scope = { organisationIds: job.organisation_ids };
  const search = {
    range: { start: job.start_at.getTime(), end: job.end_at.getTime() },
    by: job.searched_by,
    filter: job.filters as unknown as EventsFilter,
    signal: closing,
  };
  let before: Cursor | undefined;
  let [perPage, characters] = [4 * minPerPage, 0];
  do {
    const startedAt = performance.now();
    await requireAccess(deps, job);
    const place = before;
    const page = await readScoped(db, scope, (tx) => readMatches(tx, scope, { ...search, before: place }, perPage), {
      isolation: 'repeatable read',
    });
    if (closing.aborted) throw new CancelledError();
    const events = page.events.slice(0, maxEvents - progress.events);
    progress.events += events.length;
    const length = events.reduce((sum, { json }) => sum + json.length, 0);
    characters += length;
    const isFull = progress.events >= maxEvents || characters >= maxCharacters[job.format];
    progress.isCut = page.events.length > events.length || (isFull && page.next !== undefined);
    perPage = Math.min(maxPerPage, Math.max(minPerPage, Math.floor((pageCharacters * events.length) / Math.max(1, length))));
    if (events.length > 0) yield events;
    before = progress.isCut ? undefined : page.next;
    const change = { events: progress.events, searched_to: before ? new Date(before.at) : null };
    if (!(await scoped(db, 'system', (tx) => store.updateExport(tx, job.id, change)))) throw new CancelledError();
    const pauseMs = Math.min(maxPauseMs, pauseShare * (performance.now() - startedAt));
    await pause(pauseMs, undefined, { signal: closing }).catch(() => {});
  } while (before !== undefined);
}

async function requireAccess({ db, actorNow }: ExportWorkerDeps, job: store.ExportRecord): Promise<void> {
  const actor = await scoped(db, 'system', (tx) => actorNow(tx, job.user_id, job.api_key_id ?? undefined), { readOnly: true });
  if (!actor || !mayAs(actor, 'events:read') || !job.organisation_ids.every((id) => actor.organisationIds.includes(id)))
    throw new RefusedError('Stopped: you may no longer see all of these events.');
}

/** Runs the worker after each commit that queued an export. Returns how to stop it. */
export function startExportWorker(bus: Bus, worker: ExportWorker, log: Log): () => Promise<void> {
  const run = () => void worker.run().catch((error) => log.error({ err: error }, 'exports of events could not be written'));
  const end = onEach(bus, 'eventExport.queued', run);
  run();
  return async () => {
    end();
    await worker.close();
  };
}
