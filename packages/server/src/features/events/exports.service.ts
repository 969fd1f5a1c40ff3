/** Exports of events: requested, listed, cancelled and downloaded by their requester; written by exports.worker.ts. */
import { Readable } from 'node:stream';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { EventExport, eventExportsApi } from '@parapet/contract/eventExports.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { z } from 'zod';
import type { Blobs } from '../../core/blobs.ts';
import { publish } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { FileAnswer } from '../../core/http/serve.ts';
import { recordAudit } from '../../domain/audit.ts';
import { lockUser } from '../../domain/user-lock.ts';
import type { EventsFilter } from './events.filter.ts';
import { searchRangeOf } from './events.service.ts';
import { typeOf } from './exports.files.ts';
import * as store from './exports.store.ts';

const maxUnfinished = 2;
const keptMs = dayMs;

export interface ExportsDeps {
  db: Database;
  clock: Clock;
  blobs: Blobs;
}

/** Storage key of a part of an export. */
export const exportKey = (id: number, part: number): string => `exports/events-${id}/${part}`;

const shown = (job: store.ExportRecord): EventExport => ({
  id: job.id,
  client: job.client,
  start: job.start_at.toISOString(),
  end: job.end_at.toISOString(),
  search: (job.filters as unknown as EventsFilter).search,
  format: job.format,
  state: job.state,
  events: job.events,
  isCut: job.is_cut,
  searchedTo: job.searched_to?.toISOString() ?? null,
  bytes: Number(job.bytes),
  failure: job.failure,
  createdAt: job.created_at.toISOString(),
  expiresAt: job.expires_at.toISOString(),
});

export type ExportsService = ReturnType<typeof createExportsService>;

export function createExportsService({ db, clock, blobs }: ExportsDeps) {
  const find = async (actor: Actor, id: number): Promise<store.ExportRecord> => {
    const scope = scopeOf(actor);
    const job = await readScoped(db, scope, (tx) => store.findExport(tx, scope, actor.userId, id));
    if (!job) throw problem.notFound('export', id);
    return job;
  };

  return {
    async start(
      actor: Actor,
      { client, start, end, by, format, ...filters }: z.output<typeof eventExportsApi.start.body>,
    ): Promise<EventExport> {
      const scope = scopeFor(actor, client);
      const range = searchRangeOf(start, end);
      const organisationId = client || actor.organisationId;
      const now = clock.now();
      const whole = scopeOf(actor);
      return scoped(db, whole, async (tx) => {
        await lockUser(tx, whole, actor.userId);
        if ((await store.countUnfinished(tx, whole, actor.userId)) >= maxUnfinished)
          throw problem.conflict(`${maxUnfinished} of your exports are still being written. Wait for one of them, or cancel it.`);
        const job = await store.insertExport(tx, {
          organisation_id: organisationId,
          user_id: actor.userId,
          api_key_id: actor.apiKey?.id ?? null,
          client,
          organisation_ids: scope === 'system' ? [] : [...scope.organisationIds],
          start_at: new Date(range.start),
          end_at: new Date(range.end),
          searched_by: by,
          filters: JSON.stringify(filters),
          format,
          created_at: new Date(now),
          expires_at: new Date(now + keptMs),
        });
        await recordAudit(tx, actor, {
          action: 'events.exported',
          organisationId,
          target: String(job.id),
          after: { client, start, end, ...(by === 'arrived' && { by }), format, ...filters },
        });
        await publish(tx, 'eventExport.queued', {});
        return shown(job);
      });
    },

    async list(actor: Actor): Promise<AnswerOf<typeof eventExportsApi.list>> {
      const scope = scopeOf(actor);
      return { results: (await readScoped(db, scope, (tx) => store.listExports(tx, scope, actor.userId))).map(shown) };
    },

    async cancel(actor: Actor, id: number): Promise<void> {
      await find(actor, id);
      const scope = scopeOf(actor);
      await scoped(db, scope, (tx) => store.cancelExport(tx, scope, actor.userId, id));
    },

    async file(actor: Actor, id: number): Promise<FileAnswer> {
      const job = await find(actor, id);
      const visible = new Set(actor.organisationIds);
      if (job.expires_at.getTime() <= clock.now() || !job.organisation_ids.every((each) => visible.has(each)))
        throw problem.notFound('export', id);
      if (job.state !== 'done') throw problem.conflict(`Export ${id} is not finished: its state is ${job.state}.`);
      const { format, events } = job;
      await scoped(db, scopeOf(actor), (tx) =>
        recordAudit(tx, actor, {
          action: 'events.exportDownloaded',
          organisationId: job.organisation_id,
          target: String(id),
          after: { format, events },
        }),
      );
      async function* parts(): AsyncGenerator<Buffer> {
        for (let part = 0; part < job.parts; part++) {
          const bytes = await blobs.get(exportKey(id, part));
          if (!bytes) throw new Error(`Part ${part} of export ${id} is missing.`);
          yield bytes;
        }
      }
      return {
        type: typeOf[format],
        bytes: Readable.from(parts()),
        downloadName: `events-${job.created_at.toISOString().slice(0, 10)}-${id}.${format}`,
      };
    },
  };
}
