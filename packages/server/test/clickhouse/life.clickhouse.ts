/** The end of moved events: by age, and by the erasure of their client. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBlobs } from '../../src/core/blobs.ts';
import { systemClock } from '../../src/core/clock.ts';
import { isDatabaseAway, scoped, TookTooLongError } from '../../src/core/db/scope.ts';
import { silentLog } from '../../src/core/log.ts';
import { type ClickHouse, ClickHouseAwayError, connectClickHouse } from '../../src/domain/events/clickhouse/client.ts';
import { useClickHouse } from '../../src/domain/events/clickhouse/connected.ts';
import { moveBlocks, trimJournal } from '../../src/domain/events/clickhouse/move.ts';
import { openClickHouse } from '../../src/domain/events/clickhouse/open.ts';
import { removeMovedBefore } from '../../src/domain/events/clickhouse/remove.ts';
import { eventsTable, prepareClickHouse } from '../../src/domain/events/clickhouse/schema.ts';
import { eventStore } from '../../src/domain/events/eventStore.ts';
import { checkpointKey } from '../../src/features/audit/chain.format.ts';
import { createAuditSealer } from '../../src/features/audit/chain.sealer.ts';
import { erase } from '../../src/features/erasure/erasure.job.ts';
import { findErasure } from '../../src/features/erasure/erasure.store.ts';
import { type TestApp, type TestUser, testApp } from '../app.ts';
import { runAs } from '../database.ts';
import { confirmErasure, erasureDeps, fillClient, seedOfKey } from '../erasure.fixture.ts';
import { putEvents } from '../storedEvents.ts';
import { type Engine, startEngine } from './engine.ts';

let t: TestApp;
let folder: string;
let engine: Engine;
let clickHouse: ClickHouse;
let [partner, host, second] = [0, {} as TestUser, {} as TestUser];

beforeAll(async () => {
  t = await testApp();
  folder = await mkdtemp(join(tmpdir(), 'clickhouse-life-'));
  engine = await startEngine();
  clickHouse = connectClickHouse({ url: engine.url });
  await prepareClickHouse(clickHouse);
  useClickHouse(clickHouse);
  await t.organisation({ isPartner: true, id: 1 });
  host = await t.user({ organisationId: 1, role: 'Host' });
  second = await t.user({ organisationId: 1, role: 'Host' });
  partner = await t.organisation({ isPartner: true });
});
afterAll(async () => {
  useClickHouse(undefined);
  await t.close();
  await clickHouse.close();
  await engine.close();
  await rm(folder, { recursive: true });
});

const moveAll = () => moveBlocks(t.db, clickHouse, Date.now() + 3_600_000, 60_000);
const inClickHouse = async (client: number) =>
  (await clickHouse.query<{ n: number }>(`select count() as n from ${eventsTable} where organisation_id = ${client}`))[0]?.n;
const daysAgo = (days: number) => Date.now() - days * dayMs;
const fill = (client: number, days: readonly number[]) =>
  scoped(t.db, { organisationIds: [client] }, (tx) =>
    putEvents(
      tx,
      client,
      days.map((day) => ({ at: daysAgo(day), received_at: daysAgo(day) })),
    ),
  );

test('removes a client’s events at its erasure, counts them in the certificate, and leaves others’', async () => {
  const [client, other] = [await t.organisation({ parentId: partner }), await t.organisation({ parentId: partner })];
  const blobs = openBlobs(undefined, folder);
  await fillClient(t, client, blobs);
  await fill(client, [3, 4, 5]);
  await fill(other, [3, 4]);
  await moveAll();
  await trimJournal(t.db, Date.now());
  const moved = await inClickHouse(client);
  expect(moved).toBeGreaterThanOrEqual(3);
  await confirmErasure(t, client, host, second);
  await createAuditSealer({ db: t.db, clock: systemClock, key: checkpointKey(seedOfKey), log: silentLog }).seal();
  // A move that was given up may have left rows.
  await runAs(t.database.ownerUrl, 'insert into event_moves (number, started_at, is_abandoned) values (0, now(), true)');
  expect(await erase(erasureDeps(t.db, blobs), client)).toBe(false);
  await runAs(t.database.ownerUrl, 'delete from event_moves');
  expect(await erase(erasureDeps(t.db, blobs), client)).toBe(true);
  expect([await inClickHouse(client), await inClickHouse(other)]).toEqual([0, 2]);
  const erasure = await scoped(t.db, 'system', (tx) => findErasure(tx, client));
  expect(erasure?.certificate?.content.tables).toContainEqual({
    table: 'events in ClickHouse',
    rows: moved,
    bytes: expect.any(Number),
  });
});

test('removes whole days past retention, and waits for blocks that the archive has not taken', async () => {
  const client = await t.organisation({ parentId: partner });
  await fill(client, [3, 10, 20, 40]);
  await moveAll();
  const remove = (days: number, isArchived: boolean) =>
    scoped(t.db, 'system', (tx) => removeMovedBefore(tx, clickHouse, client, daysAgo(days), { isArchived }));
  expect(await remove(15, true)).toBe(0);
  await trimJournal(t.db, Date.now());
  expect(await remove(15, true)).toBe(2);
  expect(await remove(15, false)).toBe(0);
  expect(await inClickHouse(client)).toBe(2);
});

test('reads recent events while ClickHouse is away, and refuses older ones as without a database', async () => {
  const client = await t.organisation({ parentId: partner });
  const scope = { organisationIds: [client] };
  await fill(client, [0.5, 20]);
  await moveAll();
  await trimJournal(t.db, Date.now());
  const count = (from: number) =>
    scoped(t.db, scope, async (tx) => {
      let found = 0;
      await eventStore.scan(tx, scope, { start: from, end: Date.now() }, () => ++found < 0);
      return found;
    });
  // Blocks have all events from a start of day on, at most 23 hours ago.
  expect([await count(daysAgo(0.6)), await count(daysAgo(30))]).toEqual([1, 2]);
  await engine.kill();
  expect(await count(daysAgo(0.6))).toBe(1);
  await expect(count(daysAgo(30))).rejects.toThrow(ClickHouseAwayError);
  await expect(count(daysAgo(30))).rejects.toMatchObject({ code: '08006' });
  await engine.start();
  expect(await count(daysAgo(30))).toBe(2);
});

test('ends a query at its deadline or signal, and passes faults of a statement on', async () => {
  const slow = 'select count() as n from numbers(100) where sleepEachRow(0.1) = 0 settings max_block_size = 1';
  const began = performance.now();
  await expect(clickHouse.query(slow, {}, { deadline: began + 300 })).rejects.toThrow(TookTooLongError);
  await expect(clickHouse.query('select 1', {}, { deadline: began })).rejects.toThrow(TookTooLongError);
  const reason = new Error('closed');
  const signal = AbortSignal.abort(reason);
  await expect(clickHouse.query('select 1', {}, { signal })).rejects.toBe(reason);
  const fault = await clickHouse.query('select nothing from nowhere').catch((error: unknown) => error);
  expect(fault).toMatchObject({ type: 'UNKNOWN_TABLE' });
  expect(isDatabaseAway(fault)).toBe(false);

  const client = await t.organisation({ parentId: partner });
  const scope = { organisationIds: [client] };
  await fill(client, [3, 20]);
  await moveAll();
  const range = { start: daysAgo(30), end: Date.now() };
  const scan = (more: object) => scoped(t.db, scope, (tx) => eventStore.scan(tx, scope, { ...range, ...more }, () => false));
  expect(await scan({})).toBeUndefined();
  // A place from which all is still to be read.
  expect(await scan({ signal })).toBeGreaterThan(daysAgo(3));
  await expect(scan({ deadline: performance.now() - 1 })).rejects.toThrow(TookTooLongError);
});

test('refuses a start without the ClickHouse that has events', async () => {
  await expect(openClickHouse(t.db, undefined)).rejects.toThrow('CLICKHOUSE_URL is not set');
  useClickHouse(clickHouse);
});
