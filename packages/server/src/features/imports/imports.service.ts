/** Imports of files: prepared by a call, then read and stored while the file arrives. The file itself is not kept. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import {
  type FileImport,
  type ImportFormat,
  type importsApi,
  maxImportBytes,
  maxImportRecords,
} from '@parapet/contract/imports.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { readScoped, type Scope, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { IngestService } from '../ingest/ingest.service.ts';
import { readFile } from './imports.read.ts';
import { beginImport, findImport, type ImportRow, insertImport, listImports, saveImport } from './imports.store.ts';
import { createImportWriter } from './imports.write.ts';

export interface ImportsDeps {
  db: Database;
  clock: Clock;
  ingest: Pick<IngestService, 'take' | 'inTurn'>;
  log: Log;
}

const listed = 200;
/** In this process; each holds a slice of events. */
const maxAtOnce = 2;

export type ImportsService = ReturnType<typeof createImportsService>;

export function createImportsService(deps: ImportsDeps) {
  const { db } = deps;
  let running = 0;

  const find = async (scope: Scope, id: number): Promise<ImportRow> => {
    const row = await readScoped(db, scope, (tx) => findImport(tx, scope, id));
    if (!row) throw problem.notFound('import', id);
    return row;
  };

  return {
    async list(actor: Actor, client: number): Promise<AnswerOf<typeof importsApi.list>> {
      const scope = scopeFor(actor, client);
      const rows = await readScoped(db, scope, (tx) => listImports(tx, scope, listed));
      return { results: rows.map(shown), total: rows[0]?.total ?? 0 };
    },

    async create(
      actor: Actor,
      client: number,
      input: { fileName: string; format: ImportFormat; source: string | null; mapping: EventMapping | null },
    ): Promise<FileImport> {
      const scope = scopeFor(actor, client);
      if (input.format === 'csv' && !input.mapping) throw problem.invalid({ mapping: ['Rows of CSV need a mapping.'] });
      if (input.format === 'evtx' && input.mapping) throw problem.invalid({ mapping: ['Windows events need no mapping.'] });
      if (input.mapping && !input.source) throw problem.invalid({ source: ['Name the data source of the records.'] });
      const id = await scoped(db, scope, async (tx) => {
        const author = { userId: actor.userId, userName: actor.displayName };
        const id = await insertImport(tx, { organisationId: client, ...input, ...author });
        const entry = { action: 'import.created', organisationId: client, target: String(id), after: input } as const;
        await recordAudit(tx, actor, entry);
        return id;
      });
      return shown(await find(scope, id));
    },

    /** Refuses more than `maxAtOnce` files at a time. */
    async upload(actor: Actor, client: number, id: number, stream: AsyncIterable<Buffer>): Promise<FileImport> {
      const scope = scopeFor(actor, client);
      const row = await find(scope, id);
      if (running >= maxAtOnce) throw problem.unavailable('Other files are being imported. Try again in a moment.', 5);
      if (!(await scoped(db, scope, (tx) => beginImport(tx, scope, id))))
        throw problem.conflict('This import was started before, or prepared more than ten minutes ago. Prepare another one.');
      running++;
      try {
        await store(deps, actor, scope, row, stream);
      } finally {
        running--;
      }
      return shown(await find(scope, id));
    },
  };
}

async function store(
  deps: ImportsDeps,
  actor: Actor,
  scope: Scope,
  row: ImportRow,
  stream: AsyncIterable<Buffer>,
): Promise<void> {
  const { db, log } = deps;
  const writer = createImportWriter(deps, row);
  const { progress } = writer;
  let failure = '';
  try {
    for await (const records of readFile(counted(stream, progress), row.format)) {
      if (!(await writer.add(records))) continue;
      await scoped(db, scope, (tx) => saveImport(tx, scope, row.id, progress));
    }
    await writer.flush();
  } catch (error) {
    failure = failureOf(error);
    if (!(error instanceof Problem)) log.warn({ err: error, import: row.id }, 'an import broke off');
  }
  const state = failure === '' ? 'done' : 'failed';
  await scoped(db, scope, async (tx) => {
    await saveImport(tx, scope, row.id, progress, { state, failure });
    const { bytes, stored, duplicates, refused } = progress;
    const after = { state, bytes, stored, duplicates, refused } as const;
    const entry = { action: 'import.finished', organisationId: row.organisationId, target: String(row.id), after } as const;
    await recordAudit(tx, actor, entry);
  });
}

async function* counted(stream: AsyncIterable<Buffer>, progress: { bytes: number; records: number }): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    progress.bytes += chunk.length;
    if (progress.bytes > maxImportBytes)
      throw problem.tooLarge(`A file may have at most ${maxImportBytes / 1024 / 1024} MiB. Split it.`);
    if (progress.records > maxImportRecords)
      throw problem.tooLarge(`A file may have at most ${maxImportRecords} records. Split it.`);
    yield chunk;
  }
}

const failureOf = (error: unknown): string =>
  error instanceof Problem
    ? storable(error.message).slice(0, 500)
    : 'The upload broke off. Import the file again: events that are stored already are recognised, those without a time of their own for an hour.';

const shown = (row: ImportRow): FileImport => {
  const { organisationId, createdAt, endedAt, total: _total, ...rest } = row;
  return {
    ...rest,
    clientOrganizationID: organisationId,
    createdBy: row.createdBy || 'A former user',
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
};
