/**
 * F6: the disk of the embedded database is full. The portal refuses events until there is room, loses nothing that it acknowledged, recovers unaided,
 * and its metrics show the filling beforehand. A memory file system, which takes the right to mount. `DISK_ROUNDS` lengthens a run, `SEED` repeats one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { randomFor } from '@parapet/world/random.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Database } from '../src/core/db/connect.ts';
import { attachEmbedded } from '../src/core/db/embedded.ts';
import { appUrl } from '../src/core/db/migrate.ts';
import { scoped } from '../src/core/db/scope.ts';
import { createIngestKeysService } from '../src/features/ingest-keys/ingest-keys.service.ts';
import { freePort } from './ports.ts';
import { createLedger, type Ledger, ledgerFaults } from './reliability.ledger.ts';
import { type PortalProcess, portalProcess } from './reliability.portal.ts';
import { probeRules } from './reliability.rules.ts';
import { eventRows } from './storedEvents.ts';

const rounds = Number(process.env.DISK_ROUNDS ?? 2);
const seed = process.env.SEED ?? '6';
const sizeMiB = 320;
const organisationId = 1001;
const padding = 'x'.repeat(900);
const recoveryMs = 90_000;
/** In a mount namespace of its own, so that the attempt leaves nothing; root within a container may lack the right. */
const mayMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;
if (!mayMount) console.warn('The full disk is left out: it needs root and the right to mount.');

let folder: string;
let isMounted = false;
let dataDir: string;
let metrics: string;
let key: string;
let portal: PortalProcess;
let rules: Awaited<ReturnType<typeof probeRules>>;

async function database(): Promise<Database> {
  return connect({ url: appUrl(await attachEmbedded({ dataDir })), applicationName: 'test', poolSize: 1 });
}

beforeAll(async () => {
  if (!mayMount) return;
  folder = await mkdtemp(join(tmpdir(), 'parapet-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m,mode=0755`, 'tmpfs', folder]);
  isMounted = true;
  dataDir = join(folder, 'data');
  const metricsPort = await freePort();
  metrics = `http://127.0.0.1:${metricsPort}/metrics`;
  rules = await probeRules();
  portal = await portalProcess({
    env: {
      RULES_DIR: rules.folder,
      DATA_DIR: dataDir,
      PORTAL_ROLES: 'api,ingest,worker',
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: 'error',
    },
  });
  await portal.start();
  const db = await database();
  await scoped(db, 'system', (tx) =>
    tx
      .insertInto('organisations')
      .values({ id: organisationId, name: 'Disk', is_partner: false, parent_id: null, is_mfa_compulsory: false })
      .execute(),
  );
  key = await createIngestKeysService({ db }).createUnattended(organisationId, 'disk');
  await db.close();
}, 300_000);
afterAll(async () => {
  if (!mayMount) return;
  // A database without room does not shut down.
  await rm(filler(), { force: true });
  try {
    await (portal as PortalProcess | undefined)?.end('SIGTERM');
  } finally {
    if (isMounted) execFileSync('umount', ['-l', folder]);
    await rm(folder, { recursive: true });
    await (rules as typeof rules | undefined)?.remove();
  }
}, 60_000);

const filler = () => join(folder, 'filler');
/** Leaves so many bytes free, or none where there are fewer. */
async function fill(leave: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const file = await open(filler(), 'a');
  try {
    const chunk = Buffer.alloc(256 * 1024, 1);
    for (let left = bavail * bsize - leave; left > 0; left -= chunk.length)
      await file.appendFile(left < chunk.length ? chunk.subarray(0, left) : chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}

/** 0 where the connection failed. */
async function ship(ledger: Ledger, count = 200): Promise<number> {
  const marks = Array.from({ length: count }, () => ledger.mark());
  const body = marks
    .map((mark) => `{"create":{}}\n${JSON.stringify({ message: `${mark} ${padding}${Math.random()}` })}\n`)
    .join('');
  try {
    const answer = await fetch(`${portal.origin}/ingest/_bulk`, {
      method: 'POST',
      headers: { authorization: `ApiKey ${key}` },
      body,
      signal: AbortSignal.timeout(60_000),
    });
    if (answer.status !== 200) return answer.status;
    const { items } = (await answer.json()) as { items: { create: { status: number } }[] };
    for (const [index, { create }] of items.entries()) if (create.status < 300) ledger.acknowledged.add(marks[index] as string);
    return items.every(({ create }) => create.status < 300) ? 200 : 503;
  } catch {
    return 0;
  }
}

/** Free part of the data disk by the portal's metrics; the smallest of its folders. */
async function freeByMetrics(): Promise<number> {
  const text = await (await fetch(metrics)).text();
  const of = (name: string) => Number(new RegExp(`^${name}\\{volume="data"\\} (\\S+)$`, 'm').exec(text)?.[1]);
  return of('portal_disk_free_bytes') / of('portal_disk_size_bytes');
}

async function textsOf(): Promise<string[]> {
  const db = await database();
  const rows = await scoped(db, 'system', (tx) => eventRows(tx, organisationId), { statementTimeoutMs: 60_000 });
  await db.close();
  return rows.map(({ text }) => text);
}

const isRefusal = (status: number) => status === 429 || status === 503;

/** Ships until it was refused for a while; returns the statuses. `disk` is replaced by a planted fault. */
async function shipUntilRefused(ledger: Ledger, disk = ship): Promise<number[]> {
  const statuses: number[] = [];
  for (let batch = 0; batch < 60 && statuses.filter(isRefusal).length < 6; batch++) {
    statuses.push(await disk(ledger));
    if (statuses.at(-1) !== 200) await pause(disk === ship ? 300 : 0);
  }
  return statuses;
}

/** Statuses that are neither taken nor refused, and a disk that refused nothing. A connection that fails or stalls for a minute is no refusal. */
function faultsOf(statuses: readonly number[]): string[] {
  const others = statuses.filter((status) => status !== 200 && !isRefusal(status)).map((status) => `status ${status}`);
  return statuses.some(isRefusal) ? others : [...others, 'nothing was refused'];
}

test.skipIf(!mayMount)(
  'refuses events while the disk is full, and recovers unaided',
  { timeout: 120_000 + rounds * 240_000 },
  async () => {
    const random = randomFor(seed, 'disk');
    const ledger = createLedger('disk');
    expect(await ship(ledger)).toBe(200);
    // Beforehand: 5% free is what the alert DiskFilling sees.
    await fill(0.05 * sizeMiB * 1024 * 1024);
    await expect.poll(freeByMetrics, { timeout: 60_000, interval: 1_000 }).toBeLessThan(0.1);
    const recoveries: number[] = [];
    const counts = new Map<number, number>();
    for (let round = 0; round < rounds; round++) {
      await fill(random.int(0, 2) * 200_000);
      const statuses = await shipUntilRefused(ledger);
      for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
      expect(faultsOf(statuses), `round ${round}: ${portal.log()}`).toEqual([]);
      await rm(filler(), { force: true });
      const freed = performance.now();
      await expect.poll(() => ship(ledger, 20), { timeout: recoveryMs, interval: 200 }).toBe(200);
      recoveries.push(performance.now() - freed);
      expect(portal.isRunning(), portal.log()).toBe(true);
    }
    console.log(
      `F6, seed ${seed}: ${rounds} rounds; statuses ${JSON.stringify([...counts])}; taken again after at most ${(Math.max(...recoveries) / 1000).toFixed(1)} s; ${ledger.acknowledged.size} events acknowledged`,
    );
    expect(await portal.isReady()).toBe(true);
    expect(ledgerFaults(ledger, await textsOf())).toEqual({ lost: [], double: [] });
  },
);

test.skipIf(!mayMount)(
  'notices a planted loss, a planted double, a stall and a disk with room',
  { timeout: 120_000 },
  async () => {
    const ledger = createLedger('planted');
    expect(await ship(ledger)).toBe(200);
    ledger.acknowledged.add('planted-zzzzzz.');
    const texts = (await textsOf()).filter((text) => text.startsWith('planted-'));
    expect(ledgerFaults(ledger, [...texts, texts[0] as string])).toEqual({
      lost: ['planted-zzzzzz.'],
      double: [texts[0]!.split(' ')[0]],
    });
    expect(faultsOf([200, 503, 429])).toEqual([]);
    // As long as each would wait for its limit, a stall gives status 0 alone.
    expect(faultsOf(await shipUntilRefused(ledger, async () => 0))).toContain('nothing was refused');
    expect(faultsOf([503, 0])).toEqual(['status 0']);
    expect(faultsOf([503, 500])).toEqual(['status 500']);
    // The check of the main test, on a disk that has room.
    expect(faultsOf([await ship(ledger), await ship(ledger)])).toEqual(['nothing was refused']);
  },
);
