/**
 * Server for sapphire.bench.ts: the demo world, created by the product and served without its simulation, so that counts stay
 * constant. Prints its and the database's address as the handshake. With BENCH_WORLD, the ownerUrl of another one that runs,
 * it serves that world.
 */

import { startApplication } from '@parapet/server/application.ts';
import { readConfig } from '@parapet/server/core/config.ts';
import { appUrl } from '@parapet/server/core/db/migrate.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { listen } from '../listen.ts';
import { temporaryDatabase } from '../temporary-database.ts';
import { secretKey } from './people.ts';

const world = process.env.BENCH_WORLD;
const database = world ? { ownerUrl: world, url: appUrl(world), close: async () => {} } : await temporaryDatabase();
const environment = { DATABASE_URL: database.ownerUrl, SECRET_KEY: secretKey, LOG_LEVEL: 'silent' };

if (!world) {
  const making = await startApplication(
    readConfig({
      ...environment,
      PORTAL_DEMO: '1',
      PORTAL_DEMO_SCALE: process.env.BENCH_SCALE ?? '0.3',
      PORTAL_ROLES: 'api,ingest,worker',
    }),
    silentLog,
  );
  await making.ready;
  await making.close();
}

const application = await startApplication(readConfig({ ...environment, PORTAL_DEMO: '0', PORTAL_ROLES: 'api' }), silentLog);
await application.ready;
const url = await listen(application.app);

process.on('SIGTERM', async () => {
  await application.close();
  await database.close();
  process.exit(0);
});
console.log(JSON.stringify({ url, ownerUrl: database.ownerUrl, databaseUrl: database.url }));
