/**
 * Server for cases.bench.ts: the portal with a million alerts in 50,000 cases, beside bare Fastify and pg on the same rows.
 */

import { startApplication } from '@parapet/server/application.ts';
import { readConfig } from '@parapet/server/core/config.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import Fastify from 'fastify';
import pg from 'pg';
import { sharedSecret } from '../packages/server/test/keys.ts';
import { listen } from './listen.ts';
import { seedAlerts } from './seed-alerts.ts';
import { seedCases } from './seed-cases.ts';
import { temporaryDatabase } from './temporary-database.ts';

const secretKey = 'a secret of the benchmark, long enough';
const database = await temporaryDatabase();
const { organisationIds, start, end } = await seedAlerts({ ownerUrl: database.ownerUrl, alerts: 1_000_000 });
const client = organisationIds[0] as number;
const cases = await seedCases({ ownerUrl: database.ownerUrl, cases: 50_000, bigCase: 2_000 });
const { userId, sessionId } = await database.session(1);
const tokens = createTokens(await sharedSecret(database.db, 'access tokens', secretKey));
const application = await startApplication(
  readConfig({
    // Lift the rate limits: one user sends the whole load.
    API_CALLS_A_MINUTE: '1000000000',
    DATABASE_URL: database.ownerUrl,
    PORTAL_DEMO: '0',
    PORTAL_ROLES: 'api,worker',
    SECRET_KEY: secretKey,
    LOG_LEVEL: 'silent',
  }),
  silentLog,
);
await application.ready;
const ours = await listen(application.app);

const pool = new pg.Pool({ connectionString: database.ownerUrl, max: 10 });
pool.on('error', () => {});
const bare = Fastify();
/** The same page with one statement: no sign-in, tenant or total. */
bare.post('/bare/list', async (request) => {
  const { client, status, offset } = request.body as { client: number; status?: string; offset: number };
  const { rows } = await pool.query(
    `select * from cases where ${client === 0 ? '$1 = 0' : 'organisation_id = $1'} and created_at >= $2 and created_at < $3
     and ($4::text is null or status = $4) order by created_at desc, id desc limit 50 offset $5`,
    [client, start, end, status ?? null, offset],
  );
  return { results: rows };
});
bare.get('/bare/detail', async () => {
  const found = await pool.query('select * from cases where id = 1');
  const alerts = await pool.query(
    `select a.*, r.title from case_alerts c join alerts a on a.id = c.alert_id and a.at = c.alert_at join rules r on r.id = a.rule_id
     where c.case_id = 1 order by c.alert_at desc, c.alert_id desc limit 50`,
  );
  const artifacts = await pool.query('select * from case_artifacts where case_id = 1');
  const history = await pool.query('select * from case_history where case_id = 1 order by at');
  return { case: found.rows[0], alerts: alerts.rows, artifacts: artifacts.rows, history: history.rows };
});
bare.post('/bare/status', async (request) => {
  const { id, status } = request.body as { id: number; status: string };
  const { rows } = await pool.query('update cases set status = $2, version = version + 1 where id = $1 returning *', [
    id,
    status,
  ]);
  return rows[0];
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
    ours: `${ours}/api/v1`,
    bare: `${limit}/bare`,
    client,
    cases,
    start: start.toISOString(),
    end: end.toISOString(),
    token: await tokens.issue(userId, sessionId),
  }),
);
