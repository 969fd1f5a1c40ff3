/** Jobs of the portal read data of clients, and leave no entry of a person. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { openJobs } from '../src/core/jobs.ts';
import { silentLog } from '../src/core/log.ts';
import { testApp } from './app.ts';
import { seedAlerts, seedCase, seedRule } from './seed.ts';

test('leaves no entry in the access log by any job', async () => {
  const t = await testApp({ PORTAL_ROLES: 'api,ingest,worker' });
  try {
    await t.organisation({ id: 1, isPartner: true });
    const partner = await t.organisation({ isPartner: true, parentId: 1 });
    const client = await t.organisation({ parentId: partner });
    await t.user({ organisationId: 1, role: 'Host' });
    await t.user({ organisationId: partner, role: 'Administrator' });
    await seedAlerts(t.db, client, [{ at: Date.now() - 3_600_000, rule: await seedRule(t.db), device: 'WS-1' }]);
    await seedCase(t.db, { organisationId: client });
    const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);
    const names = await system(async (tx) =>
      (await sql<{ name: string }>`select name from jobs.schedule`.execute(tx)).rows.map(({ name }) => name),
    );
    expect(names.length).toBeGreaterThan(20);
    // Runs for minutes as people of a rehearsal, and is held to the same by isolation.long.test.ts.
    names.splice(names.indexOf('isolation.try'), 1);
    const jobs = await openJobs({ url: t.database.url, log: silentLog });
    try {
      for (const name of names) await jobs.runNow(name);
      const done = () =>
        system(async (tx) =>
          (
            await sql<{
              name: string;
            }>`select distinct name from jobs.job where state = 'completed' and singleton_key = 'now'`.execute(tx)
          ).rows.map(({ name }) => name),
        );
      await expect.poll(async () => names.length - (await done()).length, { timeout: 120_000, interval: 1_000 }).toBe(0);
    } finally {
      await jobs.close();
    }
    // A stop writes what was not yet written.
    await t.application.close();
    for (const table of ['access_looks', 'access_shifts'] as const)
      expect(await system((tx) => tx.selectFrom(table).selectAll().execute())).toEqual([]);
  } finally {
    await t.close();
  }
}, 180_000);
