/** Rates of analysts’ time: set by the provider, shown to staff with the alerts of a rule. */
import { analystTimeApi } from '@parapet/contract/analystTime.ts';
import { rulesApi } from '@parapet/contract/detectionRules.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { seedAlerts } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';

let t: TestApp;
let host: TestUser;
let client: number;
let partner: number;
let ruleID: string;
beforeAll(async () => {
  t = await testApp();
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
afterAll(() => t.close());

const rowsFor = async (user: TestUser) =>
  rulesApi.list.answer.parse(
    (await t.call(rulesApi.list, { params: { client }, query: { sort: 'alerts', order: 'desc' } }, user)).json(),
  ).results;
const save = (minutesPerAlert: number, minutesPerCase: number, user = host) =>
  t.call(analystTimeApi.save, { body: { minutesPerAlert, minutesPerCase } }, user);

test('multiplies the alerts of a rule by the rate, for staff alone', async () => {
  expect((await t.call(analystTimeApi.get, {}, host)).json()).toEqual({ minutesPerAlert: 5, minutesPerCase: 20 });
  expect((await save(12, 45)).json()).toEqual({ minutesPerAlert: 12, minutesPerCase: 45 });
  const analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  expect((await rowsFor(analyst))[0]).toMatchObject({ ruleID, alerts: 2, analystTime: { minutes: 24, perAlert: 12 } });
  const detail = (await t.call(rulesApi.get, { params: { client, ruleID } }, analyst)).json();
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

test('keeps to its bounds and to the provider', async () => {
  for (const [alert, kase] of [
    [-1, 20],
    [241, 20],
    [5, 0],
    [5, 1001],
    [2.5, 20],
  ])
    expect((await save(alert!, kase!)).statusCode).toBe(400);
  const partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  expect((await save(5, 20, partnerAdmin)).statusCode).toBe(403);
  expect((await t.call(analystTimeApi.get, {}, partnerAdmin)).statusCode).toBe(403);
  expect((await save(5, 20, await t.user({ organisationId: 1, role: 'Analyst' }))).statusCode).toBe(403);
});
