/**
 * F5: the clocks of the portal and of PostgreSQL jump by an hour, forth and back, apart and together, and by a second, which then comes twice. Shippers go on,
 * send batches of before once more, and what was acknowledged is stored once and raises its alert once. Debian's libfaketime sets the clocks; without it the test
 * is left out with a warning. `JUMPS` lengthens a run, `SEED` repeats one.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { randomFor } from '@parapet/world/random.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Database } from '../src/core/db/connect.ts';
import { type EmbeddedPostgres, startEmbedded } from '../src/core/db/embedded.ts';
import { appUrl } from '../src/core/db/migrate.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { createIngestKeysService } from '../src/features/ingest-keys/ingest-keys.service.ts';
import { createLedger, type Ledger, ledgerFaults } from './reliability.ledger.ts';
import { type PortalProcess, portalProcess } from './reliability.portal.ts';
import { probeRules } from './reliability.rules.ts';
import { eventRows } from './storedEvents.ts';

const seed = process.env.SEED ?? '5';
const hour = 3_600;
/** Seconds by which the clocks of portal and PostgreSQL differ from the real one. */
const fixed: readonly [number, number][] = [
  [hour, 0],
  [0, 0],
  [-hour, 0],
  [0, hour],
  [0, -hour],
  [hour, hour],
  [-1, -1],
  [-hour, -hour],
  [0, 0],
];
const jumps = Number(process.env.JUMPS ?? fixed.length);
const jumpMs = 1_500;
const batch = 40;
const shippers = 2;
/** Batches of before a jump that arrive once more. */
const sentAgain = 4;
const organisationId = 1_005;
const backlogMs = 60_000;

const library = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file));
if (!library) console.warn('Jumps of clocks are left out: they need libfaketime (apt-get install faketime).');

let folder: string;
let postgres: EmbeddedPostgres;
let db: Database;
let portal: PortalProcess;
let rules: Awaited<ReturnType<typeof probeRules>>;
let key: string;

/** Only the time of day is set: durations are real, as after a correction by NTP. */
const environmentOf = (name: string): Record<string, string> => ({
  LD_PRELOAD: library!,
  FAKETIME_TIMESTAMP_FILE: join(folder, name),
  FAKETIME_NO_CACHE: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  FAKETIME_DISABLE_SHM: '1',
  NO_FAKE_STAT: '1',
});
const setClock = (name: 'portal' | 'postgres', seconds: number) =>
  writeFileSync(join(folder, name), `${seconds < 0 ? '' : '+'}${seconds}s\n`);

beforeAll(async () => {
  if (!library) return;
  folder = await mkdtemp(join(tmpdir(), 'parapet-clocks-'));
  // PostgreSQL runs as another user.
  await chmod(folder, 0o755);
  setClock('portal', 0);
  setClock('postgres', 0);
  rules = await probeRules();
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const environment = environmentOf('postgres');
  postgres = await startEmbedded({ dataDir: join(folder, 'data'), log: silentLog, settings, environment });
  portal = await portalProcess({
    env: {
      ...environmentOf('portal'),
      RULES_DIR: rules.folder,
      DATABASE_URL: postgres.ownerUrl,
      DATA_DIR: join(folder, 'portal-data'),
      PORTAL_ROLES: 'api,ingest,worker',
    },
  });
  await portal.start();
  db = connect({ url: appUrl(postgres.ownerUrl), applicationName: 'test', poolSize: 2 });
  await scoped(db, 'system', (tx) =>
    tx
      .insertInto('organisations')
      .values({ id: organisationId, name: 'Clocks', is_partner: false, parent_id: null, is_mfa_compulsory: false })
      .execute(),
  );
  key = await createIngestKeysService({ db }).createUnattended(organisationId, 'clocks');
}, 300_000);
afterAll(async () => {
  if (!library) return;
  await (portal as PortalProcess | undefined)?.end('SIGTERM');
  await (db as Database | undefined)?.close();
  await (postgres as EmbeddedPostgres | undefined)?.stop();
  await rm(folder, { recursive: true, force: true });
  await (rules as typeof rules | undefined)?.remove();
}, 60_000);

/** Times as senders state them; none has a time of its own, and a minute has a second 60. */
const stamps = [
  () => ({ '@timestamp': new Date().toISOString() }),
  () => ({}),
  () => ({ '@timestamp': new Date(Date.now() - 60_000).toISOString().replace(/:\d\d\.\d+Z$/, ':60Z') }),
  () => ({ '@timestamp': new Date(Date.now() - 60_000).toISOString().replace(/:\d\d\.\d+Z$/, ':60.500Z') }),
];

interface Shipment {
  marks: string[];
  body: string;
}

/** One event of each raises an alert of a device of its own. */
function shipmentOf(ledger: Ledger): Shipment {
  const marks = Array.from({ length: batch }, () => ledger.mark());
  const lines = marks.map((mark, index) =>
    JSON.stringify({
      message: `${mark} jump`,
      ...stamps[index % stamps.length]!(),
      host: { name: `clock-${mark}` },
      logsource: { product: 'probe' },
      action: index < stamps.length ? 'alarm' : 'work',
    }),
  );
  return { marks, body: lines.map((line) => `{"create":{}}\n${line}\n`).join('') };
}

/** Sends until it is taken; a refusal or a lost response is followed by the same batch. */
async function ship({ marks, body }: Shipment, ledger: Ledger, statuses: Map<number, number>): Promise<void> {
  for (const until = performance.now() + backlogMs; performance.now() < until; await pause(100)) {
    const answer = await fetch(`${portal.origin}/ingest/_bulk`, {
      method: 'POST',
      headers: { authorization: `ApiKey ${key}` },
      body,
      signal: AbortSignal.timeout(30_000),
    }).catch(() => undefined);
    const status = answer?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== 200) continue;
    const { items } = (await answer!.json()) as { items: { create: { status: number } }[] };
    for (const [index, { create }] of items.entries())
      if (create.status < 300 || create.status === 409) ledger.acknowledged.add(marks[index]!);
    return;
  }
  throw new Error(`A batch was not taken within ${backlogMs} ms.`);
}

const stored = () => scoped(db, 'system', (tx) => eventRows(tx, organisationId), { statementTimeoutMs: 60_000 });
const textsOf = async () => (await stored()).map(({ text }) => text);

/** Firings of alerts by device. */
async function firings(): Promise<Map<string, number>> {
  const rows = await scoped(db, 'system', (tx) =>
    tx.selectFrom('alerts').select(['device_name', 'fire_count']).where('organisation_id', '=', organisationId).execute(),
  );
  const counts = new Map<string, number>();
  for (const { device_name, fire_count } of rows) counts.set(device_name!, (counts.get(device_name!) ?? 0) + fire_count);
  return counts;
}

/** Milliseconds until no alert waits for correlation; throws after `limitMs`. */
async function drain(limitMs: number): Promise<number> {
  const start = performance.now();
  for (;;) {
    const { rows } = await scoped(db, 'system', (tx) =>
      sql<{ count: number }>`select count(*)::integer as count from correlation_queue`.execute(tx),
    );
    if (rows[0]!.count === 0) return performance.now() - start;
    if (performance.now() - start > limitMs) throw new Error(`Alerts still wait after ${limitMs} ms.`);
    await pause(100);
  }
}

/** Differences of both clocks from the real one, in seconds. */
async function differences(): Promise<[number, number]> {
  const answer = await fetch(`${portal.origin}/healthz`);
  const { rows } = await scoped(db, 'system', (tx) => sql<{ at: Date }>`select clock_timestamp() as at`.execute(tx));
  const of = (at: number) => Math.round((at - Date.now()) / 1_000);
  return [of(Date.parse(answer.headers.get('date')!)), of(rows[0]!.at.getTime())];
}

test.skipIf(!library)(
  'loses nothing and stores nothing twice while clocks jump',
  { timeout: 180_000 + jumps * 20_000 },
  async () => {
    const random = randomFor(seed, 'clocks');
    const ledger = createLedger('clock');
    const statuses = new Map<number, number>();
    const sent: Shipment[] = [];
    let isOver = false;
    const shipping = Promise.all(
      Array.from({ length: shippers }, async () => {
        while (!isOver) {
          const shipment = shipmentOf(ledger);
          await ship(shipment, ledger, statuses);
          sent.push(shipment);
          await pause(100);
        }
      }),
    );
    try {
      for (let jump = 0; jump < jumps; jump++) {
        const [ofPortal, ofPostgres] = fixed[jump] ?? [random.int(-hour, hour), random.int(-hour, hour)];
        setClock('portal', ofPortal);
        setClock('postgres', ofPostgres);
        // As after a lost response: the batches from before the jump arrive once more.
        for (const shipment of sent.splice(0).slice(-sentAgain)) await ship(shipment, ledger, statuses);
        await pause(jumpMs);
        expect(await portal.isReady(), `${ofPortal} ${ofPostgres}: ${portal.log()}`).toBe(true);
      }
    } finally {
      isOver = true;
      await shipping;
    }
    const backlog = await drain(backlogMs);
    console.log(
      `F5, seed ${seed}: ${jumps} jumps; statuses ${JSON.stringify([...statuses])}; ${ledger.acknowledged.size} events acknowledged; backlog gone ${(backlog / 1000).toFixed(1)} s after the end`,
    );
    const rows = await stored();
    expect(
      ledgerFaults(
        ledger,
        rows.map(({ text }) => text),
      ),
    ).toEqual({ lost: [], double: [] });
    expect(rows.filter(({ document }) => String(document['@timestamp']).includes(':60')).length).toBeGreaterThan(0);
    const counts = await firings();
    expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
    expect(counts.size).toBe((ledger.acknowledged.size / batch) * stamps.length);
  },
);

test.skipIf(!library)(
  'notices a planted loss, a planted double, a stall, and clocks that do not jump',
  { timeout: 120_000 },
  async () => {
    setClock('portal', hour);
    setClock('postgres', -hour);
    const [ofPortal, ofPostgres] = await differences();
    expect(Math.abs(ofPortal - hour)).toBeLessThan(60);
    expect(Math.abs(ofPostgres + hour)).toBeLessThan(60);
    const ledger = createLedger('planted');
    await ship(shipmentOf(ledger), ledger, new Map());
    ledger.acknowledged.add('planted-zzzzzz.');
    const texts = (await textsOf()).filter((text) => text.startsWith('planted-'));
    expect(ledgerFaults(ledger, [...texts, texts[0] as string])).toEqual({
      lost: ['planted-zzzzzz.'],
      double: [texts[0]!.split(' ')[0]],
    });
    // Without a worker nothing takes alerts from the queue.
    await portal.end('SIGTERM');
    await scoped(db, 'system', (tx) =>
      sql`insert into correlation_queue (organisation_id, alert_id, alert_at) select organisation_id, id, at from alerts limit 1`.execute(
        tx,
      ),
    );
    await expect(drain(1_000)).rejects.toThrow('Alerts still wait');
  },
);
