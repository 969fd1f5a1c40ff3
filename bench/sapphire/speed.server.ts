/** Server for speed.ts: the portal with a million alerts in 50,000 cases, and enough users for the rate limit. */

import { startApplication } from '@parapet/server/application.ts';
import { readConfig } from '@parapet/server/core/config.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import { sharedSecret } from '../../packages/server/test/keys.ts';
import { listen } from '../listen.ts';
import { seedAlerts } from '../seed-alerts.ts';
import { seedCases } from '../seed-cases.ts';
import { temporaryDatabase } from '../temporary-database.ts';
import { secretKey } from './people.ts';

const alerts = Number(process.env.BENCH_ALERTS);
const database = await temporaryDatabase();
const { end } = await seedAlerts({ ownerUrl: database.ownerUrl, alerts });
await seedCases({ ownerUrl: database.ownerUrl, cases: alerts / 20, bigCase: Math.min(2_000, alerts / 100) });
const tokens = createTokens(await sharedSecret(database.db, 'access tokens', secretKey));
const askers: string[] = [];
for (let left = Number(process.env.BENCH_ASKERS); left > 0; left--) {
  const { userId, sessionId } = await database.session(1);
  askers.push(await tokens.issue(userId, sessionId));
}
const application = await startApplication(
  readConfig({
    DATABASE_URL: database.ownerUrl,
    PORTAL_DEMO: '0',
    PORTAL_ROLES: 'api',
    SECRET_KEY: secretKey,
    LOG_LEVEL: 'silent',
  }),
  silentLog,
);
await application.ready;
const url = await listen(application.app);

process.on('SIGTERM', async () => {
  await application.close();
  await database.close();
  process.exit(0);
});
console.log(JSON.stringify({ url: `${url}/api/v1`, askers, end: end.getTime() }));
