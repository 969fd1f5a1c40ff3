/**
 * The demo world, standing still: made by the product, then served without its clockwork, so that what is counted stays what it was.
 * For sapphire.bench.ts. Tells where it is and where its database is, on the way of the other benchmarks' servers.
 */

import { startApplication } from '@parapet/server/application.ts';
import { readConfig } from '@parapet/server/core/config.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { listen } from '../listen.ts';
import { temporaryDatabase } from '../temporary-database.ts';
import { secretKey } from './people.ts';

const database = await temporaryDatabase();
const environment = { DATABASE_URL: database.ownerUrl, SECRET_KEY: secretKey, LOG_LEVEL: 'silent' };

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

const house = await startApplication(readConfig({ ...environment, PORTAL_DEMO: '0', PORTAL_ROLES: 'api' }), silentLog);
await house.ready;
const url = await listen(house.app);

process.on('SIGTERM', async () => {
  await house.close();
  await database.close();
  process.exit(0);
});
console.log(JSON.stringify({ url, ownerUrl: database.ownerUrl, databaseUrl: database.url }));
