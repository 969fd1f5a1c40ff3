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

test('returns the room of merged blocks once no transaction sees them', async () => {
  for (let block = 0; block < 20; block++)
    await scoped(db, own, (tx) =>
      eventStore.append(
        tx,
        organisationId,
        Array.from({ length: 500 }, (_, n) => ({
          id: randomUUID(),
          at: now + block * 500 + n,
          receivedAt: now + block * 500,
          clockSkew: 0,
          shape: 'ecs',
          text: `line ${randomUUID()}`,
          document: { a: randomUUID(), b: randomUUID(), c: randomUUID() },
        })),
      ),
    );
  const full = await sizeOf('event_blocks_recent');
  expect(full).toBeGreaterThan(1_000_000);
  const signal = new AbortController().signal;
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
