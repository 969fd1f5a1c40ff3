/**
 * Events survive the death of the process that stores, merges and moves them, and of ClickHouse: nothing acknowledged is lost, nothing is double, at
 * any time. `KILLS` sets how often.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scoped } from '../../src/core/db/scope.ts';
import { type ClickHouse, connectClickHouse } from '../../src/domain/events/clickhouse/client.ts';
import { useClickHouse } from '../../src/domain/events/clickhouse/connected.ts';
import { eventsTable, prepareClickHouse } from '../../src/domain/events/clickhouse/schema.ts';
import { eventStore, type StoredEvent } from '../../src/domain/events/eventStore.ts';
import { nodeFlags } from '../../src/node-flags.ts';
import { batchSize, faultsOf } from '../blocks.ledger.ts';
import { type TestDatabase, testDatabase } from '../database.ts';
import { type Engine, startEngine } from './engine.ts';

const kills = Number(process.env.KILLS ?? 6);
const organisationId = 4_300;
const program = fileURLToPath(new URL('./mover.ts', import.meta.url));

let database: TestDatabase;
let engine: Engine;
let clickHouse: ClickHouse;

beforeAll(async () => {
  database = await testDatabase();
  engine = await startEngine();
  clickHouse = connectClickHouse({ url: engine.url });
  await prepareClickHouse(clickHouse);
  useClickHouse(clickHouse);
  await scoped(database.db, 'system', (tx) => sql`select make_partitions('2026-11-01', '2026-12-01')`.execute(tx));
});
afterAll(async () => {
  useClickHouse(undefined);
  await clickHouse.close();
  await engine.close();
  await database.close();
});

async function stored(): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  const scope = { organisationIds: [organisationId] };
  const all = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
  await scoped(database.db, scope, (tx) => eventStore.scan(tx, scope, all, (event) => found.push(event) < 0), {
    isolation: 'repeatable read',
  });
  return found;
}

/** Runs the program until some batches are stored and some are moved, kills it or ClickHouse first, and returns what was acknowledged. */
async function runAndKill(start: number, victim: 'portal' | 'clickhouse'): Promise<number> {
  const child = spawn(process.execPath, [...nodeFlags, program, database.url, String(organisationId), String(start), engine.url]);
  let [output, errors] = ['', ''];
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const enough = start + batchSize * (4 + Math.floor(Math.random() * 8));
  const lastOf = (text: string) =>
    Number(
      text
        .slice(0, text.lastIndexOf('\n') + 1)
        .match(/^\d+$/gm)
        ?.at(-1) ?? start,
    );
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (lastOf(output) >= enough && output.includes('moved')) resolve();
    });
    child.once('exit', () => reject(new Error(`the program ended: ${errors}`)));
  });
  await pause(Math.random() * 100);
  if (victim === 'clickhouse') {
    await engine.kill();
    // The intake goes on without it.
    const before = lastOf(output);
    const deadline = Date.now() + 20_000;
    while (lastOf(output) <= before && Date.now() < deadline) await pause(20);
    expect(lastOf(output)).toBeGreaterThan(before);
    await engine.start();
    await pause(Math.random() * 300);
  }
  child.removeAllListeners('exit');
  child.kill('SIGKILL');
  await once(child, 'close');
  return lastOf(output);
}

const count = async (text: string) =>
  (await clickHouse.query<{ n: number }>(`select count() as n from ${eventsTable} ${text}`))[0]?.n;

test(
  'loses nothing that was acknowledged and finds nothing twice',
  async () => {
    let acknowledged = 0;
    for (let kill = 0; kill < kills; kill++) {
      acknowledged = await runAndKill(acknowledged, kill % 3 === 2 ? 'clickhouse' : 'portal');
      const events = await stored();
      expect(faultsOf(acknowledged, events)).toEqual({ lost: [], double: [] });
      // At most the batch that was under way is stored besides, and whole.
      expect([0, batchSize]).toContain(events.length - acknowledged);
    }
    expect(await count('')).toBeGreaterThan(0);
  },
  60_000 + kills * 60_000,
);

test('catches a row that ClickHouse lost, and one that it has twice', async () => {
  const events = await stored();
  const { rows } = await scoped(database.db, 'system', (tx) =>
    sql<{ number: number }>`select number::float8 as number from event_moves`.execute(tx),
  );
  const open = [0, ...rows.map(({ number }) => number)].join(',');
  const [row] = await clickHouse.query<{ id: string; move: number }>(
    `select id, move from ${eventsTable} where move not in (${open}) limit 1`,
  );
  expect(events.filter(({ id }) => id === row!.id)).toHaveLength(1);
  await clickHouse.command(
    `insert into ${eventsTable} select * from ${eventsTable} where id = '${row!.id}' and move = ${row!.move}`,
  );
  const doubled = await stored();
  expect(faultsOf(0, doubled).double.length).toBeGreaterThan(0);
  await clickHouse.command(`delete from ${eventsTable} where id = '${row!.id}'`);
  expect(faultsOf(events.length, await stored()).lost).toHaveLength(1);
});
