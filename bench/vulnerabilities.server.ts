/** Server for vulnerabilities.bench.ts: the portal with 50,000 advisories and 100,000 findings, and the matching times. */

import { startApplication } from '@parapet/server/application.ts';
import { systemClock } from '@parapet/server/core/clock.ts';
import { readConfig } from '@parapet/server/core/config.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import { createAdvisoriesService } from '@parapet/server/features/vulnerabilities/advisories.service.ts';
import { createMatchingService } from '@parapet/server/features/vulnerabilities/matching.service.ts';
import Fastify from 'fastify';
import { sql } from 'kysely';
import pg from 'pg';
import { sharedSecret } from '../packages/server/test/keys.ts';
import { median } from './figures.ts';
import { listen } from './listen.ts';
import { temporaryDatabase } from './temporary-database.ts';

const secretKey = 'a secret of the benchmark, long enough';
const advisories = Number(process.env.BENCH_ADVISORIES ?? 50_000);
const findings = Number(process.env.BENCH_FINDINGS ?? 100_000);
const perPackage = 5;
const perDevice = 500;
const database = await temporaryDatabase();
await scoped(database.db, 'system', (tx) =>
  tx.insertInto('organisations').values({ id: 1, name: 'Bench', is_partner: true, parent_id: null }).execute(),
);
const { userId, sessionId } = await database.session(1);

/** Five advisories per package, of which version 1.4 has one open: the others only cost a comparison. */
async function* osv(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < advisories; at++)
    yield Buffer.from(
      `${JSON.stringify({
        id: `CVE-2024-${10_000 + at}`,
        modified: '2026-01-01T00:00:00Z',
        summary: `Weakness ${at}`,
        severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
        affected: [
          {
            package: { ecosystem: 'Debian:12', name: `package-${Math.floor(at / perPackage)}` },
            ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: `1.${(at % perPackage) + 1}-1` }] }],
          },
        ],
      })}\n`,
    );
}

/** Devices with agents in an organisation, each with the next 500 packages. */
const addDevices = (organisationId: number, devices: number) =>
  scoped(
    database.db,
    'system',
    async (tx) => {
      await sql`insert into organisations (id, name, is_partner) values (${organisationId}, 'Bench', false)`.execute(tx);
      await sql`insert into devices (organisation_id, name, device_type, last_event_at)
        select ${organisationId}, 'host-' || n, 'server', now() from generate_series(1, ${devices}::integer) n`.execute(tx);
      await sql`insert into agents (organisation_id, device_id, machine_id, key_hash, platform, version, inventory, inventory_at)
        select organisation_id, id, id::text, decode(md5(id::text), 'hex'), 'linux-x64', '1.0.0', '{"listening": []}', now()
        from devices where organisation_id = ${organisationId}`.execute(tx);
      await sql`insert into agent_packages (organisation_id, agent_id, ecosystem, name, version, source)
        select a.organisation_id, a.id, 'Debian:12', 'package-' || ((a.id * 37 + n) % ${advisories / perPackage}::integer), '1.4-1', ''
        from agents a cross join generate_series(1, ${perDevice}::integer) n where a.organisation_id = ${organisationId}`.execute(
        tx,
      );
    },
    { statementTimeoutMs: 0 },
  );

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

const imports = createAdvisoriesService({ db: database.db, clock: systemClock });
const imported = await timeOf(() => imports.import({ userId, organisationId: 1, address: '' } as never, 'osv', osv()));
const matching = createMatchingService({ db: database.db, clock: systemClock, log: silentLog });
await addDevices(5001, 1);
await matching.run();
await addDevices(5002, findings / 10 / perDevice);
const small = await timeOf(matching.run);
await addDevices(5003, findings / perDevice);
const large = await timeOf(matching.run);
await scoped(database.db, 'system', async (tx) => {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from findings where organisation_id = 5003`.execute(tx);
  if (rows[0]?.n !== findings) throw new Error(`${rows[0]?.n} findings were created, not ${findings}.`);
});
// Second run without changes.
const markDue = (organisationId: number) =>
  scoped(database.db, 'system', (tx) =>
    sql`update scans set is_due = true where organisation_id = ${organisationId}`.execute(tx),
  );
const again = { small: [] as number[], large: [] as number[] };
for (let round = 0; round < 3; round++)
  for (const [lane, organisationId] of [
    ['small', 5002],
    ['large', 5003],
  ] as const) {
    await markDue(organisationId);
    again[lane].push(await timeOf(matching.run));
  }

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
const pool = new pg.Pool({ connectionString: database.ownerUrl, max: 10 });
pool.on('error', () => {});
const open = 'f.fixed_at is null and (f.accepted_until is null or f.accepted_until <= now())';
/** Minimal statements of each call. */
const statements: Record<string, string[]> = {
  list: [
    `select count(*) from findings f where ${open}`,
    `select f.*, d.name, e.score, k.cve from (select * from findings f where ${open} order by priority desc, id limit 50) f
      join devices d on d.id = f.device_id left join epss_scores e on e.cve = f.cve left join known_exploited k on k.cve = f.cve`,
  ],
  devices: [
    'select count(*) from devices',
    `select d.*, o.* from devices d left join (select device_id, count(*) filter (where severity = 'critical'), max(priority) as priority
      from findings f where ${open} group by 1) o on o.device_id = d.id order by o.priority desc nulls last limit 50`,
  ],
  customer: [
    `select count(*), count(k.cve) from findings f left join known_exploited k on k.cve = f.cve where ${open}`,
    `select device_id, max(priority) from findings f where ${open} group by 1`,
    `select count(*), count(*) filter (where now() - first_seen_at <= case severity when 'critical' then 15 else 30 end * interval '1 day')
      from findings f where ${open} or f.fixed_at > now() - interval '90 days'`,
    `select device_id, max(priority) from findings f where ${open} and split_part(ecosystem, ':', 1) = 'npm' group by 1`,
    'select count(*), count(*) filter (where last_event_at > now()) from devices',
  ],
};
const bare = Fastify();
bare.get<{ Params: { call: string } }>('/bare/:call', async ({ params }) => {
  const answers: unknown[] = [];
  for (const statement of statements[params.call] ?? []) answers.push((await pool.query(statement)).rows);
  return { answers };
});
const limit = await listen(bare);
const ours = `${await listen(application.app)}/api/v1`;

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
    imported,
    matching: { small, large, smallAgain: median(again.small), largeAgain: median(again.large), again },
    calls: [
      { name: 'list', ours: `${ours}/vulnerabilities/0`, bare: `${limit}/bare/list` },
      { name: 'devices', ours: `${ours}/vunerability/0`, bare: `${limit}/bare/devices` },
      { name: 'customer', ours: `${ours}/vunerability/customer/0`, bare: `${limit}/bare/customer` },
    ],
  }),
);
