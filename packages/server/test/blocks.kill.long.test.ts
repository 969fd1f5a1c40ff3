/**
 * Blocks and packs of alerts' copies survive the death of the process that writes, merges and packs them: nothing acknowledged is lost, nothing is double,
 * and a reader beside it misses none. `KILLS` sets how often.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import { type AlertEvent, type AlertRef, readAlertEvents } from '../src/domain/alertEvents.ts';
import { eventStore, type StoredEvent } from '../src/domain/events/eventStore.ts';
import { nodeFlags } from '../src/node-flags.ts';
import { alertOf, batchSize, faultsOf, numbered } from './blocks.ledger.ts';
import { runAs, type TestDatabase, testDatabase } from './database.ts';

const kills = Number(process.env.KILLS ?? 6);
const organisationId = 4_200;
const program = fileURLToPath(new URL('./blocks.writer.ts', import.meta.url));

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await scoped(database.db, 'system', (tx) => sql`select make_partitions('2026-11-01', '2026-12-01')`.execute(tx));
});
afterAll(() => database.close());

async function stored(): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  const visit = (tx: Parameters<typeof eventStore.scan>[0]) =>
    eventStore.scan(tx, scope, { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY }, (event) => {
      found.push(event);
      return false;
    });
  await scoped(database.db, scope, visit, { isolation: 'repeatable read' });
  return found;
}

const scope = { organisationIds: [organisationId] };

/** Copies of alerts as readers get them, whether they are rows or packed. */
async function copiesOf(alerts: readonly AlertRef[]) {
  const events = await readScoped(database.db, scope, (tx) => readAlertEvents(tx, scope, alerts, { most: 1_000 }));
  return [...events.values()].flat().map(({ text, document }: AlertEvent) => ({ text, json: JSON.stringify(document) }));
}

const alertsOf = (from: number, below: number): AlertRef[] => [
  ...new Map(Array.from({ length: below - from }, (_, n) => [alertOf(from + n).id, alertOf(from + n)])).values(),
];

/** Copies of some events, and how many there are of all: readers hide doubles. */
async function countedCopies(from: number, below: number) {
  const [counts] = await runAs(
    database.ownerUrl,
    `select (select count(*) from alert_events where organisation_id = ${organisationId})::integer as rows,
      (select coalesce(sum(count), 0) from alert_event_packs where organisation_id = ${organisationId})::integer as packed`,
  );
  return { copies: await copiesOf(alertsOf(from, below)), ...(counts?.rows[0] as { rows: number; packed: number }) };
}

/** Reads the newest alerts of what is acknowledged until `isOver`; returns numbers whose copies were missing. */
async function readBeside(acknowledged: () => number, isOver: () => boolean): Promise<number[]> {
  const missed: number[] = [];
  while (!isOver()) {
    const end = acknowledged();
    const from = Math.max(0, end - 2 * batchSize);
    const found = new Set((await copiesOf(alertsOf(from, end))).map(({ text }) => text));
    for (let number = from; number < end; number++) if (!found.has(numbered(number).text)) missed.push(number);
    await pause(10);
  }
  return missed;
}

/** Runs the program until some batches are acknowledged, kills it, and returns what was acknowledged. */
async function runAndKill(start: number): Promise<number> {
  const child = spawn(process.execPath, [...nodeFlags, program, database.url, String(organisationId), String(start)]);
  let [output, errors, acknowledged] = ['', '', start];
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const enough = start + batchSize * (2 + Math.floor(Math.random() * 8));
  let isOver = false;
  const reading = readBeside(
    () => acknowledged,
    () => isOver,
  );
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      acknowledged = printed(output) ?? start;
      if (acknowledged >= enough) resolve();
    });
    child.once('exit', () => reject(new Error(`the writer ended: ${errors}`)));
  });
  await pause(Math.random() * 30);
  isOver = true;
  child.removeAllListeners('exit');
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(await reading).toEqual([]);
  return printed(output) ?? start;
}

/** Number of the last whole line. */
const printed = (output: string): number | undefined => {
  const [, line] = /(\d+)\n[^\n]*$/.exec(output) ?? [];
  return line === undefined ? undefined : Number(line);
};

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
