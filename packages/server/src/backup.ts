/**
 * Takes a base backup now: `npm run backup`. While the portal runs, its worker takes it; otherwise the database is started for as long as it takes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from './command.ts';
import { systemClock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import type { Database } from './core/db/connect.ts';
import { attachEmbedded } from './core/db/embedded.ts';
import { holdLock } from './core/db/lock.ts';
import { readScoped, scoped } from './core/db/scope.ts';
import { silentLog } from './core/log.ts';
import * as store from './features/operations/backup.store.ts';
import { openBackupTarget, targetLabel } from './features/operations/backup.target.ts';
import { backupLock, openArchiveOf, takeBase } from './features/operations/backup.worker.ts';

const lookEveryMs = 1_000;

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** By the worker of the running portal. */
async function requested(db: Database): Promise<string> {
  const newest = () => readScoped(db, 'system', async (tx) => (await store.listRuns(tx)).find(({ kind }) => kind === 'base'));
  const before = await newest();
  await scoped(db, 'system', (tx) => store.requestBase(tx));
  for (;;) {
    await pause(lookEveryMs);
    const run = await newest();
    if (!run || run.endedAt === before?.endedAt) continue;
    if (run.error) throw new Error(`The base backup failed: ${run.error}`);
    return `The portal took a base backup of ${mebibytes(run.bytes)}.`;
  }
}

async function backUp(db: Database, config: Config): Promise<string> {
  const { backup, dataDir } = config;
  if (!backup)
    throw new Error(
      'No backup is configured. Set BACKUP_DIR or BACKUP_S3_…, and BACKUP_KEY or BACKUP_KEY_FILE: docs/operating.md, "Backup".',
    );
  const lock = await holdLock(await attachEmbedded({ dataDir }), backupLock, () => {});
  if (!lock) return requested(db);
  try {
    const target = await openBackupTarget(backup);
    const archive = await openArchiveOf({ config, clock: systemClock, log: silentLog }, target);
    try {
      const { bytes, files } = await takeBase({ config, db, clock: systemClock }, archive, target);
      return `${files} files are in ${targetLabel(backup)}, ${mebibytes(bytes)} encrypted.`;
    } finally {
      await archive.close();
    }
  } finally {
    await lock.release();
  }
}

await runCommand('backup', backUp);
