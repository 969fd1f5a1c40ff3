import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { createRetentionService } from './retention.service.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

const months = async (table: string) =>
  (
    await scoped(t.db, 'system', (tx) =>
      sql<{
        name: string;
      }>`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${table}::regclass order by 1`.execute(
        tx,
      ),
    )
  ).rows.map((row) => row.name.slice(table.length + 1));

test('months are made ahead, once, and dropped when all of them is over age', async () => {
  const clock = movableClock(Date.parse('2022-01-15T12:00:00Z'));
  const retention = createRetentionService({
    db: t.db,
    clock,
    log: silentLog,
    alertRetentionMonths: 13,
    eventRetentionDays: 30,
    longestWindowMs: 0,
  });
  await retention.makeMonths();
  await retention.makeMonths();
  expect(await months('events')).toEqual(['2021_12', '2022_01', '2022_02', '2022_03']);
  expect(await months('alerts')).toEqual(['2021_12', '2022_01', '2022_02', '2022_03']);

  clock.moveTo(Date.parse('2022-03-02T00:00:00Z'));
  await retention.dropOld();
  // 30 days before March 2 is January 31: January still holds what is kept.
  expect(await months('events')).toEqual(['2022_01', '2022_02', '2022_03']);
  expect(await months('alerts')).toHaveLength(4);

  clock.moveTo(Date.parse('2023-02-01T00:00:00Z'));
  await retention.makeMonths();
  await retention.dropOld();
  expect((await months('alerts'))[0]).toBe('2022_01');
  expect((await months('alert_events'))[0]).toBe('2022_01');
});

test('the application’s role cannot drop anything else', async () => {
  await expect(scoped(t.db, 'system', (tx) => sql`select drop_partitions('users', now())`.execute(tx))).rejects.toThrow(
    /not a table with months/,
  );
  await expect(scoped(t.db, 'system', (tx) => sql`select drop_partitions('alerts', now())`.execute(tx))).rejects.toThrow(
    /when they are over/,
  );
  await expect(scoped(t.db, 'system', (tx) => sql`drop table alerts`.execute(tx))).rejects.toThrow(/must be owner/);
});
