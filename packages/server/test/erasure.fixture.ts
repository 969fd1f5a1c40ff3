/** A client with rows, events, a file and audit entries, and the parts of its erasure. */

import { organisationsApi } from '@parapet/contract/organisations.ts';
import { type RetentionState, retentionApi } from '@parapet/contract/retention.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { sql } from 'kysely';
import { filesOfClient } from '../src/application.erasure.ts';
import type { Blobs } from '../src/core/blobs.ts';
import { systemClock } from '../src/core/clock.ts';
import type { Database } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import { signingKey } from '../src/core/keys/signing.ts';
import { leavesToErase } from '../src/features/audit/chain.erase.ts';
import type { ErasureJobDeps } from '../src/features/erasure/erasure.job.ts';
import { agentOf } from './agents.fixture.ts';
import type { TestApp, TestUser } from './app.ts';
import { seedCase } from './seed.ts';
import { putEvents } from './storedEvents.ts';

export const seedOfKey = Buffer.alloc(32, 7);

export const erasureDeps = (db: Database, blobs: Blobs, batch?: number): ErasureJobDeps => ({
  db,
  clock: systemClock,
  blobs,
  key: signingKey(seedOfKey),
  filesOf: filesOfClient,
  leavesOf: leavesToErase,
  ...(batch !== undefined && { batch }),
});

export const pictureOf = (user: TestUser) => `profile-pictures/${user.id}.png`;

/** Returns its administrator, whose picture is stored. */
export async function fillClient(t: TestApp, client: number, blobs: Blobs, events = 3): Promise<TestUser> {
  const admin = await t.user({ organisationId: client, role: 'Administrator' });
  await t.call(tagsApi.saveNew, { body: { clientOrganizationID: client, name: 'Secret tag' } }, admin);
  await seedCase(t.db, { organisationId: client, set: { title: 'Secret case' } });
  await agentOf(t, client);
  await t.ingestKey(client);
  const at = Date.now() - 3_600_000;
  await scoped(t.db, 'system', async (tx) => {
    await sql`select make_partitions(now()::date, now()::date)`.execute(tx);
    for (let index = 0; index < events; index++) await putEvents(tx, client, [{ at: at + index, text: `Secret event ${index}` }]);
    await tx.updateTable('users').set({ picture_version: 'v1' }).where('id', '=', admin.id).execute();
    await tx.updateTable('organisations').set({ phone_number: 'Secret number' }).where('id', '=', client).execute();
  });
  await blobs.put(pictureOf(admin), Buffer.from('picture'), 'image/png');
  return admin;
}

/** Deactivates the client, and has its erasure requested and confirmed. */
export async function confirmErasure(t: TestApp, client: number, host: TestUser, second: TestUser): Promise<void> {
  await t.call(organisationsApi.deactivate, { params: { id: client } }, host);
  const body = { kind: 'erase', reason: 'Contract ended' } as const;
  const requested = await t.call(retentionApi.request, { params: { client }, body }, host);
  const { request } = requested.json<RetentionState>();
  if (!request) throw new Error(requested.body);
  const done = await t.call(retentionApi.decide, { params: { client, id: request.id }, body: { isConfirmed: true } }, second);
  if (done.statusCode !== 200) throw new Error(done.body);
}

/** Rows of an organisation by table, over every table of the catalogue that has some. */
export async function rowsOf(t: TestApp, client: number): Promise<Record<string, number>> {
  return scoped(t.db, 'system', async (tx) => {
    const { rows: tables } = await sql<{ name: string }>`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`.execute(tx);
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from ${sql.table(name)} where organisation_id = ${client}`.execute(tx);
      if (rows[0]!.count > 0) counts[name] = rows[0]!.count;
    }
    return counts;
  });
}
