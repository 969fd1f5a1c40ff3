/**
 * Continuous backup by one process of the installation with the role `worker`: the log every ten seconds, a base backup a day, a restore into a second
 * instance a week.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { type Archive, openArchive } from '../../core/backup/archive.ts';
import type { BackupStore } from '../../core/backup/objects.ts';
import { prune } from '../../core/backup/prune.ts';
import type { BackupConfig } from '../../core/config.backup.ts';
import { attachEmbedded } from '../../core/db/embedded.ts';
import { withExclusiveLock } from '../../core/db/lock.ts';
import { isDatabaseAway, readScoped, scoped } from '../../core/db/scope.ts';
import type { Close, Platform } from '../../core/feature.ts';
import * as store from './backup.store.ts';
import { openBackupTarget, targetLabel } from './backup.target.ts';

/** One backup at a time in an installation, by the portal or by a command. */
export const backupLock = 3;
const shipEveryMs = 10_000;
const afterErrorMs = 30_000;
/** The state is in the database, whose changes are backed up: written no more often than this. */
const saveEveryMs = 60_000;
const verifyEveryMs = 7 * dayMs;
const verifyWithinMs = 6 * hourMs;
const restoreProgram = fileURLToPath(new URL('../../restore.ts', import.meta.url));

export type BackupDeps = Pick<Platform, 'config' | 'url' | 'db' | 'clock' | 'isReplaying' | 'log'>;

export function startBackupWorker(deps: BackupDeps & { backup: BackupConfig }): Close {
  const { url, log } = deps;
  const closing = new AbortController();
  const working = withExclusiveLock(url, backupLock, closing.signal, (until) => keepBackingUp(deps, until)).catch((error) =>
    log.error({ err: error }, 'backups ended'),
  );
  return async () => {
    closing.abort();
    await working;
  };
}

async function keepBackingUp(deps: BackupDeps & { backup: BackupConfig }, until: AbortSignal): Promise<void> {
  const { log, db } = deps;
  const rest = (ms: number) => pause(ms, undefined, { signal: until }).catch(() => {});
  while (!until.aborted) {
    try {
      await backUpUntil(deps, until);
    } catch (error) {
      if (until.aborted) return;
      if (!isDatabaseAway(error)) {
        log.error({ err: error }, 'the backup failed; trying again');
        const text = error instanceof Error ? error.message : String(error);
        await scoped(db, 'system', (tx) => store.saveState(tx, { error: text })).catch(() => {});
      }
      await rest(afterErrorMs);
    }
  }
}

async function backUpUntil(deps: BackupDeps & { backup: BackupConfig }, until: AbortSignal): Promise<void> {
  const { backup, db, clock, isReplaying } = deps;
  const target = await openBackupTarget(backup);
  const archive = await openArchiveOf(deps, target);
  let savedAt = 0;
  let verifying: Promise<void> | undefined;
  try {
    while (!until.aborted) {
      if (!isReplaying()) {
        const archivedUntil = await archive.ship();
        if (clock.now() - savedAt >= saveEveryMs) {
          await scoped(db, 'system', (tx) => store.saveState(tx, { archivedUntil, target: targetLabel(backup), error: '' }));
          savedAt = clock.now();
        }
        if (await isBaseDue(deps, archive)) {
          await takeBase(deps, archive, target);
          savedAt = 0;
        }
        if (!verifying && (await isVerificationDue(deps)))
          verifying = verify(deps, until).finally(() => {
            verifying = undefined;
          });
      }
      await pause(shipEveryMs, undefined, { signal: until }).catch(() => {});
    }
    // The stop itself loses nothing.
    await archive.ship();
  } finally {
    await archive.close().catch(() => {});
    await verifying;
  }
}

export async function openArchiveOf({ config, clock, log }: Pick<BackupDeps, 'config' | 'clock' | 'log'>, target: BackupStore) {
  return openArchive({
    ownerUrl: await attachEmbedded({ dataDir: config.dataDir }),
    dataDir: config.dataDir,
    filesDir: config.s3 ? undefined : join(config.dataDir, 'files'),
    store: target,
    clock,
    log,
  });
}

async function isBaseDue({ db, clock }: BackupDeps, archive: Archive): Promise<boolean> {
  const { requestedAt } = await readScoped(db, 'system', (tx) => store.readState(tx));
  if (requestedAt) return true;
  const latest = await archive.latestBase();
  return !latest || Date.parse(latest.endedAt) < clock.now() - dayMs;
}

/** A base backup, its entry, and the removal of those that are past their time. */
export async function takeBase(
  { config, db, clock }: Pick<BackupDeps, 'config' | 'db' | 'clock'>,
  archive: Archive,
  target: BackupStore,
): Promise<{ bytes: number; files: number }> {
  const startedAt = new Date(clock.now());
  try {
    const manifest = await archive.takeBase();
    const keep = { number: config.backup?.keep ?? 1, days: config.backup?.keepDays ?? 1 };
    if ((await prune(target, keep, manifest.chain, clock.now())) > 0) archive.forget();
    const endedAt = new Date(clock.now());
    await scoped(db, 'system', async (tx) => {
      await store.recordRun(tx, { kind: 'base', startedAt, endedAt, bytes: manifest.bytes });
      await store.endRequest(tx);
    });
    return manifest;
  } catch (error) {
    await scoped(db, 'system', (tx) =>
      store.recordRun(tx, { kind: 'base', startedAt, endedAt: new Date(clock.now()), error: String(error) }),
    ).catch(() => {});
    throw error;
  }
}

async function isVerificationDue({ db, clock }: BackupDeps): Promise<boolean> {
  const runs = await readScoped(db, 'system', (tx) => store.listRuns(tx));
  const last = runs.find(({ kind }) => kind === 'verification');
  const first = runs.findLast(({ kind, error }) => kind === 'base' && error === '');
  return first !== undefined && Date.parse((last ?? first).endedAt) < clock.now() - (last ? verifyEveryMs : hourMs);
}

/** In a process of its own, which runs a second PostgreSQL on a folder that it removes. */
async function verify({ db, clock, log }: BackupDeps, until: AbortSignal): Promise<void> {
  const startedAt = new Date(clock.now());
  const { note, error } = await new Promise<{ note: string; error: string }>((resolve) => {
    const options = { timeout: verifyWithinMs, signal: until, maxBuffer: 1024 * 1024 };
    execFile(process.execPath, [...process.execArgv, restoreProgram, '--verify'], options, (fault, stdout, stderr) =>
      resolve({ note: fault ? '' : stdout.trim(), error: fault ? stderr.trim().slice(-1000) || fault.message : '' }),
    );
  });
  if (until.aborted) return;
  if (error) log.error({ error }, 'the backup could not be verified');
  await scoped(db, 'system', (tx) =>
    store.recordRun(tx, { kind: 'verification', startedAt, endedAt: new Date(clock.now()), error, note }),
  ).catch((fault) => log.error({ err: fault }, 'the verification of the backup could not be recorded'));
}
