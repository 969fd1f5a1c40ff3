/** Server for connections.bench.ts: the worker of connections with a database of its own, and a clock that each round moves by a minute. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import Fastify from 'fastify';
import { connectionsFixture } from '../packages/server/test/connections.fixture.ts';
import { cpuRoute } from './cpu.ts';
import { listen } from './listen.ts';
import { temporaryDatabase } from './temporary-database.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const vendor = JSON.parse(process.env.BENCH_VENDOR!) as Pick<Vendor, 'kind' | 'url' | 'values'>;
const database = await temporaryDatabase();
const t = await connectionsFixture([vendor as Vendor], database as never);
const worker = t.worker();

const app = Fastify();
app.post<{ Querystring: { count: number } }>('/connect', async ({ query }) => {
  for (let count = 0; count < query.count; count++) await t.connect(await t.organisation(), vendor as Vendor);
  return '';
});
app.post('/minute', async () => {
  t.clock.moveTo(t.clock.now() + 2 * minuteMs);
  await worker.run();
  return '';
});
app.get('/held', async () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return String(heapUsed + external);
});
cpuRoute(app);
process.once(
  'SIGTERM',
  () =>
    void worker
      .close()
      .then(t.close)
      .then(database.close)
      .finally(() => process.exit(0)),
);
console.log(JSON.stringify({ address: await listen(app) }));
