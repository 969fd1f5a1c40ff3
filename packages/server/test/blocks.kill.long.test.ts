/**
 * Blocks and packs of alerts' copies survive the death of the process that writes, merges and packs them: nothing acknowledged is lost, nothing is double,
 * and a reader beside it misses none. `KILLS` sets how often.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copiesOf, countCopies, makeMonths, storedEvents, Writer } from './blocks.killed.ts';
import { batchSize, faultsOf, numbered } from './blocks.ledger.ts';
import { runAs, type TestDatabase, testDatabase } from './database.ts';

const kills = Number(process.env.KILLS ?? 6);
const organisationId = 4_200;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await makeMonths(database.db);
});
// Dropping a database waits for its last checkpoint.
afterAll(() => database.close(), 120_000);

const stored = () => storedEvents(database.db, organisationId);

/** Copies of some events, and how many there are of all. */
const countedCopies = async (from: number, below: number) => ({
  copies: await copiesOf(database.db, organisationId, from, below),
  ...(await countCopies(database.ownerUrl, organisationId)),
});

/** Reads the newest alerts of what is acknowledged until `isOver`; returns numbers whose copies were missing. */
async function readBeside(writer: Writer, isOver: () => boolean): Promise<number[]> {
  const missed: number[] = [];
  while (!isOver()) {
    const end = writer.acknowledged;
    const from = Math.max(0, end - 2 * batchSize);
    const found = new Set((await copiesOf(database.db, organisationId, from, end)).map(({ text }) => text));
    for (let number = from; number < end; number++) if (!found.has(numbered(number).text)) missed.push(number);
    await pause(10);
  }
  return missed;
}

/** Runs the program until some batches are acknowledged, kills it, and returns what was acknowledged. */
async function runAndKill(start: number): Promise<number> {
  const writer = new Writer(database.url, organisationId, start);
  let isOver = false;
  const reading = readBeside(writer, () => isOver);
  try {
    await writer.reaches(start + batchSize * (2 + Math.floor(Math.random() * 8)));
    await pause(Math.random() * 30);
  } finally {
    isOver = true;
    await writer.kill();
  }
  expect(await reading).toEqual([]);
  return writer.acknowledged;
}

test(
  'loses nothing that was acknowledged and stores nothing twice',
  async () => {
    let [acknowledged, checked, packs] = [0, 0, 0];
    for (let kill = 0; kill < kills; kill++) {
      acknowledged = await runAndKill(acknowledged);
      const events = await stored();
      expect(faultsOf(acknowledged, events)).toEqual({ lost: [], double: [] });
      // At most the batch that was under way is stored besides, and whole.
      expect([0, batchSize]).toContain(events.length - acknowledged);
      // All of them once, at the end.
      const from = kill === kills - 1 ? 0 : checked;
      const { copies, rows, packed } = await countedCopies(from, events.length);
      expect(faultsOf(events.length, copies).lost.filter((number) => number >= from)).toEqual([]);
      checked = acknowledged;
      expect(rows + packed).toBe(events.length);
      packs = Math.max(packs, packed);
    }
    expect(packs).toBeGreaterThan(0);
  },
  60_000 + kills * 20_000,
);

test('the ledger names a planted loss, a planted double and a planted change', async () => {
  const events = Array.from({ length: 10 }, (_, number) => ({
    text: numbered(number).text,
    json: JSON.stringify(numbered(number).document),
  }));
  expect(faultsOf(10, events)).toEqual({ lost: [], double: [] });
  expect(faultsOf(10, events.toSpliced(3, 1))).toEqual({ lost: [3], double: [] });
  expect(faultsOf(10, [...events, events[7]!])).toEqual({ lost: [], double: [7] });
  expect(faultsOf(10, events.with(5, { ...events[5]!, json: '{}' })).lost).toEqual([5]);
});

test('the ledger names copies of a pack that is lost, and counts one that is there twice', async () => {
  expect((await countedCopies(0, 0)).packed).toBeGreaterThan(0);
  const events = (await stored()).length;
  const one = `(select id from alert_event_packs where organisation_id = ${organisationId} order by id limit 1)`;
  await runAs(
    database.ownerUrl,
    `insert into alert_event_packs select gen_random_uuid(), organisation_id, first_alert_at, last_alert_at, count, alert_ids, event_ids, body
      from alert_event_packs where id = ${one}`,
  );
  const doubled = await countedCopies(0, 0);
  expect(doubled.rows + doubled.packed).toBeGreaterThan(events);
  await runAs(
    database.ownerUrl,
    `delete from alert_event_packs where event_ids = (select event_ids from alert_event_packs where id = ${one})`,
  );
  expect(faultsOf(events, (await countedCopies(0, events)).copies).lost.length).toBeGreaterThan(0);
}, 120_000);
