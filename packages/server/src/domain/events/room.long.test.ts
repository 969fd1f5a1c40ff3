import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Database } from '../../core/db/connect.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../core/db/embedded.ts';
import { appUrl, migrate } from '../../core/db/migrate.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { packAlertEvents } from '../alertEvents.pack.ts';
import { eventStore } from './eventStore.ts';
import { mergeBlocks } from './merge.ts';
import { returnRoom } from './room.ts';

let dataDir: string;
let postgres: EmbeddedPostgres;
let db: Database;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parapet-room-'));
  postgres = await startEmbedded({ dataDir, log: silentLog });
  const folder = fileURLToPath(new URL('../../migrations', import.meta.url));
  await migrate({ ownerUrl: postgres.ownerUrl, folder, log: silentLog });
  db = connect({ url: appUrl(postgres.ownerUrl), applicationName: 'room', poolSize: 4 });
}, 120_000);
afterAll(async () => {
  await db.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const organisationId = 77;
const own = { organisationIds: [organisationId] };
const now = Date.UTC(2026, 10, 26, 12);
const sizeOf = async (table: string): Promise<number> => {
  const { rows } = await db.pool.query<{ size: string }>('select pg_table_size($1::regclass) as size', [table]);
  return Number(rows[0]!.size);
};

async function append(from: number, organisation: number, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    at: now + from + n,
    receivedAt: now + from,
    clockSkew: 0,
    shape: 'ecs',
    text: `line ${randomUUID()}`,
    document: { a: randomUUID(), b: randomUUID(), c: randomUUID() },
  }));
  await scoped(db, { organisationIds: [organisation] }, (tx) => eventStore.append(tx, organisation, events));
}

const { signal } = new AbortController();

test('returns the room of merged blocks once no transaction sees them', async () => {
  for (let block = 0; block < 20; block++) await append(block * 500, organisationId, 500);
  const full = await sizeOf('event_blocks_recent');
  expect(full).toBeGreaterThan(1_000_000);
  await readScoped(
    db,
    own,
    async (tx) => {
      await sql`select count(*) from organisations`.execute(tx);
      expect(await mergeBlocks(db, now + 60_000)).toBeGreaterThan(0);
      expect(await returnRoom(db, 'event_blocks_recent', { timeMs: 1_000, signal })).toBe(false);
      expect(await sizeOf('event_blocks_recent')).toBeGreaterThanOrEqual(full);
    },
    { isolation: 'repeatable read' },
  );
  expect(await returnRoom(db, 'event_blocks_recent', { timeMs: 10_000, signal })).toBe(true);
  expect(await sizeOf('event_blocks_recent')).toBeLessThan(full / 4);
}, 120_000);

test('moves a rest that holds the room of merged blocks, and loses none of its events', async () => {
  const ids = async (organisation: number) => {
    const found: string[] = [];
    const scope = { organisationIds: [organisation] };
    await readScoped(db, scope, (tx) =>
      eventStore.scan(tx, scope, { start: now, end: now + 600_000 }, ({ id, text }) => {
        found.push(`${id} ${text}`);
        return false;
      }),
    );
    return found;
  };
  for (let block = 0; block < 20; block++) await append(100_000 + block * 500, organisationId, 500);
  // Alone in its hour: no merge takes it up.
  await append(0, organisationId + 1, 300);
  const [full, rest] = [await sizeOf('event_blocks_recent'), await ids(organisationId + 1)];
  expect(rest).toHaveLength(300);
  expect(await mergeBlocks(db, now + 200_000)).toBeGreaterThan(0);
  expect(await returnRoom(db, 'event_blocks_recent', { timeMs: 20_000, signal })).toBe(true);
  expect(await sizeOf('event_blocks_recent')).toBeLessThan(full / 4);
  expect(await ids(organisationId + 1)).toEqual(rest);
  expect(await ids(organisationId)).toHaveLength(20_000);
}, 120_000);

test('returns the room of packed copies once the few after them are packed', async () => {
  const copies = (organisation: number, from: number, count: number) =>
    scoped(db, { organisationIds: [organisation] }, (tx) =>
      sql`
        insert into alert_events (organisation_id, alert_id, alert_at, event_id, event_at, text, why, document, is_recent)
        select ${organisation}, ${from}::integer + n, ${new Date(now)}, gen_random_uuid(), ${new Date(now)}::timestamptz + n * interval '1 millisecond',
          'copy', '{"condition": "selection", "items": []}', jsonb_build_object('value', repeat(md5(n::text), 30)), true
        from generate_series(1, ${count}::integer) n`.execute(tx),
    );
  await scoped(db, 'system', (tx) => sql`select make_partitions(${new Date(now)}::date, ${new Date(now)}::date)`.execute(tx));
  await copies(organisationId, 0, 2_000);
  await copies(organisationId + 1, 10_000, 5);
  const full = await sizeOf('alert_events_recent');
  expect(full).toBeGreaterThan(1_500_000);
  const at = now + 60_000;
  expect(await packAlertEvents(db, at, 30_000)).toBe(2_000);
  expect(await returnRoom(db, 'alert_events_recent', { timeMs: 1_000, signal })).toBe(false);
  expect(await packAlertEvents(db, at, 30_000, 1)).toBe(5);
  expect(await returnRoom(db, 'alert_events_recent', { timeMs: 10_000, signal })).toBe(true);
  expect(await sizeOf('alert_events_recent')).toBeLessThan(full / 4);
}, 120_000);
