import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture, everything } from '../../../test/deliveries.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import { listDue } from './deliveries.work.store.ts';

const timeoutMs = 8_000;
const slowMs = 1_100;

let server: Server;
let url: string;
let t: DeliveriesFixture;
/** Time of each arrival by the first part of its path. */
const arrivals: { lane: string; at: number }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const lane = request.url!.split('/')[1]!;
    arrivals.push({ lane, at: performance.now() });
    request.resume();
    if (lane === 'dead') return;
    setTimeout(() => response.end('{}'), lane === 'slow' ? slowMs : 0);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t = await deliveriesFixture([{ url }], { timeoutMs });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await t.close();
});

const targetsOf = async (client: number, lane: string, count: number): Promise<number[]> => {
  const ids: number[] = [];
  for (let number = 0; number < count; number++) {
    const { id } = await t.target(client, { kind: 'webhook', values: { url: `${url}/${lane}/${number}` } });
    await t.rule(client, everything(id));
    ids.push(id);
  }
  return ids;
};
const isDue = async (id: number) =>
  (await scoped(t.db, 'system', (tx) => listDue(tx, new Date(t.clock.now()), 500))).some((due) => due.id === id);

describe('the worker', () => {
  test('serves healthy targets while five are dead and five are slow', async () => {
    const client = await t.organisation();
    const dead = await targetsOf(client, 'dead', 5);
    await targetsOf(client, 'slow', 5);
    const healthy = await targetsOf(client, 'healthy', 5);
    const each = 12;
    for (let number = 0; number < each; number++) await t.queue(client, { event: 'case.opened', objectId: await t.case(client) });
    const worker = t.worker();
    const started = performance.now();
    await worker.look();
    const hasFailed = async (id: number) => (await t.rows(id))[0]!.state === 'failed';
    await vi.waitFor(async () => expect((await Promise.all(dead.map(hasFailed))).every(Boolean)).toBe(true), 30_000);
    for (const id of healthy) expect((await t.rows(id)).map(({ state }) => state)).toEqual(Array(each).fill('accepted'));
    for (const id of dead) expect((await t.rows(id))[0]).toMatchObject({ state: 'failed', attempts: 1 });
    const times = arrivals.filter(({ lane }) => lane === 'healthy').map(({ at }) => at - started);
    expect(times).toHaveLength(5 * each);
    // Before any of the dead ones was given up on.
    expect(Math.max(...times)).toBeLessThan(timeoutMs);
    await worker.close();
  }, 60_000);

  test('leaves out paused targets, quiet times and deactivated organisations', async () => {
    const client = await t.organisation();
    const [id] = (await targetsOf(client, 'healthy', 1)) as [number];
    await t.queue(client, { event: 'case.opened', objectId: await t.case(client) });
    expect(await isDue(id)).toBe(true);
    await t.update(id, 'is_paused = true');
    expect(await isDue(id)).toBe(false);
    const minute = (Math.floor(t.clock.now() / 60_000) + 1440) % 1440;
    await t.update(
      id,
      `is_paused = false, quiet_zone = 'UTC', quiet_from = ${(minute + 1430) % 1440}, quiet_to = ${(minute + 10) % 1440}`,
    );
    expect(await isDue(id)).toBe(false);
    await t.update(id, `quiet_from = ${(minute + 10) % 1440}, quiet_to = ${(minute + 20) % 1440}`);
    expect(await isDue(id)).toBe(true);
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('organisations').set({ deactivated_at: new Date() }).where('id', '=', client).execute(),
    );
    expect(await isDue(id)).toBe(false);
  });
});
