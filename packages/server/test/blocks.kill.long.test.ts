/** Blocks survive the death of the process that writes and merges them: nothing acknowledged is lost, nothing is double. `KILLS` sets how often. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { eventStore, type StoredEvent } from '../src/domain/events/eventStore.ts';
import { nodeFlags } from '../src/node-flags.ts';
import { batchSize, faultsOf, numbered } from './blocks.ledger.ts';
import { type TestDatabase, testDatabase } from './database.ts';

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
  const scope = { organisationIds: [organisationId] };
  const visit = (tx: Parameters<typeof eventStore.scan>[0]) =>
    eventStore.scan(tx, scope, { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY }, (event) => {
      found.push(event);
      return false;
    });
  await scoped(database.db, scope, visit, { isolation: 'repeatable read' });
  return found;
}

/** Runs the program until some batches are acknowledged, kills it, and returns what was acknowledged. */
async function runAndKill(start: number): Promise<number> {
  const child = spawn(process.execPath, [...nodeFlags, program, database.url, String(organisationId), String(start)]);
  let [output, errors, acknowledged] = ['', '', start];
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const enough = start + batchSize * (2 + Math.floor(Math.random() * 8));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      acknowledged = Number(output.trimEnd().split('\n').at(-1));
      if (acknowledged >= enough) resolve();
    });
    child.once('exit', () => reject(new Error(`the writer ended: ${errors}`)));
  });
  await pause(Math.random() * 30);
  child.removeAllListeners('exit');
  child.kill('SIGKILL');
  await once(child, 'close');
  return Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1));
}

test(
  'loses nothing that was acknowledged and stores nothing twice',
  async () => {
    let acknowledged = 0;
    for (let kill = 0; kill < kills; kill++) {
      acknowledged = await runAndKill(acknowledged);
      const events = await stored();
      expect(faultsOf(acknowledged, events)).toEqual({ lost: [], double: [] });
      // At most the batch that was under way is stored besides, and whole.
      expect([0, batchSize]).toContain(events.length - acknowledged);
    }
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
