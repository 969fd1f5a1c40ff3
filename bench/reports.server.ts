/** Server for reports.bench.ts: the portal with a year of alerts, cases and their counters. */

import { startApplication } from '@parapet/server/application.ts';
import { readConfig } from '@parapet/server/core/config.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import pg from 'pg';
import { sharedSecret } from '../packages/server/test/keys.ts';
import { listen } from './listen.ts';
import { seedAlerts } from './seed-alerts.ts';
import { seedCases } from './seed-cases.ts';
import { temporaryDatabase } from './temporary-database.ts';

const secretKey = 'a secret of the benchmark, long enough';
const cases = 20_000;
const database = await temporaryDatabase();
const { organisationIds, end } = await seedAlerts({ ownerUrl: database.ownerUrl, alerts: Number(process.env.BENCH_ALERTS) });
await seedCases({ ownerUrl: database.ownerUrl, cases, bigCase: 2_000 });
// Counters as ingestion would have written them.
const client = new pg.Client({ connectionString: database.ownerUrl });
await client.connect();
await client.query(`insert into ingest_counters select organisation_id, day, reason, sum(count) * 100
  from rollup_day_severity cross join (values ('received'), ('stored')) as r (reason) group by 1, 2, 3`);
await client.query(`insert into alert_fates select organisation_id, day, 'raised', sum(count) from rollup_day_severity group by 1, 2
  on conflict do nothing`);
await client.query('vacuum (analyze)');
await client.end();
const { userId, sessionId } = await database.session(1);
const tokens = createTokens(await sharedSecret(database.db, 'access tokens', secretKey));
const application = await startApplication(
  readConfig({
    // Lift the rate limits: one user sends the whole load.
    API_CALLS_A_MINUTE: '1000000000',
    DATABASE_URL: database.ownerUrl,
    PORTAL_DEMO: '0',
    PORTAL_ROLES: 'api',
    SECRET_KEY: secretKey,
    LOG_LEVEL: 'silent',
  }),
  silentLog,
);
await application.ready;

// Last complete month of the busiest client.
const last = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, 1));
const month = `${last.getUTCFullYear()}/${last.getUTCMonth() + 1}`;
const next = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), 1));
const year = new Date(Date.UTC(end.getUTCFullYear() - 1, end.getUTCMonth(), 1));
const url = `${await listen(application.app)}/api/v1`;

process.on('SIGTERM', async () => {
  await application.close();
  await database.close();
  process.exit(0);
});
console.log(
  JSON.stringify({
    token: await tokens.issue(userId, sessionId),
    pdf: `${url}/reporting/${organisationIds[0]}/${month}/pdf`,
    report: `${url}/reporting/${organisationIds[0]}/${month}`,
    balance: `${url}/balance/0/${year.toISOString()}/${next.toISOString()}`,
  }),
);
