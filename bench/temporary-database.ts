/** Temporary migrated database for a benchmark, with the product's durability settings. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBus } from '@parapet/server/core/bus.ts';
import { connect } from '@parapet/server/core/db/connect.ts';
import { startEmbedded } from '@parapet/server/core/db/embedded.ts';
import { appUrl, migrate } from '@parapet/server/core/db/migrate.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { silentLog } from '@parapet/server/core/log.ts';

export async function temporaryDatabase() {
  const dataDir = await mkdtemp(join(tmpdir(), 'parapet-bench-'));
  const postgres = await startEmbedded({ dataDir, log: silentLog });
  const { ownerUrl } = postgres;
  await migrate({
    ownerUrl,
    folder: fileURLToPath(new URL('../packages/server/src/migrations', import.meta.url)),
    log: silentLog,
  });
  const url = appUrl(ownerUrl);
  const db = connect({ url, applicationName: 'bench', poolSize: 10, statementTimeoutMs: 0 });
  const bus = await openBus({ url, log: silentLog });

  return {
    ownerUrl,
    url,
    db,
    bus,
    /** Signed-in administrator of the named organisation, or of a new one. */
    async session(organisationId = 5000): Promise<{ userId: number; sessionId: string }> {
      const sessionId = randomUUID();
      const userId = await scoped(db, 'system', async (tx) => {
        await tx
          .insertInto('organisations')
          .values({ id: organisationId, name: 'Bench', is_partner: false, parent_id: null })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        const { id } = await tx
          .insertInto('users')
          .values({
            organisation_id: organisationId,
            email: `${sessionId}@bench.example`,
            first_name: 'B',
            last_name: 'B',
            role: 'Administrator',
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await tx
          .insertInto('sessions')
          .values({ id: sessionId, organisation_id: organisationId, user_id: id, expires_at: new Date(Date.now() + 3_600_000) })
          .execute();
        return id;
      });
      return { userId, sessionId };
    },
    async close() {
      await bus.close();
      await db.close();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
