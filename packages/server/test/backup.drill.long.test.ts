/**
 * The restore drill: a portal on its embedded database is backed up under load, killed and its data folder deleted; the restored one has every event that
 * was acknowledged before the last stored log, and sends nothing until it is released.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Database } from '../src/core/db/connect.ts';
import { attachEmbedded, type EmbeddedPostgres, startEmbedded } from '../src/core/db/embedded.ts';
import { appUrl } from '../src/core/db/migrate.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { createIngestKeysService } from '../src/features/ingest-keys/ingest-keys.service.ts';
import { eventRows } from './storedEvents.ts';

const organisationId = 1001;
const program = (name: string) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
const run = promisify(execFile);

let folder: string;
let portal: ChildProcess | undefined;
let restored: EmbeddedPostgres | undefined;
let port: number;

const environment = (dataDir: string) => ({
  PATH: process.env.PATH,
  PORT: String(port),
  HOST: '127.0.0.1',
  DATA_DIR: join(folder, dataDir),
  PORTAL_DEMO: '0',
  SECRET_KEY: 'a secret of the tests, long enough to be one',
  BACKUP_DIR: join(folder, 'backup'),
  BACKUP_KEY: 'a backup key of the tests, long enough',
  LOG_LEVEL: 'warn',
});

/** Output of a command of the operator. */
async function command(name: string, dataDir: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [program(name), ...args], { env: environment(dataDir) });
  return stdout.trim();
}

async function startPortal(): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as { port: number });
  await new Promise((resolve) => server.close(resolve));
  portal = spawn(process.execPath, [program('main')], { env: environment('data'), stdio: ['ignore', 'ignore', 'inherit'] });
  for (let tries = 0; tries < 900; tries++) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await pause(100);
  }
  throw new Error('the portal did not become ready');
}

async function open(ownerUrl: string): Promise<Database> {
  return connect({ url: appUrl(ownerUrl), applicationName: 'test', poolSize: 1 });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parapet-drill-'));
  await startPortal();
}, 120_000);

afterAll(async () => {
  portal?.kill('SIGKILL');
  await restored?.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** Acknowledged ids with the time of the acknowledgement. */
function load(key: string, ledger: Map<string, number>): () => Promise<void> {
  let isOver = false;
  const shipper = async (number: number) => {
    for (let batch = 0; !isOver; batch++) {
      const ids = Array.from({ length: 20 }, (_, i) => `${number}-${batch}-${i}`);
      const at = new Date().toISOString();
      const body = ids.map((id) => `{"create":{"_id":"${id}"}}\n{"@timestamp":"${at}","name":"${id}"}\n`).join('');
      try {
        const headers = { authorization: `ApiKey ${key}` };
        const answer = await fetch(`http://127.0.0.1:${port}/ingest/_bulk`, { method: 'POST', headers, body });
        const isStored = answer.status === 200 && !((await answer.json()) as { errors: boolean }).errors;
        if (isStored) for (const id of ids) ledger.set(id, Date.now());
      } catch {
        return;
      }
      await pause(50);
    }
  };
  const shippers = Promise.all([0, 1, 2].map(shipper));
  return async () => {
    isOver = true;
    await shippers;
  };
}

test('restores every event that was acknowledged before the last stored log, and pauses what leaves', async () => {
  const dataDir = join(folder, 'data');
  const db = await open(await attachEmbedded({ dataDir }));
  await scoped(db, 'system', (tx) =>
    tx
      .insertInto('organisations')
      .values({ id: organisationId, name: 'Drill', is_partner: false, parent_id: null, is_mfa_compulsory: false })
      .execute(),
  );
  const key = await createIngestKeysService({ db }).createUnattended(organisationId, 'drill');
  await db.close();

  const ledger = new Map<string, number>();
  const stop = load(key, ledger);
  expect(await command('backup', 'data')).toMatch(/took a base backup of [\d.]+ MiB/);
  const duringBase = ledger.size;
  // Long enough for the log after the base backup to be stored.
  await pause(13_000);
  const postmaster = Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
  const exited = once(portal as ChildProcess, 'exit');
  portal?.kill('SIGKILL');
  await exited;
  await stop();
  // The kernel ends PostgreSQL with the portal.
  await expect.poll(() => existsSync(`/proc/${postmaster}`), { timeout: 20_000 }).toBe(false);
  await rm(dataDir, { recursive: true, force: true });

  const started = performance.now();
  const output = await command('restore', 'restored');
  const restoreMs = performance.now() - started;
  const until = Date.parse(/as of (\S+Z)\./.exec(output)?.[1] ?? '');
  const owed = [...ledger].filter(([, at]) => at < until).map(([id]) => id);
  expect(owed.length).toBeGreaterThan(duringBase);
  expect(restoreMs).toBeLessThan(120_000);

  restored = await startEmbedded({ dataDir: join(folder, 'restored'), log: silentLog });
  const after = await open(restored.ownerUrl);
  const stored = await scoped(after, 'system', (tx) => eventRows(tx));
  const names = new Set(stored.map((row) => (row.document as { name: string }).name));
  expect(owed.filter((id) => !names.has(id))).toEqual([]);
  const { rows } = await scoped(after, 'system', (tx) => sql<{ paused: boolean }>`select is_paused() as paused`.execute(tx));
  expect(rows).toEqual([{ paused: true }]);
  await after.close();
}, 300_000);
