/** Starts the product as people do, with its start command, on a folder and ports of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Portal {
  url: string;
  dataDir: string;
  stop(): Promise<void>;
  /** Ends it as a power cut would, database and all. */
  kill(): Promise<void>;
}

interface Settings {
  env?: Record<string, string>;
  /** A folder to go on with; it is left behind. Without it a new one, which goes with the portal. */
  dataDir?: string;
  port?: number;
  readyWithinMs?: number;
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

export const newDataDir = () => mkdtemp(join(tmpdir(), 'parapet-e2e-'));

export async function startPortal({ env = {}, dataDir, port, readyWithinMs = 180_000 }: Settings = {}): Promise<Portal> {
  const folder = dataDir ?? (await newDataDir());
  const ownPort = port ?? (await freePort());
  const url = `http://127.0.0.1:${ownPort}`;
  // A process group of its own, so that npm and what it starts end together.
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
      // npm is gone at once; the database, which stops last, takes this file along.
      for (const end = Date.now() + 20_000; existsSync(postmasterFile(folder)) && Date.now() < end; ) await pause(50);
      if (dataDir === undefined) await removeDir(folder);
    },
    kill: async () => {
      // The database is no child of the group. It would stop cleanly when it sees the server gone.
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
  // SIGTERM as a service manager sends it, to npm alone, which must hand it on; SIGKILL to all of them.
  process.kill(name === 'SIGKILL' ? -child.pid : child.pid, name);
  await Promise.race([ended, pause(20_000)]);
}

const postmasterFile = (folder: string) => join(folder, 'postgres', 'postmaster.pid');

export const removeDir = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });

/** A new ingest key, by the product's own verb, while it runs. */
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
