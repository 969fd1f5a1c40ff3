/**
 * Moves raw events past their days to the archive, and removes its files past their months. Events leave the database only when their file was
 * written, read again from where it is kept, and found to hold the same events; an interruption before that leaves them where they are.
 */
import { createHash } from 'node:crypto';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Blobs } from '../../core/blobs.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { lockBlocks } from '../../domain/events/append.ts';
import { type ArchivedEvent, encodeArchive, readArchive } from '../../domain/events/archiveFile.ts';
import { archiveKey, manifestKey } from '../../domain/events/archiveKeys.ts';
import type { BlockRow } from '../../domain/events/blockRows.ts';
import { eventsOf } from '../../domain/events/merge.ts';
import { openBlocks } from '../../domain/events/openBlocks.ts';
import { dateOf } from '../../domain/ranges.ts';
import * as store from './archive.store.ts';

/** Bounds the memory of a file, some kilobytes an event before compression. */
const defaultEventsPerFile = 40_000;
const filesPerRun = 500;
/** A file takes seconds. */
const statementTimeoutMs = 120_000;
const parquetType = 'application/vnd.apache.parquet';

export interface ArchiveDeps {
  db: Database;
  clock: Clock;
  blobs: Blobs;
  log: Log;
  eventRetentionDays: number;
  eventsPerFile?: number;
}

export type ArchiveService = ReturnType<typeof createArchiveService>;

export function createArchiveService(deps: ArchiveDeps) {
  const { db, clock, blobs, log, eventRetentionDays } = deps;
  return {
    async run(): Promise<void> {
      for (const write of await readScoped(db, 'system', store.listWrites)) {
        await blobs.remove(write.key);
        await putManifest(deps, write.organisationId, write.day);
        await scoped(db, 'system', (tx) => store.removeWrite(tx, write.key));
      }
      for (const { id, days } of await readScoped(db, 'system', (tx) => store.listArchiving(tx, eventRetentionDays))) {
        const before = new Date(Math.floor((clock.now() - days * dayMs) / dayMs) * dayMs);
        try {
          const files = await archiveBefore(deps, id, before);
          if (files > 0) log.info({ organisationId: id, files }, 'archived events');
        } catch (error) {
          log.error(
            { err: error, organisationId: id },
            'events could not be archived and stay searchable; the next run tries again',
          );
        }
      }
      await removeExpired(deps);
    },
  };

  async function removeExpired({ db }: ArchiveDeps): Promise<void> {
    for (const file of await readScoped(db, 'system', (tx) => store.listExpired(tx, filesPerRun))) {
      await blobs.remove(file.key);
      await scoped(db, 'system', (tx) => store.removeFile(tx, file.id));
      await putManifest(deps, file.organisationId, file.day);
    }
  }
}

/** Archives whole days; returns the number of files. */
async function archiveBefore(deps: ArchiveDeps, organisationId: number, before: Date): Promise<number> {
  const { db, eventsPerFile = defaultEventsPerFile } = deps;
  const unreadable: string[] = [];
  for (let files = 0; ; ) {
    const blocks = await readScoped(db, 'system', (tx) => store.listOldestBlocks(tx, organisationId, before, unreadable));
    if (blocks.length === 0) return files;
    let to = 1;
    for (let sum = blocks[0]!.count; to < blocks.length && sum + blocks[to]!.count <= eventsPerFile; to++)
      sum += blocks[to]!.count;
    const part = blocks.slice(0, to);
    const archived = await scoped(
      db,
      'system',
      async (tx) => ((await store.lockArchive(tx, organisationId)) ? archivePart(deps, organisationId, part) : undefined),
      { statementTimeoutMs },
    );
    if (!archived) return files;
    if (archived.length > 0) files++;
    unreadable.push(...part.flatMap(({ id }) => (archived.includes(id) ? [] : [id])));
  }
}

/** Returns the blocks whose events are in the file: corrupt ones stay. */
async function archivePart(deps: ArchiveDeps, organisationId: number, rows: readonly BlockRow[]): Promise<string[]> {
  const { db, blobs } = deps;
  const scope = { organisationIds: [organisationId] };
  const [read, content] = [[] as string[], createHash('sha256')];
  const { first, last } = { first: rows[0]!.firstAt, last: Math.max(...rows.map(({ lastAt }) => lastAt)) };
  async function* groups(): AsyncGenerator<ArchivedEvent[]> {
    for (const row of rows) {
      const { events, merged } = await readScoped(db, scope, (tx) => eventsOf([row], () => openBlocks(tx, scope, [row])));
      read.push(...merged);
      for (const event of events) content.update(lineOf(event));
      yield events;
    }
  }
  const encoded = await encodeArchive(groups());
  if (read.length === 0) return [];
  const day = dateOf(first);
  const files = await readScoped(db, 'system', (tx) => store.listOfDay(tx, organisationId, day));
  const part = (files.at(-1)?.part ?? 0) + 1;
  const file: store.NewArchiveFile = {
    day,
    part,
    key: archiveKey(organisationId, day, part),
    rows: encoded.rows,
    bytes: encoded.bytes.length,
    sha256: createHash('sha256').update(encoded.bytes).digest('hex'),
    firstAt: new Date(first),
    lastAt: new Date(last),
  };
  await scoped(db, 'system', (tx) => store.insertWrite(tx, organisationId, file));
  await blobs.put(file.key, encoded.bytes, parquetType);
  await requireSame(deps, file, content.digest('hex'));
  // Lists the file before the events leave, so that no interruption leaves a file without its entry.
  await putManifest(deps, organisationId, day, file);
  await scoped(db, 'system', async (tx) => {
    await lockBlocks(tx, organisationId);
    await store.archiveBlocks(tx, organisationId, read, file);
    await store.removeWrite(tx, file.key);
  });
  return read;
}

const lineOf = ({ at, id, json }: Pick<ArchivedEvent, 'at' | 'id' | 'json'>): string => `${at} ${id} ${json}\n`;

/** Reads a file from where it is kept. Throws unless it holds the events that were written. */
async function requireSame({ blobs }: ArchiveDeps, file: store.NewArchiveFile, content: string): Promise<void> {
  const stored = await blobs.get(file.key);
  const hash = createHash('sha256');
  let rows = 0;
  if (stored)
    for await (const events of readArchive(stored))
      for (const event of events) {
        hash.update(lineOf(event));
        rows++;
      }
  const isSame = stored && createHash('sha256').update(stored).digest('hex') === file.sha256;
  if (!isSame || rows !== file.rows || hash.digest('hex') !== content)
    throw new Error(`${file.key} does not hold the ${file.rows} events that were written to it.`);
}

/** Manifest of a day: its files with rows, bytes, SHA-256 and range of times; none where no file is left. */
async function putManifest(
  { db, blobs }: ArchiveDeps,
  organisationId: number,
  day: string,
  added?: store.NewArchiveFile,
): Promise<void> {
  const listed: store.NewArchiveFile[] = await readScoped(db, 'system', (tx) => store.listOfDay(tx, organisationId, day));
  const files = [...listed, ...(added ? [added] : [])];
  const key = manifestKey(organisationId, day);
  if (files.length === 0) return blobs.remove(key);
  const entries = files.map(({ key: path, rows, bytes, sha256, firstAt, lastAt }) => ({
    file: path.slice(path.lastIndexOf('/') + 1),
    rows,
    bytes,
    sha256,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
  }));
  await blobs.put(key, Buffer.from(`${JSON.stringify({ organisationId, day, files: entries }, null, 2)}\n`), 'application/json');
}
