/**
 * F7: hostile events, which are those of a client’s days with one to three places replaced, through the bulk API, correlated and judged. None leads
 * to an error of the intake or of a call that reads them. `HOSTILE_EVENTS` is their number, `HOSTILE_SEED` makes another run.
 */
import { endpoints } from '@parapet/contract/api.ts';
import { history } from '@parapet/world/history.ts';
import { randomFor } from '@parapet/world/random.ts';
import type { Document } from '@parapet/world/types.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { systemClock } from '../src/core/clock.ts';
import { readScoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { createCorrelationService } from '../src/features/correlation/correlation.service.ts';
import { createDecisioningService } from '../src/features/decisioning/decisioning.service.ts';
import { createIntelligenceService } from '../src/features/intelligence/intelligence.service.ts';
import { accessFixture, type Person, places } from './access.fixture.ts';
import { probes } from './access.probes.ts';
import { hostileInput } from './reliability.hostile.ts';
import { useFixture } from './use.ts';

const count = Number(process.env.HOSTILE_EVENTS ?? 4_000);
const seed = process.env.HOSTILE_SEED ?? '7';
const batchSize = 100;
const readers: readonly Person[] = ['host', 'clientAdmin'];

const world = useFixture(accessFixture, (fixture) => fixture.t.close());

function* documents(): Generator<Document> {
  for (;;)
    for (const shipment of history({ seed: '1', now: Date.now() - 3_600_000, months: 1, scale: 0.5 })) yield* shipment.documents;
}

async function reading(person: Person): Promise<string[]> {
  const failures: string[] = [];
  for (const endpoint of endpoints) {
    const probe = probes[endpoint.id];
    if (endpoint.method !== 'GET' || endpoint.answers === 'events' || !probe) continue;
    const input = await probe.input({ id: places.client, place: 'client', things: world.things.client, world, person });
    const { statusCode, body } = await world.t.call(endpoint, input as never, world.users[person]);
    if (statusCode >= 500 && statusCode !== 503) failures.push(`${person} ${endpoint.id} ${statusCode} ${body.slice(0, 300)}`);
  }
  return failures;
}

test('accepts hostile events, and every reading call answers after them', { timeout: count * 100 + 120_000 }, async () => {
  const random = randomFor(seed, 'hostile events');
  const key = await world.t.ingestKey(places.client);
  const source = documents();
  const faults: string[] = [];
  for (let sent = 0; sent < count; sent += batchSize) {
    const batch = Array.from({ length: batchSize }, () => {
      const { _id, _index, ...document } = source.next().value as Document;
      const { body } = hostileInput({ body: document }, random);
      const text = JSON.stringify(body ?? null);
      return random.chance(0.01) ? text.slice(0, random.int(0, text.length)).replaceAll('\n', ' ') || '{' : text;
    });
    const { statusCode, body } = await world.t.send(key, batch);
    if (statusCode >= 500) faults.push(`${statusCode} ${body.slice(0, 300)}`);
  }
  expect(faults, `seed ${seed}`).toEqual([]);

  const { db } = world.t;
  const clock = systemClock;
  const { lookUp } = createIntelligenceService({ db, clock });
  await createCorrelationService({ db, log: silentLog }).run(places.client);
  await createDecisioningService({ db, clock, lookUp, log: silentLog }).run(places.client);
  const { rows } = await readScoped(db, 'system', (tx) =>
    sql<{ alerts: number; cases: number; devices: number }>`select (select count(*)::integer from alerts) as alerts,
      (select count(*)::integer from cases) as cases, (select count(*)::integer from devices) as devices`.execute(tx),
  );
  const { alerts, cases, devices } = rows[0]!;
  const memory = Math.round(process.resourceUsage().maxRSS / 1_024);
  console.log(
    `F7, seed ${seed}: ${count} events: ${alerts} alerts, ${cases} cases, ${devices} devices; at most ${memory} MiB with the test in the same process`,
  );
  // Hostile, but not hidden: they still raise alerts and cases.
  expect(alerts).toBeGreaterThan(count / 100);
  expect(cases).toBeGreaterThan(5);
  for (const person of readers) expect(await reading(person), `seed ${seed}`).toEqual([]);
});
