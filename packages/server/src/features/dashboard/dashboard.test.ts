import { dashboardApi } from '@parapet/contract/dashboard.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { type Seeded, type SeedRule, seedAlerts, seedMonths, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { floorTo } from '../../domain/ranges.ts';
import { bucketsOf } from './buckets.ts';
import { countSeverities } from './dashboard.store.ts';

const now = Date.now();
const begin = now - 200 * dayMs;

const t = useTestApp();
let client: number;
let sibling: number;
let elsewhere: number;
let analyst: TestUser;
let partnerAdmin: TestUser;
let alerts: Seeded[];

beforeAll(async () => {
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  elsewhere = await t.organisation();
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  const rules: SeedRule[] = [];
  for (let criticality = 1; criticality <= 5; criticality++) rules.push(await seedRule(t.db, { criticality }));
  await seedMonths(t.db, begin - 60 * dayMs, now);
  const times = fc.sample(
    fc.oneof(
      fc.integer({ min: begin, max: now }),
      fc.tuple(fc.integer({ min: begin, max: now }), fc.integer({ min: 0, max: 95 }), fc.constantFrom(-1, 0, 1)).map(
        // At quarter hours, where zones have their midnights.
        ([at, quarter, off]) => floorTo('day', at) + quarter * (hourMs / 4) + off,
      ),
    ),
    { numRuns: 2_000, seed: 3 },
  );
  alerts = [];
  for (const [place, organisationId] of [client, sibling, elsewhere].entries()) {
    const mine = times.filter((at, index) => at < now && index % 3 === place);
    alerts.push(
      ...(await seedAlerts(
        t.db,
        organisationId,
        mine.map((at, index) => ({ at, rule: rules[index % 5]! })),
      )),
    );
  }
});

const read = (client: number, start: number, end: number, timeZone: string | undefined, user: TestUser) =>
  t.call(
    dashboardApi.alertsOverTime,
    {
      params: { client, start: new Date(start).toISOString(), end: new Date(end).toISOString() },
      query: { ...(timeZone && { timeZone }) },
    } as never,
    user,
  );

const counted = (organisationIds: number[], start: number, end: number) => {
  const sums = { critical: 0, high: 0, medium: 0, low: 0, informational: 0 };
  for (const alert of alerts) {
    if (!organisationIds.includes(alert.organisationId) || alert.at < start || alert.at >= end) continue;
    sums[severities[5 - alert.rule.criticality]!]++;
  }
  return sums;
};

const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'America/St_Johns',
);

describe('alerts over time', () => {
  test('match the alerts in every zone and timeframe, per bucket and for the previous period', async () => {
    await fc.assert(
      fc.asyncProperty(
        zone,
        fc.constantFrom<number[]>([client], [client, sibling]),
        fc.integer({ min: begin + 20 * dayMs, max: now - hourMs }),
        fc.oneof(fc.integer({ min: 1, max: 3 * dayMs }), fc.integer({ min: dayMs, max: 180 * dayMs })),
        fc.boolean(),
        async (timeZone, organisationIds, from, length, isWhole) => {
          const start = isWhole ? floorTo('day', from) : from;
          const end = Math.min(start + length, now);
          const [id, user] = organisationIds.length === 1 ? [client, analyst] : [0, partnerAdmin];
          const answer = dashboardApi.alertsOverTime.answer.parse((await read(id, start, end, timeZone, user)).json());
          const { unit, buckets } = bucketsOf({ start, end }, timeZone, 400)!;
          expect(answer).toEqual({
            unit,
            buckets: buckets.map((bucket) => ({
              bucket: bucket.firstDay,
              ...counted(organisationIds, bucket.start, bucket.end),
            })),
            total: counted(organisationIds, start, end),
            before: counted(organisationIds, start - (end - start), start),
          });
        },
      ),
      { numRuns: 120 },
    );
  }, 60_000);

  test('use UTC without a zone', async () => {
    const start = floorTo('day', now - 3 * dayMs);
    expect((await read(client, start, now, undefined, analyst)).json()).toEqual(
      (await read(client, start, now, 'UTC', analyst)).json(),
    );
  });

  test.each([
    ['an unknown zone', 'Mars/Olympus', 400],
    ['an offset', '+02:00', 400],
    ['markup', '<b>', 400],
  ])('refuse %s', async (_name, timeZone, status) => {
    expect((await read(client, now - dayMs, now, timeZone, analyst)).statusCode).toBe(status);
  });

  test('reject too many months and accept 25 years', async () => {
    expect((await read(client, Date.UTC(1950, 0, 1), now, 'UTC', analyst)).statusCode).toBe(400);
    const all = (await read(client, now - 25 * 365.25 * dayMs, now, 'Asia/Kolkata', analyst)).json();
    expect(all.total).toEqual(counted([client], 0, now));
  });

  test('return 403 for other organisations and All to client users, 401 to anonymous callers', async () => {
    for (const id of [sibling, elsewhere, 0]) expect((await read(id, now - dayMs, now, 'UTC', analyst)).statusCode).toBe(403);
    expect(
      (
        await t.call(dashboardApi.alertsOverTime, {
          params: { client, start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
        } as never)
      ).statusCode,
    ).toBe(401);
  });

  test('count nothing for a foreign scope inside another’s transaction', async () => {
    const theirs = { organisationIds: [elsewhere] };
    const counts = await scoped(t.db, { organisationIds: [client] }, (tx) =>
      countSeverities(
        tx,
        theirs,
        [
          { start: begin + 1, end: now - 1 },
          { start: begin - dayMs, end: begin + 1 },
        ],
        { now },
      ),
    );
    expect(counts.map((severities) => [...severities.values()].reduce((sum, count) => sum + count, 0))).toEqual([0, 0]);
  });
});
