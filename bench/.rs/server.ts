import { createApp } from '@parapet/server/app.ts';
import { openBus } from '@parapet/server/core/bus.ts';
import { connect } from '@parapet/server/core/db/connect.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createAlertsService } from '@parapet/server/features/alerts/alerts.service.ts';
import { createDashboardService } from '@parapet/server/features/dashboard/dashboard.service.ts';
import { createDevicesService } from '@parapet/server/features/devices/devices.service.ts';
import { createEventsService } from '@parapet/server/features/events/events.service.ts';
import { createIdentify } from '@parapet/server/features/auth/identity.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import Fastify from 'fastify';
import pg from 'pg';
import { randomUUID } from 'node:crypto';
const name = process.argv[2]!;
const url = `postgres://parapet_app@localhost/${name}?host=/tmp/rs/sock`;
const db = connect({ url, applicationName: 'g9', poolSize: 10 });
const bus = await openBus({ url, log: silentLog });
const tokens = createTokens(new Uint8Array(32).fill(7));
const identify = createIdentify({ db, bus, tokens } as never);
const anything: object = new Proxy(() => {}, { get: () => anything });
const app = await createApp({
  services: new Proxy({ alerts: createAlertsService({ db, bus, log: silentLog }), dashboard: createDashboardService({ db }), devices: createDevicesService({ db }), events: createEventsService({ db }) } as Record<string, unknown>, { get: (o, k) => o[k as string] ?? anything }) as never,
  ingest: undefined, identify, denied: async () => {}, log: silentLog, trustProxy: false, webDir: '/nowhere', notReady: () => [], metrics: { text: async () => '', token: undefined },
});
const superUrl = `postgres://postgres@localhost/${name}?host=/tmp/rs/sock`;
const bare = Fastify();
const pool = new pg.Pool({ connectionString: superUrl, max: 10 });
bare.get('/list/:org/:start/:end', async (request, reply) => {
  const { org, start, end } = request.params as Record<string, string>;
  const { rows } = await pool.query('select id, at, organisation_id, last_at, raised_at, rule_id, criticality, device_name, user_name, summary, fire_count, is_new from alerts where organisation_id = $1 and at >= $2 and at < $3 order by at desc, id desc limit 50', [org, start, end]);
  reply.type('application/json');
  return JSON.stringify({ results: rows });
});
const session = async (organisationId: number, role: string) => {
  const sessionId = randomUUID();
  const id = await scoped(db, 'system', async (tx) => {
    const { id } = await tx.insertInto('users').values({ organisation_id: organisationId, email: `${sessionId}@x.example`, first_name: 'B', last_name: 'B', role }).returning('id').executeTakeFirstOrThrow();
    await tx.insertInto('sessions').values({ id: sessionId, organisation_id: organisationId, user_id: id, expires_at: new Date(Date.now() + 36_000_000) }).execute();
    return id;
  });
  return tokens.issue(id, sessionId);
};
await app.listen({ port: 0, host: '127.0.0.1' }); await bare.listen({ port: 0, host: '127.0.0.1' });
const partner = await session(2, 'Administrator');
console.log(JSON.stringify({ ours: (app.server.address() as { port: number }).port, bare: (bare.server.address() as { port: number }).port, partner, pid: process.pid }));
