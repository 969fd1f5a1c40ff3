/** Program of connections.kill.long.test.ts: takes turns of one connection until it is killed. Prints a line for each turn. */
import { fileURLToPath } from 'node:url';
import { connectorOf } from '@parapet/connectors/all.ts';
import { sql } from 'kysely';
import { systemClock } from '../src/core/clock.ts';
import { connect } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { openOutbound } from '../src/core/outbound.ts';
import { createAccounts } from '../src/features/connections/connections.accounts.ts';
import { createVendorHttp } from '../src/features/connections/connections.http.ts';
import { createTurnsOfConnections } from '../src/features/connections/connections.turn.ts';
import { createIngestService } from '../src/features/ingest/ingest.service.ts';
import { createDetector, readBuiltIn } from '../src/pipeline/detector.ts';
import { createDeviceRegister } from '../src/pipeline/devices.ts';
import { createEventWriter } from '../src/pipeline/event-writer.ts';
import { keysOf } from './keys.ts';

const [url = '', connection = '', vendor = ''] = process.argv.slice(2);
const id = Number(connection);
const eventRetentionMs = 30 * 86_400_000;
const rulesDir = fileURLToPath(new URL('../../../detections/okta', import.meta.url));

const db = connect({ url, applicationName: 'killed', poolSize: 4 });
const clock = systemClock;
const log = silentLog;
const detector = await createDetector({ db, builtIn: await readBuiltIn(rulesDir) });
const devices = createDeviceRegister(detector.sourcesOf);
const eventWriter = createEventWriter({ db, clock, detector, devices, groupingWindowMs: 3_600_000, log });
const ingest = createIngestService({ eventWriter, detector, clock, eventRetentionMs, counted: () => {} });
const http = createVendorHttp(openOutbound({ allowsInsecure: false, alsoOrigins: [vendor], maxBytes: 32 * 1024 * 1024 }));
const keys = await keysOf(db);
const turns = createTurnsOfConnections({
  db,
  clock,
  accounts: createAccounts({ db, clock: systemClock, keys, http, log }),
  ingest,
  connectorOf,
  eventRetentionMs,
  random: Math.random,
  log,
});

for (;;) {
  // The lease of a killed process would last minutes.
  await scoped(db, 'system', (tx) =>
    sql`update connections set leased_until = null, next_at = now() - interval '1 second' where id = ${id}`.execute(tx),
  );
  process.stdout.write('turn\n');
  for (const connection of await turns.claim([id])) await turns.run(connection, new AbortController().signal);
}
