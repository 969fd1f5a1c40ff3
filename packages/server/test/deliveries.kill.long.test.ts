/** Deliveries survive the death of their process: none is lost, and none is shown as accepted that was not. `KILLS` sets how often. */
import type { Peer } from '@parapet/world/peers/peer.ts';
import { startWebhook } from '@parapet/world/peers/webhook.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture, everything } from './deliveries.fixture.ts';
import { sendUntil } from './deliveries.killed.ts';

const kills = Number(process.env.KILLS ?? 3);
const deliveriesEach = 60;

let hook: Peer;
let t: DeliveriesFixture;
beforeAll(async () => {
  hook = await startWebhook();
  t = await deliveriesFixture([hook]);
});
afterAll(async () => {
  await t.close();
  await hook.close();
});

const arrived = () => hook.received.map(({ headers }) => String(headers['webhook-id']));

test(
  'loses no delivery, and shows none as accepted that was not, when its process is killed',
  async () => {
    const client = await t.organisation();
    const { id: target } = await t.target(client, hook);
    await t.rule(client, everything(target));
    let interrupted = 0;
    for (let kill = 0; kill < kills; kill++) {
      t.clock.moveTo(Date.now());
      for (let count = 0; count < deliveriesEach; count++)
        await t.queue(client, { event: 'case.opened', objectId: await t.case(client) });
      const until = hook.requests() + 1 + Math.random() * (deliveriesEach - 1);
      await sendUntil(t.database.url, target, hook, async () => hook.requests() >= until);
      const rows = await t.rows(target);
      const received = new Set(arrived());
      const accepted = rows.filter(({ state }) => state === 'accepted');
      expect(accepted.filter((row) => !received.has(row.message_id))).toEqual([]);
      if (rows.some(({ state }) => state === 'sent' || state === 'queued')) interrupted++;
    }
    expect(interrupted).toBeGreaterThan(0);
    await sendUntil(t.database.url, target, hook, async () => (await t.rows(target)).every(({ state }) => state === 'accepted'));
    const sent = (await t.rows(target)).map((row) => row.message_id);
    expect(sent).toHaveLength(kills * deliveriesEach);
    // Repeated ones arrive again with their id, and the first arrivals keep the order.
    expect([...new Set(arrived())]).toEqual(sent);
  },
  60_000 + kills * 20_000,
);
