/**
 * A thousand connections without new events, pulled once a minute: processor time and memory of the process that pulls them. The vendor runs in the
 * process of the benchmark, the database in its own. Rates of pulls with events: `npm run connectors`.
 */
import { startVendor } from '@parapet/world/vendors/all.ts';
import { startServer } from './cpu.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';

const connections = 1_000;
const rounds = 5;
const warm = 10;
/** µs of processor time in a minute: 2% of a core. */
const maxMicroseconds = 0.02 * 60e6;
const maxMiB = 50;

export async function run(): Promise<Result[]> {
  const vendor = await startVendor.okta!();
  const { kind, url, values } = vendor;
  const { handshake, stop } = await startServer<{ address: string }>('./connections.server.ts', {
    BENCH_VENDOR: JSON.stringify({ kind, url, values }),
  });
  const post = (path: string) => fetch(`${handshake.address}${path}`, { method: 'POST' });
  const number = async (path: string) => Number(await (await fetch(`${handshake.address}${path}`)).text());
  await post(`/connect?count=${warm}`);
  for (let round = 0; round < 20; round++) await post('/minute');
  const before = await number('/held');
  await post(`/connect?count=${connections}`);
  // The first pull of each opens its secrets.
  for (let round = 0; round < 2; round++) await post('/minute');
  const used: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await number('/cpu');
    await post('/minute');
    used.push(await number('/cpu'));
  }
  const held = ((await number('/held')) - before) / 2 ** 20;
  await stop();
  await vendor.close();
  const share = median(used);
  return [
    { name: 'connections.idle-cpu', unit: 'µs a minute', value: share, limit: maxMicroseconds, ratio: share / maxMicroseconds },
    { name: 'connections.idle-memory', unit: 'MiB', value: held, limit: maxMiB, ratio: held / maxMiB },
  ];
}
