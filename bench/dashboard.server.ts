/** Server for dashboard.bench.ts: the portal with a year of alerts, and the minimal statements of each call. */

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
const { start, end } = await seedAlerts({ ownerUrl: database.ownerUrl, alerts: Number(process.env.BENCH_ALERTS) });
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

// Whole months, as in yearly figures.
const first = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1));
const last = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), 1));
const pool = new pg.Pool({ connectionString: database.ownerUrl, max: 10 });
pool.on('error', () => {});
const overMonths = (table: string, key: string, limit = '') =>
  `select ${key}, sum(count) as n from ${table} where month >= $1 and month < $2 group by 1 order by n desc ${limit}`;
const statements: Record<string, string[]> = {
  'alerts-over-time': [
    `select month, criticality, sum(count) from rollup_month_severity where month >= $1 and month < $2 group by 1, 2`,
  ],
  'alerts-by-type': [overMonths('rollup_month_rule', 'rule_id')],
  overview: [
    overMonths('rollup_month_rule', 'rule_id', 'limit 10'),
    overMonths('rollup_month_device', 'device_name', 'limit 10'),
    overMonths('rollup_month_user', 'user_name', 'limit 10'),
  ],
  clients: [
    `select organisation_id, sum(count) from rollup_month_severity where month >= $1 and month < $2 group by 1`,
    // Days of the sparklines, and the devices.
    `select organisation_id, day, sum(count) from rollup_day_severity where day > current_date - 14 and $1 < $2 group by 1, 2`,
    `select organisation_id, count(*), count(*) filter (where last_event_at > $1) from devices where $1 < $2 group by 1`,
  ],
  matrix: [overMonths('rollup_month_rule', 'rule_id')],
  controls: [overMonths('rollup_month_rule', 'rule_id')],
};
const bare = Fastify();
bare.get<{ Params: { call: string } }>('/bare/:call', async ({ params }) => {
  const answers: unknown[] = [];
  for (const statement of statements[params.call] ?? []) answers.push((await pool.query(statement, [first, last])).rows);
  return { answers };
});
const limit = await listen(bare);
const ours = `${await listen(application.app)}/api/v1`;
const range = `${first.toISOString()}/${last.toISOString()}`;

process.on('SIGTERM', async () => {
  await bare.close();
  await pool.end();
  await application.close();
  await database.close();
  process.exit(0);
});
console.log(
  JSON.stringify({
    token: await tokens.issue(userId, sessionId),
    calls: Object.keys(statements).map((name) => ({
      name,
      bare: `${limit}/bare/${name}`,
      ours: {
        'alerts-over-time': `${ours}/dashboard/alerts-over-time/0/${range}`,
        'alerts-by-type': `${ours}/dashboard/alerts-by-type/0/${range}/false`,
        overview: `${ours}/dashboard/overview/0/${range}`,
        clients: `${ours}/dashboard/clients/${range}`,
        matrix: `${ours}/attack-indicators/0/${range}`,
        controls: `${ours}/attack-indicators/0/${range}/controls`,
      }[name],
    })),
  }),
);
