/** Server for list.bench.ts: the portal with a million alerts, beside bare Fastify and pg reading the same page. */

import { startApplication } from '@parapet/server/application.ts';
import { readConfig } from '@parapet/server/core/config.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import Fastify from 'fastify';
import pg from 'pg';
import { sharedSecret } from '../packages/server/test/keys.ts';
import { listen } from './listen.ts';
import { seedAlerts } from './seed-alerts.ts';
import { temporaryDatabase } from './temporary-database.ts';

const secretKey = 'a secret of the benchmark, long enough';
const database = await temporaryDatabase();
const { organisationIds, end } = await seedAlerts({ ownerUrl: database.ownerUrl, alerts: Number(process.env.BENCH_ALERTS) });
const client = organisationIds[0] as number;
const { userId, sessionId } = await database.session(client);
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
const ours = await listen(application.app);

// The limit: no sign-in, tenant, total or filter; one indexed statement, its rows as JSON.
const pool = new pg.Pool({ connectionString: database.ownerUrl, max: 10 });
pool.on('error', () => {});
const bare = Fastify();
bare.get('/bare', async () => {
  const { rows } = await pool.query(
    `select a.id, a.at, a.last_at, a.criticality, a.device_name, a.user_name, a.summary, a.fire_count, a.is_new, r.title, r.category, r.key
     from alerts a join rules r on r.id = a.rule_id
     where a.organisation_id = $1 and a.at >= $2 and a.at < $3 order by a.at desc, a.id desc limit 50`,
    [client, new Date(end.getTime() - 30 * 86_400_000), end],
  );
  return { results: rows };
});
const limit = await listen(bare);

process.on('SIGTERM', async () => {
  await bare.close();
  await pool.end();
  await application.close();
  await database.close();
  process.exit(0);
});
console.log(
  JSON.stringify({
    ours: `${ours}/api/v1/alerts/alertList/${client}/${new Date(end.getTime() - 30 * 86_400_000).toISOString()}/${end.toISOString()}`,
    bare: `${limit}/bare`,
    token: await tokens.issue(userId, sessionId),
  }),
);
