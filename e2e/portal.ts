/** Starts the product with its start command on a separate folder and port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../packages/server/test/ports.ts';
import { scratchFolder } from '../tools/scratch.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Portal {
  url: string;
  dataDir: string;
  stop(): Promise<void>;
  /** Kills the portal and its database as in a power cut. */
  kill(): Promise<void>;
}

interface Settings {
  env?: Record<string, string>;
  /** An existing data folder, which is kept. Default: a new one, removed on stop. */
  dataDir?: string;
  port?: number;
  readyWithinMs?: number;
}

export const newDataDir = () => scratchFolder('parapet-e2e-');

export async function startPortal({ env = {}, dataDir, port, readyWithinMs = 180_000 }: Settings = {}): Promise<Portal> {
  const folder = dataDir ?? (await newDataDir());
  const ownPort = port ?? (await freePort());
  const url = `http://127.0.0.1:${ownPort}`;
  // A separate process group, so that npm and its children end together.
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, PORT: String(ownPort), HOST: '127.0.0.1', DATA_DIR: folder, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output = (output + chunk).slice(-20_000)));

  const end = Date.now() + readyWithinMs;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${output}`);
    if (Date.now() > end) {
      await signal(child, 'SIGKILL');
      throw new Error(`The portal was not ready within ${readyWithinMs} ms:\n${output}`);
    }
    await pause(100);
  }
  return {
    url,
    dataDir: folder,
    stop: async () => {
      await signal(child, 'SIGTERM');
      // npm exits immediately; the database stops last and removes this file.
      for (const end = Date.now() + 20_000; existsSync(postmasterFile(folder)) && Date.now() < end; ) await pause(50);
      if (dataDir === undefined) await removeDir(folder);
    },
    kill: async () => {
      // The database is outside the process group and would stop cleanly after losing the server.
      const postmaster = Number((await readFile(postmasterFile(folder), 'utf8')).split('\n', 1)[0]);
      process.kill(postmaster, 'SIGKILL');
      await signal(child, 'SIGKILL');
    },
  };
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );

async function signal(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // SIGTERM goes to npm alone, as from a service manager, and npm must forward it; SIGKILL goes to the whole group.
  process.kill(name === 'SIGKILL' ? -child.pid : child.pid, name);
  await Promise.race([ended, pause(20_000)]);
}

const postmasterFile = (folder: string) => join(folder, 'postgres', 'postmaster.pid');

export const removeDir = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });

/** Creates an ingest key with `npm run ingest-key` while the portal runs. */
export async function ingestKey(portal: Pick<Portal, 'dataDir'>, organisation: number): Promise<string> {
  const child = spawn('npm', ['run', '-s', 'ingest-key', '--', '--organisation', String(organisation)], {
    cwd: root,
    env: { ...process.env, DATA_DIR: portal.dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0 || !/^pk_[\w-]+\n$/.test(output))
    throw new Error(`ingest-key ended with ${code} and printed ${JSON.stringify(output)}`);
  return output.trim();
}
