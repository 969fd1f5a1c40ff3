/** One run of the postgres process on a cluster: clearing what an earlier one left, starting, waiting until it is ready, stopping. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { cleanEnvironment, commandOf, type Runner } from './embedded.binaries.ts';

export interface Cluster {
  readonly runner: Runner;
  readonly clusterDir: string;
  readonly socketDir: string;
  readonly logFile: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly readyWithinMs?: number | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

const defaultReadyWithinMs = 60_000;
const RETRY_MS = 50;
/** A backend that outlived its postmaster ends with its statement; ours are bounded to seconds. */
const SHARED_MEMORY_WITHIN_MS = 30_000;

export const SOCKET_FILE = '.s.PGSQL.5432';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

async function postmasterLines(clusterDir: string): Promise<string[]> {
  return readFile(join(clusterDir, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  );
}

/** True when the process with this id is PostgreSQL on this cluster, not a later one with a reused id. */
async function isOurPostgres(pid: number, clusterDir: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const words = command.split('\0');
  return (words[0] ?? '').endsWith('postgres') && words[words.indexOf('-D') + 1] === clusterDir;
}

async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1] ?? 0);
}

/**
 * Ends a PostgreSQL that outlived the portal which started it, and clears away a pid file that names a stranger.
 * Throws when the server's portal still lives (one that our lock cannot see, such as in another network namespace).
 */
export async function clearLeftovers(clusterDir: string, recordedOwner: number | undefined, log: Log): Promise<void> {
  const pid = Number((await postmasterLines(clusterDir))[0] ?? 0);
  if (!(pid > 1) || !isAlive(pid)) return;
  if (!(await isOurPostgres(pid, clusterDir))) {
    await rm(join(clusterDir, 'postmaster.pid'), { force: true });
    return;
  }
  const parent = await parentOf(pid);
  if (parent > 1 && parent === recordedOwner) {
    throw new Error(
      `The embedded PostgreSQL of ${clusterDir} (process ${pid}) is run by process ${parent}, which still lives. Stop that one first.`,
    );
  }
  log.warn({ pid, clusterDir }, 'a PostgreSQL of an earlier run is still there; stopping it');
  for (const [signal, patience] of [
    ['SIGINT', 15_000],
    ['SIGQUIT', 15_000],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (const end = performance.now() + patience; performance.now() < end; await sleep(20)) if (!isAlive(pid)) return;
  }
  throw new Error(`A PostgreSQL of an earlier run (process ${pid}) on ${clusterDir} does not stop. End it, then start again.`);
}

/** Last lines of PostgreSQL’s log, for error messages. */
async function tailOf(file: string, from: number): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return '';
  try {
    const { size } = await handle.stat();
    const start = Math.max(Math.min(from, size), size - 4096);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.subarray(0, bytesRead).toString('utf8').trim();
  } finally {
    await handle.close();
  }
}

async function removeSockets(socketDir: string): Promise<void> {
  // We hold the folder and its server is gone: what lies here is stale, and its lock may name a pid that lives again.
  for (const name of await readdir(socketDir)) if (name.startsWith(SOCKET_FILE)) await rm(join(socketDir, name), { force: true });
}

async function startOnce(cluster: Cluster): Promise<{ child: ChildProcess } | { why: string }> {
  const { runner, clusterDir, socketDir, logFile } = cluster;
  await removeSockets(socketDir);
  const settings = { ...cluster.settings, unix_socket_directories: socketDir };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { command, args } = commandOf(runner, 'postgres', ['-D', clusterDir, ...options]);
  const logFd = openSync(logFile, 'a', 0o600);
  const logStart = await open(logFile, 'r').then(async (handle) => {
    const { size } = await handle.stat();
    await handle.close();
    return size;
  });
  let child: ChildProcess;
  try {
    child = spawn(command, args, {
      env: { ...cleanEnvironment, ...cluster.environment },
      cwd: '/',
      stdio: ['ignore', logFd, logFd],
      // Its own session: Ctrl-C in the terminal reaches us alone, and we stop it after the last request is done.
      detached: true,
      ...(runner.uid === undefined ? {} : { uid: runner.uid, gid: runner.uid }),
    });
  } finally {
    closeSync(logFd);
  }
  let ended: string | undefined;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended ??= `ended with ${signal ?? code}`;
  });
  const readyWithinMs = cluster.readyWithinMs ?? defaultReadyWithinMs;
  for (const end = performance.now() + readyWithinMs; performance.now() < end; await sleep(5)) {
    if (ended !== undefined) return { why: (await tailOf(logFile, logStart)) || ended };
    const lines = await postmasterLines(clusterDir);
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return { child };
  }
  child.kill('SIGQUIT');
  return { why: `not ready after ${readyWithinMs / 1000} s. ${await tailOf(logFile, logStart)}` };
}

/** Starts PostgreSQL and resolves when it takes connections. Throws with the end of its log when it does not start. */
export async function startPostmaster(cluster: Cluster): Promise<ChildProcess> {
  const end = performance.now() + SHARED_MEMORY_WITHIN_MS;
  for (;;) {
    const started = await startOnce(cluster);
    if ('child' in started) return started.child;
    // After a kill -9 the last backends are still leaving.
    if (!/shared memory block .* is still in use/s.test(started.why) || performance.now() > end) {
      throw new Error(
        `The embedded PostgreSQL did not start on ${cluster.clusterDir}: ${started.why}\nIts log is ${cluster.logFile}.`,
      );
    }
    await sleep(RETRY_MS);
  }
}

/** Stops PostgreSQL cleanly (fast), after ten seconds harshly (the next start recovers), and waits until it is gone. */
export async function stopPostmaster(child: ChildProcess, patienceMs = 10_000): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGINT');
  const harsh = setTimeout(() => child.kill('SIGQUIT'), patienceMs);
  await gone;
  clearTimeout(harsh);
}
