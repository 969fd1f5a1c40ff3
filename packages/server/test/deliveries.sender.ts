/** Program of deliveries.kill.long.test.ts: sends what is due at one target until it is killed. Prints a line for each turn. */
import { targetKindOf } from '@parapet/connectors/out/all.ts';
import { sql } from 'kysely';
import { systemClock } from '../src/core/clock.ts';
import { connect } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { openOutbound } from '../src/core/outbound.ts';
import { createTurns } from '../src/features/deliveries/deliveries.turn.ts';
import { createVault } from '../src/features/deliveries/deliveries.vault.ts';
import { testBrand } from './deliveries.fixture.ts';
import { keysOf } from './keys.ts';

const [url = '', target = '', peer = ''] = process.argv.slice(2);
const id = Number(target);
const db = connect({ url, applicationName: 'killed', poolSize: 4 });
const turns = createTurns({
  db,
  clock: systemClock,
  vault: createVault(db, await keysOf(db)),
  brand: testBrand,
  outbound: openOutbound({ allowsInsecure: false, alsoOrigins: [peer] }),
  kindOf: targetKindOf,
  call: async () => ({ kind: 'refused', words: '' }),
  push: () => Promise.reject(new Error('No target is a browser.')),
  fileOf: async () => Buffer.from('file'),
  random: Math.random,
  log: silentLog,
});

for (;;) {
  // The lease of a killed process would last a minute.
  await scoped(db, 'system', (tx) => sql`update delivery_targets set leased_until = null where id = ${id}`.execute(tx));
  process.stdout.write('turn\n');
  await turns.run(id, new AbortController().signal);
}
