/** Server for syslog.bench.ts: the bulk endpoint and syslog over TCP and UDP, each through detection into a database of its own process. */
import { systemClock } from '@parapet/server/core/clock.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createAdmission } from '@parapet/server/features/ingest/admission.ts';
import { ingestRoutes } from '@parapet/server/features/ingest/ingest.routes.ts';
import { createIngestService } from '@parapet/server/features/ingest/ingest.service.ts';
import { listenForSyslog } from '@parapet/server/features/ingest/syslog.ts';
import { listenForSyslogUdp } from '@parapet/server/features/ingest/syslog.udp.ts';
import { createDetector, readBuiltIn } from '@parapet/server/pipeline/detector.ts';
import { createDeviceRegister } from '@parapet/server/pipeline/devices.ts';
import { createEventWriter } from '@parapet/server/pipeline/event-writer.ts';
import Fastify from 'fastify';
import pg from 'pg';
import { cpuRoute } from './cpu.ts';
import { rulesDir } from './events.ts';
import { listen } from './listen.ts';
import { temporaryDatabase } from './temporary-database.ts';

const organisationId = 5000;
const { db, ownerUrl, session, close } = await temporaryDatabase();
await session(organisationId);
const owner = new pg.Client({ connectionString: ownerUrl });
await owner.connect();
await owner.query(`select make_partitions((now() - interval '31 days')::date, now()::date)`);
await owner.end();
const detector = await createDetector({ db, builtIn: await readBuiltIn(rulesDir) });
detector.prepare();
const eventWriter = createEventWriter({
  db,
  clock: systemClock,
  detector,
  devices: createDeviceRegister(),
  groupingWindowMs: 3_600_000,
  log: silentLog,
});
const ingest = createIngestService({
  eventWriter,
  detector,
  clock: systemClock,
  eventRetentionMs: 30 * 86_400_000,
  counted: () => {},
});

const app = Fastify({ bodyLimit: 20 * 1024 * 1024 });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
await ingestRoutes(app, {
  ingest,
  organisationOf: async () => organisationId,
  configFor: async () => undefined,
  admission: createAdmission(2 ** 30),
  counted: () => {},
  log: silentLog,
});
let stored = 0;
const given = {
  ingest,
  isTakingIn: async () => true,
  clock: systemClock,
  host: '127.0.0.1',
  port: 0,
  senders: [{ id: 1, organisationId, networks: [] }],
  hooks: {
    stored: (_sender: unknown, count: number) => {
      stored += count;
    },
    unknown: () => {},
    lost: () => {},
  },
  log: silentLog,
};
const tcp = await listenForSyslog({ ...given, tls: undefined });
const udp = await listenForSyslogUdp({ ...given, counted: () => {} });
app.get('/stored', async () => String(stored));
cpuRoute(app);
process.once(
  'SIGTERM',
  () =>
    void Promise.all([tcp.close(), udp.close()])
      .then(close)
      .finally(() => process.exit(0)),
);
console.log(JSON.stringify({ address: await listen(app), tcp: tcp.port, udp: udp.port }));
