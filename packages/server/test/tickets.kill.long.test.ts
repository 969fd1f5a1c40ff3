/** Tickets survive the death of the process that sends them: each case has one, and each change of status left one note. `KILLS` sets how often. */
import { startHalo } from '@parapet/world/peers/halo.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture } from './deliveries.fixture.ts';
import { sendUntil } from './deliveries.killed.ts';
import { ticketWork } from './tickets.fixture.ts';

const kills = Number(process.env.KILLS ?? 4);
const casesEach = 15;

let psa: PsaPeer;
let t: DeliveriesFixture;
beforeAll(async () => {
  psa = await startHalo();
  t = await deliveriesFixture([psa]);
});
afterAll(async () => {
  await t.close();
  await psa.close();
});

test(
  'opens one ticket for each case and leaves one note for each change, when its process is killed',
  async () => {
    const work = ticketWork(t);
    t.clock.moveTo(Date.now());
    const { client, target } = await work.start(psa);
    let interrupted = 0;
    for (let kill = 0; kill < kills; kill++) {
      t.clock.moveTo(Date.now());
      for (let count = 0; count < casesEach; count++) {
        const id = await work.open(client);
        await work.setStatus(id, 'investigating');
      }
      const until = psa.requests() + 5 + Math.random() * casesEach * 6;
      await sendUntil(t.database.url, target, psa, async () => psa.requests() >= until);
      if ((await t.rows(target)).some(({ state }) => state === 'sent')) interrupted++;
    }
    await sendUntil(t.database.url, target, psa, async () => (await t.rows(target)).every(({ state }) => state === 'accepted'));
    expect(interrupted).toBeGreaterThan(0);
    expect(psa.people.tickets).toHaveLength(kills * casesEach);
    expect(new Set(psa.people.tickets.map(({ title }) => title)).size).toBe(kills * casesEach);
    for (const { notes, status } of psa.people.tickets) {
      expect(notes).toHaveLength(1);
      expect(status).toBe(psa.statuses.working);
    }
  },
  60_000 + kills * 20_000,
);
