/**
 * F16: two days of a client’s events, sent in order of time and shuffled, lead to the same alerts, daily counts and cases. Seeds are in the titles.
 */
import { history } from '@parapet/world/history.ts';
import type { Document } from '@parapet/world/types.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { movableClock } from '../src/core/clock.ts';
import { readConfig } from '../src/core/config.ts';
import type { Database } from '../src/core/db/connect.ts';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { createMetrics } from '../src/core/metrics.ts';
import { createCorrelationService } from '../src/features/correlation/correlation.service.ts';
import { createDecisioningService } from '../src/features/decisioning/decisioning.service.ts';
import { createIngest, type IngestDeps } from '../src/features/ingest/ingest.register.ts';
import { createIntelligenceService } from '../src/features/intelligence/intelligence.service.ts';
import { createRetentionService } from '../src/features/retention/retention.service.ts';
import { createDetector, readBuiltIn } from '../src/pipeline/detector.ts';
import { createDeviceRegister } from '../src/pipeline/devices.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { eventRows } from './storedEvents.ts';

const organisationId = 10;
const days = 2;
/** Fixed, so that the world is the same on every day. */
const now = Date.parse('2026-11-28T09:55:00Z');
const batchSize = 100;

/** Mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = randomOf(seed);
  const result = [...list];
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
}

/** In order of time. */
const documents: Document[] = [...history({ seed: 'shuffled', now, months: days / 30.4, scale: 1 })]
  .filter((shipment) => shipment.organisationId === organisationId)
  .flatMap((shipment) => shipment.documents.map((document) => ({ _index: shipment.index, ...document })));

async function take(db: Database, list: readonly Document[]): Promise<void> {
  const clock = movableClock(now);
  const config = readConfig({ DATABASE_URL: 'postgres://x/y', PORTAL_DEMO: '0' });
  const detector = await createDetector({ db, builtIn: await readBuiltIn(config.rulesDir) });
  const { alertRetentionMonths, eventRetentionDays } = config;
  const retention = { db, clock, log: silentLog, alertRetentionMonths, eventRetentionDays };
  await createRetentionService({ ...retention, longestWindowMs: detector.longestWindowMs }).makeMonths();
  const devices = createDeviceRegister(detector.sourcesOf);
  const platform = { db, clock, config, metrics: createMetrics(), detector, devices, log: silentLog };
  const ingest = createIngest(platform as unknown as IngestDeps);
  const intelligence = createIntelligenceService({ db, clock });
  await scoped(db, 'system', (tx) => sql`insert into organisations (id, name) values (${organisationId}, 'Client')`.execute(tx));
  for (let from = 0; from < list.length; from += batchSize) {
    const arrivals = list.slice(from, from + batchSize).map(({ _index, _id, ...document }) => ({
      raw: document,
      index: String(_index ?? 'logs'),
      documentId: _id === undefined ? undefined : String(_id),
    }));
    await ingest.take(organisationId, arrivals);
  }
  await createCorrelationService({ db, log: silentLog }).run(organisationId);
  await createDecisioningService({ db, clock, lookUp: intelligence.lookUp, log: silentLog }).run(organisationId);
}

/** Final state, without ids. A repeat that arrives before the first of its group begins a group of its own, so that alerts are summed by their subject. */
const stateOf = (db: Database) =>
  readScoped(db, 'system', async (tx) => {
    const rows = async (query: ReturnType<typeof sql<{ row: string }>>) =>
      (await query.execute(tx)).rows.map(({ row }) => row).sort();
    const alerts = await tx
      .selectFrom('alerts')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return {
      events: (await eventRows(tx)).map(({ id, at }) => `${at.toISOString()} ${id}`),
      subjects: await rows(sql<{ row: string }>`select concat_ws(' | ', rule_id, device_name, user_name, sum(fire_count)) as row
        from (select r.key as rule_id, a.device_name, a.user_name, a.fire_count from alerts a join rules r on r.id = a.rule_id) a
        group by rule_id, device_name, user_name`),
      cases: await rows(sql<{ row: string }>`select concat_ws(' | ', title, criticality, verdict, array_to_string(tactics, ','),
        (select string_agg(d, ',' order by d) from unnest(device_names) d), (select string_agg(u, ',' order by u) from unnest(user_names) u)) as row
        from cases`),
      alertCount: alerts.count,
    };
  });

describe.each([16, 1_616])('with the seed %i', (seed) => {
  let inOrder: TestDatabase;
  let mixed: TestDatabase;
  beforeAll(async () => {
    [inOrder, mixed] = [await testDatabase(), await testDatabase()];
  });
  afterAll(async () => {
    await inOrder.close();
    await mixed.close();
  });

  test('leads to the same events, firings and cases', { timeout: 300_000 }, async () => {
    await take(inOrder.db, documents);
    await take(mixed.db, shuffled(documents, seed));
    const { alertCount: expectedCount, ...expected } = await stateOf(inOrder.db);
    const { alertCount, ...found } = await stateOf(mixed.db);
    expect(expected.events.length).toBeGreaterThan(500);
    expect(expected.cases.length).toBeGreaterThan(3);
    expect(found).toEqual(expected);
    // Groups of repeats begin with the event that arrives first.
    expect(Math.abs(alertCount - expectedCount)).toBeLessThanOrEqual(0.05 * expectedCount);
  });
});

test('notices one event in fifty that is missing', { timeout: 300_000 }, async () => {
  const [whole, short] = [await testDatabase(), await testDatabase()];
  const few = documents.slice(0, 400);
  await take(whole.db, few);
  await take(
    short.db,
    shuffled(few, 16).filter((_, index) => index % 50 !== 7),
  );
  expect((await stateOf(short.db)).events).not.toEqual((await stateOf(whole.db)).events);
  await whole.close();
  await short.close();
});
