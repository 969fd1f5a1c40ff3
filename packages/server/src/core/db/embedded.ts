/**
 * The database that comes with the portal: a real PostgreSQL, run as our child on a local folder and reached through a socket
 * that only we may enter. One process owns a folder's server (startEmbedded), others of this installation join it (attachEmbedded).
 */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import pg from 'pg';
import type { Log } from '../log.ts';
import {
  chooseRunner,
  cleanEnvironment,
  commandOf,
  findNative,
  type Runner,
  reachable,
  UNPRIVILEGED,
} from './embedded.binaries.ts';
import { type FolderLock, folderKey, isTaken, readNote, removeNote, takeFolder, writeNote } from './embedded.lock.ts';
import { type Cluster, clearLeftovers, SOCKET_FILE, startPostmaster, stopPostmaster } from './embedded.postmaster.ts';

export interface EmbeddedPostgres {
  /** Connects as the role that owns the database; `appUrl` makes the application's own from it. */
  readonly ownerUrl: string;
  /** The process of PostgreSQL now; another one after a restart. */
  readonly pid: number;
  /** Stops PostgreSQL cleanly and waits; the folder is free afterwards. May be called more than once. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** Settings of PostgreSQL over our own, for tests and restores. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Patience with a start in milliseconds, for a recovery; default 60,000. */
  readonly readyWithinMs?: number;
  /** Does as if setpriv were not there, for tests. */
  readonly withoutSetpriv?: boolean;
  /** Variables of its process besides ours, for tests. */
  readonly environment?: Readonly<Record<string, string>>;
}

const OWNER = 'parapet_owner';
const DATABASE = 'parapet';
const MAX_SOCKET_BYTES = 107;
const MAX_LOG_BYTES = 16 * 1024 * 1024;

// Sized for two cores beside a Node process; fsync and synchronous_commit stay on.
const settings = {
  listen_addresses: '',
  port: '5432',
  unix_socket_permissions: '0777',
  max_connections: '100',
  shared_buffers: '128MB',
  effective_cache_size: '2GB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  // More would make the recovery after a kill longer than a second.
  max_wal_size: '256MB',
  // For backups (core/backup). A slot whose backup does not advance keeps no more than this, so that the disk stays free.
  wal_level: 'replica',
  max_wal_senders: '0',
  max_slot_wal_keep_size: '4GB',
  checkpoint_completion_target: '0.9',
  random_page_cost: '1.1',
  max_parallel_workers_per_gather: '1',
  // Planning of partitioned queries must not wait for a compiler.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  // Keeps customer data out of an unprotected log file.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

const exists = (path: string) => stat(path).then(Boolean, () => false);
const isRoot = () => process.getuid?.() === 0;

/**
 * Starts PostgreSQL on `dataDir` (made when missing) and keeps it running: when it dies, it is started again.
 * Throws when another process runs it already (naming that process and the folder) and when it cannot start.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  // The kernel stops PostgreSQL when the thread that started it ends.
  if (!isMainThread) throw new Error('The embedded PostgreSQL must be started from the main thread.');
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  const lock = await takeFolder(dataDir);
  if (!lock) {
    const owner = (await readNote(dataDir))?.pid;
    throw new Error(
      `The portal already runs on ${dataDir}${owner ? ` (process ${owner})` : ''}. Stop it first, or give this one another folder by DATA_DIR.`,
    );
  }
  try {
    return await startOn(dataDir, lock, options);
  } catch (error) {
    await removeNote(dataDir).catch(() => undefined);
    await lock.release();
    throw error;
  }
}

/**
 * The owner's URL of the server that another process runs on this folder. While that one is still starting it waits up to
 * `waitMs`. Throws "the portal is not running on …" when it is stopped.
 */
export async function attachEmbedded({ dataDir, waitMs = 60_000 }: { dataDir: string; waitMs?: number }): Promise<string> {
  const real = await realpath(dataDir).catch(() => undefined);
  const end = performance.now() + waitMs;
  while (real && (await isTaken(real))) {
    const note = await readNote(real);
    if (note?.url) return note.url;
    if (performance.now() > end)
      throw new Error(`The portal on ${real}${note ? ` (process ${note.pid})` : ''} is still starting. Try again in a moment.`);
    await sleep(100);
  }
  throw new Error(
    `The portal is not running on ${real ?? dataDir}. Start it first ("npm start"), or name its folder by DATA_DIR.`,
  );
}

async function startOn(dataDir: string, lock: FolderLock, options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  const started = performance.now();
  const earlier = await readNote(dataDir);
  const place = await choosePlace(dataDir, options.withoutSetpriv ?? false, earlier?.pid, log);
  await writeNote(dataDir, { pid: process.pid });
  const socketDir = await prepareSocketDir(dataDir, place);
  const password = await ensureCluster(dataDir, place, socketDir);
  if (!options.settings?.restore_command && (await exists(join(place.clusterDir, 'recovery.signal'))))
    throw new Error(`The restore into ${dataDir} did not complete. Empty the folder and run "npm run restore" again.`);
  const logFile = join(dataDir, 'postgres.log');
  await rm(logFile, { force: true });
  const cluster: Cluster = {
    ...place,
    socketDir,
    logFile,
    settings: { ...settings, ...options.settings },
    readyWithinMs: options.readyWithinMs,
    environment: options.environment,
  };

  const url = (database: string) =>
    `postgres://${OWNER}:${password}@localhost:5432/${database}?host=${encodeURIComponent(socketDir)}`;
  let child = await startPostmaster(cluster);
  let stopping: Promise<void> | undefined;
  let restarting: Promise<void> | undefined;
  const note = () => writeNote(dataDir, { pid: process.pid, postgresPid: child.pid, url: url(DATABASE) });

  async function revive(): Promise<void> {
    for (let pauseMs = 50; !stopping; pauseMs = Math.min(pauseMs * 2, 5_000)) {
      await sleep(pauseMs);
      if (stopping) return;
      try {
        child = await startPostmaster(cluster);
        watch();
        await note().catch((error: unknown) => log.error({ err: error }, 'postgres.json could not be written'));
        log.warn({ pid: child.pid }, 'the embedded PostgreSQL runs again');
        return;
      } catch (error) {
        log.error({ err: error }, 'the embedded PostgreSQL does not start again yet; trying on');
      }
    }
  }
  function watch(): void {
    child.once('exit', (code, signal) => {
      if (stopping) return;
      log.error({ code, signal }, 'the embedded PostgreSQL ended; starting it again');
      restarting = revive();
    });
    // It can have ended between being ready and being watched.
    if (child.exitCode !== null || child.signalCode !== null) restarting = revive();
  }
  const trim = setInterval(() => {
    void stat(logFile)
      .then(({ size }) => (size > MAX_LOG_BYTES ? truncate(logFile) : undefined))
      .catch(() => undefined);
  }, 60_000);
  trim.unref();

  async function stop(): Promise<void> {
    clearInterval(trim);
    await restarting;
    await stopPostmaster(child);
    await removeNote(dataDir);
    if (dirname(socketDir) !== dataDir) await rm(socketDir, { recursive: true, force: true });
    await lock.release();
  }
  try {
    await ensureDatabase(url);
    watch();
    await note();
    log.info({ pid: child.pid, dataDir, durationMs: Math.round(performance.now() - started) }, 'the embedded PostgreSQL runs');
  } catch (error) {
    stopping = stopPostmaster(child);
    clearInterval(trim);
    await stopping;
    throw error;
  }
  return {
    ownerUrl: url(DATABASE),
    get pid() {
      return child.pid ?? 0;
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

interface Place {
  readonly runner: Runner;
  readonly clusterDir: string;
  /** Folder for files of the unprivileged user when it cannot enter the data folder. */
  readonly home: string;
}

/** Location of the cluster and how it runs. `postgres.path` records a cluster outside an inaccessible folder. */
async function choosePlace(dataDir: string, withoutSetpriv: boolean, owner: number | undefined, log: Log): Promise<Place> {
  const home = join('/var/lib/parapet', folderKey(dataDir));
  const pointer = join(dataDir, 'postgres.path');
  let clusterDir = (await readFile(pointer, 'utf8').catch(() => '')).trim() || join(dataDir, 'postgres');
  if (await exists(clusterDir)) await clearLeftovers(clusterDir, owner, log);
  // A cluster made by a start as an ordinary user stays that user's.
  const uid =
    (await stat(clusterDir).then(
      ({ uid }) => uid,
      () => 0,
    )) || UNPRIVILEGED;
  const runner = await chooseRunner(await findNative(), { uid, home, withoutSetpriv });
  if (!runner.reachesEverything && clusterDir === join(dataDir, 'postgres') && !(await isReachableByAll(dataDir))) {
    const moved = join(home, 'postgres');
    log.warn(
      { dataDir, moved },
      'the database lives elsewhere: without setpriv the unprivileged user cannot reach the data folder',
    );
    await reachable(home);
    if (await exists(clusterDir)) await rename(clusterDir, moved);
    await writeFile(pointer, `${moved}\n`, { mode: 0o600 });
    clusterDir = moved;
  }
  return { runner, clusterDir, home };
}

async function isReachableByAll(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** A folder for the socket that only we may enter, with a path short enough for the kernel (107 bytes with the file's name). */
async function prepareSocketDir(dataDir: string, { runner, home }: Place): Promise<string> {
  const fits = (folder: string) => Buffer.byteLength(join(folder, SOCKET_FILE)) <= MAX_SOCKET_BYTES;
  const short = `parapet-${folderKey(dataDir)}`;
  if (runner.uid !== undefined) {
    await reachable(home);
    await reachable(join(home, 'run'), 0o770);
    return join(home, 'run');
  }
  const beside = join(dataDir, 'run');
  // Recreated: the last start may have used another user. We hold the folder, so it is unused.
  await rm(beside, { recursive: true, force: true });
  const folder = [beside, join(tmpdir(), short)].find(fits) ?? join('/tmp', short);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${folder}, which the database's socket needs, belongs to another user. Remove it or set another TMPDIR.`);
  }
  await chmod(folder, 0o700);
  return folder;
}

/** Creates a missing cluster; returns the owner’s password, stored beside it and readable only by us. */
async function ensureCluster(dataDir: string, { runner, clusterDir }: Place, socketDir: string): Promise<string> {
  const passwordFile = join(dataDir, 'postgres.password');
  const hasCluster = await exists(join(clusterDir, 'PG_VERSION'));
  const known = (await readFile(passwordFile, 'utf8').catch(() => '')).trim();
  if (hasCluster) {
    const version = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
    if (version !== runner.version) {
      throw new Error(
        `${clusterDir} was made by PostgreSQL ${version}, and this portal brings PostgreSQL ${runner.version}. Start it with the earlier portal and move the data, or give DATA_DIR a new folder.`,
      );
    }
    if (!known)
      throw new Error(
        `${passwordFile} is missing; the database in ${clusterDir} cannot be opened without it. Restore it from a backup.`,
      );
    return known;
  }
  if ((await exists(clusterDir)) && (await readdir(clusterDir)).length > 0) {
    throw new Error(`${clusterDir} is not empty and holds no PostgreSQL. Move it away, or give DATA_DIR another folder.`);
  }
  const password = known || randomBytes(24).toString('base64url');
  await writeDurably(passwordFile, `${password}\n`);
  // Made beside its place and renamed, so that a start that is cut short leaves nothing half.
  const fresh = `${clusterDir}.new`;
  await rm(fresh, { recursive: true, force: true });
  await rm(clusterDir, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  const passwordCopy = join(socketDir, 'password');
  await rm(passwordCopy, { force: true });
  await writeFile(passwordCopy, `${password}\n`, { mode: 0o600, flag: 'wx' });
  if (isRoot()) {
    await chown(fresh, UNPRIVILEGED, UNPRIVILEGED);
    await chown(passwordCopy, UNPRIVILEGED, UNPRIVILEGED);
  }
  try {
    await initialise(runner, fresh, passwordCopy);
  } finally {
    await rm(passwordCopy, { force: true });
  }
  await rename(fresh, clusterDir);
  await syncFolder(dirname(clusterDir));
  return password;
}

async function initialise(runner: Runner, folder: string, passwordFile: string): Promise<void> {
  const { command, args } = commandOf(runner, 'initdb', [
    ...['-D', folder, `--username=${OWNER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
  ]);
  const identity = runner.uid === undefined ? {} : { uid: runner.uid, gid: runner.uid };
  const child = spawn(command, args, { env: cleanEnvironment, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], ...identity });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4000);
    });
  }
  const fault = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? code}`));
  });
  if (!fault) return;
  const hint = /user does not exist/.test(output)
    ? ' PostgreSQL wants a user with a name: add one for this id to /etc/passwd, or set DATABASE_URL.'
    : '';
  throw new Error(`The embedded PostgreSQL could not make its folder ${folder} (${fault}): ${output.trim()}.${hint}`);
}

async function ensureDatabase(url: (database: string) => string): Promise<void> {
  const client = new pg.Client({ connectionString: url('postgres') });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
