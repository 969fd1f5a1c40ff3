/**
 * Many events through every connector: 10,000 each, or CONNECTOR_EVENTS for the kinds of CONNECTORS (`npm run connectors`). Once under kills and
 * disturbances, once undisturbed with rate and memory.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { startVendor } from '@parapet/world/vendors/all.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConnectionsFixture, connectionsFixture } from './connections.fixture.ts';
import { expectOnce, flood, settle } from './connections.suite.ts';

const many = Number(process.env.CONNECTOR_EVENTS ?? 10_000);
const kinds = process.env.CONNECTORS?.split(',') ?? Object.keys(startVendor);
const timeout = 60_000 + many * 15;
const maxGrowthBytes = 64 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Two vendors of each kind: one is disturbed. */
let vendors: Record<string, { disturbed: Vendor; calm: Vendor }>;
let t: ConnectionsFixture;
beforeAll(async () => {
  const start = async (kind: string) => ({ disturbed: await startVendor[kind]!(), calm: await startVendor[kind]!() });
  vendors = Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await start(kind)] as const)));
  t = await connectionsFixture(Object.values(vendors).flatMap(({ disturbed, calm }) => [disturbed, calm]));
});
afterAll(async () => {
  await t.close();
  await Promise.all(Object.values(vendors).flatMap(({ disturbed, calm }) => [disturbed.close(), calm.close()]));
});

async function connected(vendor: Vendor) {
  const organisationId = await t.organisation();
  return { organisationId, id: await t.connect(organisationId, vendor) };
}

test.each(kinds)(`%s loses and doubles none of ${many} events under kills and disturbances`, { timeout }, async (kind) => {
  const { disturbed: vendor } = vendors[kind]!;
  const { organisationId, id } = await connected(vendor);
  const published = await flood(t, vendor, { organisationId, id, many, perRound: Math.max(170, many / 60) });
  await expectOnce(t, organisationId, published);
});

test.each(kinds)(`%s reads ${many} events with flat memory`, { timeout }, async (kind) => {
  const { calm: vendor } = vendors[kind]!;
  const { organisationId, id } = await connected(vendor);
  const publish = (count: number) => vendor.publish(count, t.clock.now() - 5 * minuteMs);
  const read = async (held: number[] = []) => {
    do {
      await t.turn(id);
      held.push(heldBytes());
    } while ((await t.row(id)).lag_ms > 0);
  };
  // Loads code and fills caches.
  const published = publish(1_000);
  await read();
  for (let count = 0; count < many; count += 10_000) published.push(...publish(Math.min(10_000, many - count)));
  const held = [heldBytes()];
  const cpu = process.cpuUsage();
  const started = performance.now();
  await read(held);
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const growth = held.at(-1)! - held[0]!;
  const shown = held.map((bytes) => Math.round(bytes / 2 ** 20)).join(' ');
  const rate = Math.round(many / seconds);
  const onCore = Math.round(many / ((user + system) / 1e6));
  console.log(`${kind}: ${many} events, ${rate}/s, ${onCore}/s by processor time, MiB held after each turn: ${shown}`);
  // Late lists and the overlap end later.
  await settle(t, id);
  await expectOnce(t, organisationId, published);
  expect(growth).toBeLessThan(maxGrowthBytes);
});
