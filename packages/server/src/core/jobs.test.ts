import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { scoped } from './db/scope.ts';
import { migrateJobs, openJobs } from './jobs.ts';
import { silentLog } from './log.ts';

test('deletes jobs that ended after an hour, also of queues that kept them for a week', async () => {
  const database = await testDatabase();
  try {
    await migrateJobs(database.ownerUrl, 'parapet_app');
    const open = async () => {
      const jobs = await openJobs({ url: database.url, log: silentLog });
      await jobs.schedule('months.make', '0 0 1 1 *', async () => {});
      await jobs.close();
    };
    const retentionOf = () =>
      scoped(database.db, 'system', async (tx) => {
        const { rows } = await sql<{
          name: string;
          seconds: number;
        }>`select name, deletion_seconds as seconds from jobs.queue order by name`.execute(tx);
        return rows;
      });
    const hour = [
      { name: '__pgboss__send-it', seconds: 3_600 },
      { name: 'months.make', seconds: 3_600 },
    ];
    await open();
    expect(await retentionOf()).toEqual(hour);
    await scoped(database.db, 'system', (tx) => sql`update jobs.queue set deletion_seconds = 604800`.execute(tx));
    await open();
    expect(await retentionOf()).toEqual(hour);
  } finally {
    await database.close();
  }
});
