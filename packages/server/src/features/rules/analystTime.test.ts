/** Rates of analysts’ time: set by the provider and each partner, shown to their staff with the alerts of a rule. */
import { analystTimeApi } from '@parapet/contract/analystTime.ts';
import { rulesApi } from '@parapet/contract/detectionRules.ts';
import { beforeAll, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedAlerts } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let host: TestUser;
let client: number;
let partner: number;
let ruleID: string;
beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true });
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  host = await t.user({ organisationId: 1, role: 'Host' });
  const [rule] = await rowsFor(host);
  ruleID = rule!.ruleID;
  const found = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('rules')
      .select(['id', 'key', 'title', 'category', 'criticality'])
      .where('key', '=', ruleID)
      .executeTakeFirstOrThrow(),
  );
  const at = Date.now() - 3_600_000;
  await seedAlerts(t.db, client, [
    { at, rule: found, device: 'WS-1' },
    { at: at + 60_000, rule: found, device: 'WS-2' },
  ]);
});

const rowsFor = async (user: TestUser) =>
  rulesApi.list.answer.parse(
    (await t.call(rulesApi.list, { params: { client }, query: { sort: 'alerts', order: 'desc' } }, user)).json(),
  ).results;
const save = (minutesPerAlert: number, minutesPerCase: number, user = host) =>
  t.call(analystTimeApi.save, { body: { minutesPerAlert, minutesPerCase } }, user);

test('multiplies the alerts of a rule by the rate, for staff alone', async () => {
  expect((await t.call(analystTimeApi.get, {}, host)).json()).toEqual({ minutesPerAlert: 5, minutesPerCase: 20 });
  expect((await save(12, 45)).json()).toEqual({ minutesPerAlert: 12, minutesPerCase: 45 });
  expect((await rowsFor(host))[0]).toMatchObject({ ruleID, alerts: 2, analystTime: { minutes: 24, perAlert: 12 } });
  const detail = (await t.call(rulesApi.get, { params: { client, ruleID } }, host)).json();
  expect(detail.analystTime).toEqual({ minutes: 24, perAlert: 12 });
  const manager = await t.user({ organisationId: client, role: 'Manager' });
  expect((await rowsFor(manager))[0]).toMatchObject({ ruleID, alerts: 2, analystTime: null });
  const entry = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('audit').select(['before', 'after']).where('action', '=', 'analystTime.changed').executeTakeFirstOrThrow(),
  );
  expect(entry).toEqual({
    before: { minutesPerAlert: 5, minutesPerCase: 20 },
    after: { minutesPerAlert: 12, minutesPerCase: 45 },
  });
});

test('applies the rate of the reader’s own organisation, and shows no other', async () => {
  await save(12, 45);
  const admin = await t.user({ organisationId: partner, role: 'Administrator' });
  const analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  expect((await t.call(analystTimeApi.get, {}, admin)).json()).toEqual({ minutesPerAlert: 5, minutesPerCase: 20 });
  expect((await rowsFor(analyst))[0]).toMatchObject({ analystTime: { minutes: 10, perAlert: 5 } });
  expect((await save(7, 30, admin)).statusCode).toBe(200);
  expect((await rowsFor(analyst))[0]).toMatchObject({ analystTime: { minutes: 14, perAlert: 7 } });
  expect((await t.call(analystTimeApi.get, {}, host)).json()).toEqual({ minutesPerAlert: 12, minutesPerCase: 45 });
});

test('keeps to its bounds and to administrators of the provider and partners', async () => {
  for (const [alert, kase] of [
    [-1, 20],
    [241, 20],
    [5, 0],
    [5, 1001],
    [2.5, 20],
  ])
    expect((await save(alert!, kase!)).statusCode).toBe(400);
  for (const organisationId of [partner, client]) {
    const manager = await t.user({ organisationId, role: 'Manager' });
    expect((await save(5, 20, manager)).statusCode).toBe(403);
    expect((await t.call(analystTimeApi.get, {}, manager)).statusCode).toBe(403);
  }
  expect((await save(5, 20, await t.user({ organisationId: client, role: 'Administrator' }))).statusCode).toBe(403);
  expect((await save(5, 20, await t.user({ organisationId: 1, role: 'Analyst' }))).statusCode).toBe(403);
});
