/**
 * Loads files of the archive as blocks that carry the file’s id. Events that are stored already, hot or of another part, are skipped, so that a
 * repeated run and overlapping recalls never show an event twice.
 */
import { createHash } from 'node:crypto';
import type { Blobs } from '../../core/blobs.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { CorruptArchiveError, readArchive } from '../../domain/events/archiveFile.ts';
import { eventStore } from '../../domain/events/eventStore.ts';
import * as store from './recalls.store.ts';

export interface RecallJobDeps {
  db: Database;
  clock: Clock;
  blobs: Blobs;
  log: Log;
}

export async function loadRecalls(deps: RecallJobDeps): Promise<void> {
  const { db, log } = deps;
  for (const file of await readScoped(db, 'system', store.listToLoad)) {
    try {
      await load(deps, file);
    } catch (error) {
      if (!(error instanceof CorruptArchiveError)) throw error;
      log.error({ err: error, key: file.key }, 'a file of the archive is missing or changed; restore it from a backup');
      const text = `The events of ${file.day} are missing: their file in the archive is missing or was changed.`;
      await scoped(db, 'system', (tx) => store.setLoaded(tx, file, text));
    }
  }
}

async function load({ db, blobs }: RecallJobDeps, file: store.FileToLoad): Promise<void> {
  const bytes = await blobs.get(file.key);
  if (!bytes || createHash('sha256').update(bytes).digest('hex') !== file.sha256)
    throw new CorruptArchiveError(`${file.key} is ${bytes ? 'not what was archived' : 'not there'}.`);
  for await (const events of readArchive(bytes)) {
    const isWanted = await scoped(db, 'system', async (tx) => {
      // A release in between ends it.
      if (!(await store.lockRecall(tx, 'system', file.recallId))) return false;
      await store.makeDay(tx, file.day);
      await eventStore.append(tx, file.organisationId, events, file.fileId);
      return true;
    });
    if (!isWanted) return;
  }
  await scoped(db, 'system', (tx) => store.setLoaded(tx, file));
}
