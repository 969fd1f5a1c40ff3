/**
 * Restores a backup into the empty folder DATA_DIR: `npm run restore [-- --at 2026-11-27T08:30:00Z]`. `--list` prints what there is. `--verify` restores
 * into a folder of its own, reads every table and removes it.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { providerId } from '@parapet/contract/access.ts';
import { onOwnDatabase, runOffline } from './command.ts';
import type { BackupStore } from './core/backup/objects.ts';
import { listAvailable, restore } from './core/backup/restore.ts';
import { readEverything } from './core/backup/verify.ts';
import type { Config } from './core/config.ts';
import { scoped } from './core/db/scope.ts';
import { createLog, silentLog } from './core/log.ts';
import { recordRestoration } from './features/operations/backup.store.ts';
import { openBackupTarget } from './features/operations/backup.target.ts';

const iso = (time: Date | number): string => new Date(time).toISOString();

function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = new Date(text);
  if (Number.isNaN(at.getTime()) || !/[Zz]$|[+-]\d\d:?\d\d$/.test(text))
    throw new Error(`--at ${text} is no time with a zone. Write it as 2026-11-27T08:30:00Z.`);
  return at;
}

async function list(store: BackupStore): Promise<string> {
  const available = await listAvailable(store);
  if (available.length === 0) throw new Error('There is no complete base backup here.');
  const lines = available.map(
    ({ manifest, until }) =>
      `${manifest.endedAt} to ${iso(until)}: ${manifest.files} files, ${(manifest.bytes / 1024 / 1024).toFixed(1)} MiB, PostgreSQL ${manifest.postgres}`,
  );
  return ['Times that can be restored, by base backup:', ...lines].join('\n');
}

async function restoreAll(store: BackupStore, config: Config, at: Date | undefined): Promise<string> {
  const { restoredTo, files } = await restore({
    store,
    dataDir: config.dataDir,
    at,
    log: createLog(config.logLevel),
    work: (ownerUrl, time, base) =>
      onOwnDatabase(ownerUrl, config, 'restore', (db) =>
        scoped(db, 'system', (tx) => recordRestoration(tx, time, base.endedAt, providerId)),
      ),
  });
  return `${files} files are restored to ${config.dataDir}, as of ${iso(restoredTo)}. Start the portal with the master key of that time. Deliveries, connections and agent tasks stay paused until a Host releases them (Settings › Administration › Operations).`;
}

/** Restores into a folder beside the data, reads everything and removes it. */
async function verify(store: BackupStore, config: Config): Promise<string> {
  const dataDir = join(config.dataDir, 'verification');
  let [tables, rows] = [0, 0];
  const work = async (ownerUrl: string) => {
    ({ tables, rows } = await readEverything(ownerUrl));
  };
  await rm(dataDir, { recursive: true, force: true });
  try {
    const { restoredTo } = await restore({ store, dataDir, log: silentLog, settings: { fsync: 'off' }, work });
    return `${tables} tables with ${rows} rows were restored and read, as of ${iso(restoredTo)}.`;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

await runOffline(async (config) => {
  const { values } = parseArgs({
    options: { at: { type: 'string' }, list: { type: 'boolean' }, verify: { type: 'boolean' } },
  });
  if (!config.backup)
    throw new Error('Name the backup by BACKUP_DIR or BACKUP_S3_…, and its key by BACKUP_KEY or BACKUP_KEY_FILE.');
  const store = await openBackupTarget(config.backup);
  if (values.list) return list(store);
  return values.verify ? verify(store, config) : restoreAll(store, config, timeOf(values.at));
});
