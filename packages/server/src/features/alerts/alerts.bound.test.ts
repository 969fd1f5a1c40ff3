import { alertsApi } from '@parapet/contract/alerts.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { seedAlerts, seedRule } from '../../../test/seed.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { silentLog } from '../../core/log.ts';
import { type AlertsService, createAlertsService } from './alerts.service.ts';

const now = Date.parse('2026-11-21T10:07:00Z');
const client = 3999;
const actor = {
  role: 'Analyst',
  isPartner: false,
  organisationId: client,
  organisationIds: [client],
  userId: 1,
} as unknown as Actor;

let database: TestDatabase;
let alerts: AlertsService;

beforeAll(async () => {
  database = await testDatabase();
  await scoped(database.db, 'system', (tx) => tx.insertInto('organisations').values({ id: client, name: 'Busy' }).execute());
  const rules = [await seedRule(database.db, { criticality: 1 }), await seedRule(database.db, { criticality: 2 })];
  await seedAlerts(
    database.db,
    client,
    Array.from({ length: 10_300 }, (_, index) => ({
      at: now - index * 1_000,
      rule: rules[index % 2]!,
      device: 'busy',
      user: null,
    })),
  );
  alerts = createAlertsService({ db: database.db, bus: { on: () => () => false }, log: silentLog, clock: movableClock(now) });
}, 60_000);
afterAll(async () => {
  alerts.close();
  await database.close();
});

type Query = Partial<z.input<typeof alertsApi.list.query>>;
const list = (start: number, end: number, query: Query) =>
  alerts.list(actor, client, new Date(start).toISOString(), new Date(end).toISOString(), alertsApi.list.query.parse(query));

describe('filtered lists', () => {
  test('stop counting at 10,000 and report so', async () => {
    expect(await list(now - dayMs, now + 1, { device: 'busy', pageSize: 5 })).toMatchObject({
      total: 10_000,
      totalIsAtLeast: true,
    });
    expect(await list(now - dayMs, now + 1, { text: 'happened', pageSize: 5 })).toMatchObject({
      total: 10_000,
      totalIsAtLeast: true,
    });
    expect(await list(now - hourMs, now + 1, { device: 'busy', pageSize: 5 })).toMatchObject({
      total: 3_601,
      totalIsAtLeast: false,
    });
  });

  test('return the last page within the bound and reject the next one with guidance', async () => {
    expect((await list(now - dayMs, now + 1, { device: 'busy', page: 50, pageSize: 200 })).results).toHaveLength(200);
    await expect(list(now - dayMs, now + 1, { device: 'busy', page: 51, pageSize: 200 })).rejects.toMatchObject({
      code: 'invalid',
    });
    await expect(list(now - dayMs, now + 1, { sort: 'count', page: 51, pageSize: 200 })).rejects.toMatchObject({
      code: 'invalid',
    });
  });

  test('have any page and an exact total where rollups locate the page', async () => {
    const total = 10_300;
    for (const query of [{}, { order: 'asc' }, { sort: 'criticality' }, { severity: 'informational,low' }] as Query[]) {
      const page = await list(now - dayMs, now + 1, { ...query, page: 10_200, pageSize: 1 });
      expect(page.results).toHaveLength(1);
      if (!query.severity) expect(page.total).toBe(total);
    }
    const deep = await list(now - dayMs, now + 1, { page: 5_101, pageSize: 2 });
    expect(Date.parse(deep.results[0]!.createdTime)).toBeGreaterThan(now - 10_201 * 1_000);
    expect(Date.parse(deep.results[0]!.createdTime)).toBeLessThanOrEqual(now - 10_000 * 1_000);
  });
});
