/**
 * Blocks and packs survive kills of PostgreSQL, of one of its sessions, and of a process that only merges, on a cluster of its own that flushes as it does in
 * operation: nothing acknowledged is lost, nothing is double, nothing is half. `KILLS` sets how often.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Database } from '../src/core/db/connect.ts';
import { type EmbeddedPostgres, startEmbedded } from '../src/core/db/embedded.ts';
import { appUrl, migrate } from '../src/core/db/migrate.ts';
import { silentLog } from '../src/core/log.ts';
import { copiesOf, countCopies, makeMonths, storedEvents, Writer } from './blocks.killed.ts';
import { batchSize, faultsOf } from './blocks.ledger.ts';
import { runAs } from './database.ts';

const victims = ['postgres', 'session', 'merge'] as const;
type Victim = (typeof victims)[number];
const kills = Number(process.env.KILLS ?? victims.length);
const organisationId = 4_250;
const restartMs = 60_000;

let dataDir: string;
let postgres: EmbeddedPostgres;
let db: Database;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parapet-killed-'));
  postgres = await startEmbedded({ dataDir, log: silentLog });
  const folder = fileURLToPath(new URL('../src/migrations', import.meta.url));
  await migrate({ ownerUrl: postgres.ownerUrl, folder, log: silentLog });
  db = connect({ url: appUrl(postgres.ownerUrl), applicationName: 'ledger', poolSize: 2 });
  await makeMonths(db);
}, 120_000);
afterAll(async () => {
  await db.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Waits until PostgreSQL, killed, has recovered. */
async function untilItRuns(): Promise<void> {
  for (const until = performance.now() + restartMs; ; await pause(50)) {
    try {
      await runAs(postgres.ownerUrl, 'select 1');
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
    }
  }
}

const sessionOfWriter = async (): Promise<number> => {
  const [found] = await runAs(
    postgres.ownerUrl,
    `select pid from pg_stat_activity where application_name = 'killed' order by state = 'active' desc limit 1`,
  );
  return Number(found?.rows[0]?.pid);
};

/** Kills one of them while events are stored; returns how many were acknowledged, by a writer that is dead then. */
async function runAndKill(start: number, victim: Victim): Promise<number> {
  const writer = new Writer(appUrl(postgres.ownerUrl), organisationId, start, victim === 'merge' ? 'store' : 'all');
  const merging = victim === 'merge' ? new Writer(appUrl(postgres.ownerUrl), organisationId, 0, 'merge') : undefined;
  try {
    await writer.reaches(start + batchSize * (2 + Math.floor(Math.random() * 8)));
    await merging?.reaches(1);
    await pause(Math.random() * 30);
    if (merging) {
      await merging.kill();
      // The intake goes on without it.
      await writer.reaches(writer.acknowledged + 2 * batchSize);
    } else {
      const before = postgres.pid;
      process.kill(victim === 'postgres' ? before : await sessionOfWriter(), 'SIGKILL');
      // Its connections end with the server that they had; until then PostgreSQL may not have noticed.
      await writer.ends(restartMs);
      await untilItRuns();
      if (victim === 'postgres') expect(postgres.pid).not.toBe(before);
    }
  } finally {
    await merging?.kill();
    await writer.kill();
  }
  return writer.acknowledged;
}

test(
  'loses nothing that was acknowledged and stores nothing twice when the database or the merge dies',
  async () => {
    let acknowledged = 0;
    for (let kill = 0; kill < kills; kill++) {
      acknowledged = await runAndKill(acknowledged, victims[kill % victims.length]!);
      const events = await storedEvents(db, organisationId);
      expect(faultsOf(acknowledged, events)).toEqual({ lost: [], double: [] });
      // At most the batch that was under way is stored besides, and whole.
      expect([0, batchSize]).toContain(events.length - acknowledged);
      expect(faultsOf(events.length, await copiesOf(db, organisationId, 0, events.length)).lost).toEqual([]);
      const { rows, packed } = await countCopies(postgres.ownerUrl, organisationId);
      expect(rows + packed).toBe(events.length);
    }
    const { packed } = await countCopies(postgres.ownerUrl, organisationId);
    expect(packed).toBeGreaterThan(0);
  },
  60_000 + kills * 30_000,
);

test('the ledger names what an event block lost, and one that is there twice', async () => {
  const events = await storedEvents(db, organisationId);
  const one = `(select id from event_blocks where organisation_id = ${organisationId} order by id limit 1)`;
  const columns =
    'organisation_id, first_at, last_at, first_received_at, last_received_at, count, minutes, devices, tokens, ids, body, is_recent';
  await runAs(
    postgres.ownerUrl,
    `insert into event_blocks (id, ${columns}) select gen_random_uuid(), ${columns} from event_blocks where id = ${one}`,
  );
  expect(faultsOf(events.length, await storedEvents(db, organisationId)).double.length).toBeGreaterThan(0);
  await runAs(postgres.ownerUrl, `delete from event_blocks where ids = (select ids from event_blocks where id = ${one})`);
  expect(faultsOf(events.length, await storedEvents(db, organisationId)).lost.length).toBeGreaterThan(0);
});
