import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { dashboardApi } from '@parapet/contract/dashboard.ts';
import { devicesApi } from '@parapet/contract/devices.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { type SeedRule, seedAlerts, seedCase, seedMonths, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { listClients, listOpenCases, listReporting, listTops } from './overview.store.ts';

const now = Date.now();
const instant = (ago: number) => new Date(now - ago).toISOString();
const range = { start: instant(10 * dayMs), end: instant(0) };
const t = useTestApp();
let client: number;
let sibling: number;
let elsewhere: number;
let analyst: TestUser;
let partnerAnalyst: TestUser;
let guessing: SeedRule;
let silent: SeedRule;
let untagged: SeedRule;

beforeAll(async () => {
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  elsewhere = await t.organisation();
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  partnerAnalyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  guessing = await seedRule(
    t.db,
    { title: 'Guessing, again and again', category: 'Credential Access', criticality: 4 },
    { techniques: ['T1110.001', 'T1078'], tactics: ['credential-access', 'initial-access'], logSource: 'linux / sshd' },
  );
  silent = await seedRule(t.db, { title: 'Silent', category: 'Service Interruption' }, { techniques: [], tactics: [] });
  untagged = await seedRule(t.db, { title: 'Gone technique' }, { techniques: ['T9999'], tactics: [] });
  await seedMonths(t.db, now - 60 * dayMs, now);
  const at = (days: number, rule: SeedRule, device: string | null = 'host-1', user: string | null = 'ada') => ({
    at: now - days * dayMs - hourMs,
    rule,
    device,
    user,
  });
  await seedAlerts(t.db, client, [
    at(1, guessing),
    at(2, guessing),
    at(3, guessing, 'host-2', null),
    at(4, silent, null),
    at(12, guessing),
    at(40, guessing),
  ]);
  await seedAlerts(t.db, sibling, [at(1, untagged, 'host-9'), at(13, untagged, 'host-9')]);
  await seedAlerts(t.db, elsewhere, [at(1, guessing), at(1, guessing)]);
  for (const days of [0.5, 2, 3, 10, 40])
    await seedCase(t.db, { organisationId: client, at: now - days * dayMs, criticality: 4, alerts: [] });
  await seedCase(t.db, { organisationId: client, at: now - dayMs, alerts: [], set: { status: 'closed', closed_at: new Date() } });
  await seedCase(t.db, {
    organisationId: sibling,
    at: now - 5 * dayMs,
    alerts: [],
    criticality: 5,
    set: { status: 'malicious' },
  });
  await seedCase(t.db, { organisationId: elsewhere, at: now - dayMs, alerts: [] });
  await scoped(t.db, 'system', async (tx) => {
    const devices = (organisation_id: number, names: [string, number | null][]) =>
      names.map(([name, hoursAgo]) => ({
        organisation_id,
        name,
        device_type: name.startsWith('s') ? 'server' : 'workstation',
        last_event_at: hoursAgo === null ? null : new Date(now - hoursAgo * hourMs),
      }));
    await tx
      .insertInto('devices')
      .values([
        ...devices(client, [
          ['s1', 1],
          ['s2', 100],
          ['w1', 2],
          ['w2', null],
        ]),
        ...devices(sibling, [['s1', 1]]),
      ])
      .execute();
    await tx
      .insertInto('devices')
      .values({
        ...devices(client, [['w1-old', 1]])[0]!,
        merged_into: tx.selectFrom('devices').select('id').where('organisation_id', '=', client).where('name', '=', 'w1'),
      } as never)
      .execute();
  });
});

const inputOf = (id: number) => ({ params: { client: id, ...range } });

describe('alerts by type', () => {
  const read = async (id: number, user: TestUser) =>
    dashboardApi.alertsByType.answer.parse((await t.call(dashboardApi.alertsByType, inputOf(id), user)).json());

  test('match the list’s counts by rule, with tactic, technique and sub-technique', async () => {
    const { attackIndicators } = await read(client, analyst);
    expect(attackIndicators.map(({ ruleID, count }) => [ruleID, count])).toEqual([
      [guessing.key, 3],
      [silent.key, 1],
    ]);
    expect(attackIndicators[0]).toMatchObject({
      rule: 'Guessing, again and again',
      criticalityNumber: 4,
      mitreCategory: 'Credential Access',
      mitreTechnique: 'T1110 Brute Force',
      mitreSubcategory: 'Password Guessing',
      logSource: 'linux / sshd',
    });
    expect(attackIndicators[1]).toMatchObject({ category: 'Service Interruption', mitreCategory: 'N/A', mitreTechnique: '' });
    const list = await t.call(
      alertsApi.list,
      { ...inputOf(client), query: { severity: [], category: [], technique: [], status: [], rule: [guessing.key] } },
      analyst,
    );
    expect(list.json().total).toBe(3);
  });

  test('group by control of each technique; a title with a comma stays one', async () => {
    const { nistAttackIndicators } = await read(client, analyst);
    const row = nistAttackIndicators.find((each) => each.nistControlID === 'AC-7' && each.mitreTechniqueID === 'T1110.001');
    expect(row).toMatchObject({
      agileRule: ['Guessing, again and again'],
      count: 3,
      mitreTechniqueName: 'Password Guessing',
      nistControlName: 'Unsuccessful Logon Attempts',
    });
    expect(nistAttackIndicators.some((each) => each.mitreTechniqueID === 'T1078' && each.nistControlID === 'AC-2')).toBe(true);
  });

  test('show unknown techniques without name and control', async () => {
    const { nistAttackIndicators, attackIndicators } = await read(0, partnerAnalyst);
    expect(nistAttackIndicators.filter((each) => each.mitreTechniqueID === 'T9999')).toMatchObject([
      { agileRule: 'Gone technique', count: 1, mitreTechniqueName: '', nistControlID: '' },
    ]);
    expect(attackIndicators.map(({ ruleID }) => ruleID)).toContain(untagged.key);
  });
});

describe('overview', () => {
  const read = async (id: number, user: TestUser) =>
    dashboardApi.overview.answer.parse((await t.call(dashboardApi.overview, inputOf(id), user)).json());

  test('counts open cases by criticality and age like the case list', async () => {
    const { openCases } = await read(client, analyst);
    expect(openCases.map(({ criticality }) => criticality)).toEqual([5, 4, 3, 2, 1]);
    expect(openCases[1]).toEqual({ criticality: 4, upTo1Day: 1, upTo7Days: 2, upTo30Days: 1, older: 1 });
    expect(openCases[0]).toMatchObject({ upTo1Day: 0, older: 0 });
    const list = await t.call(
      casesApi.list,
      {
        body: {
          selectedClientOrganizationID: client,
          start: instant(90 * dayMs),
          end: range.end,
          filters: { status: ['open'], severity: [severities[1]], age: 'week' },
        },
      } as never,
      analyst,
    );
    expect(list.json().total).toBe(2);
  });

  test('returns top rules, devices and users with the previous period', async () => {
    const { topRules, topDevices, topUsers } = await read(client, analyst);
    expect(topRules).toEqual([
      { key: guessing.key, name: guessing.title, count: 3, before: 1 },
      { key: silent.key, name: silent.title, count: 1, before: 0 },
    ]);
    expect(topDevices).toEqual([
      { key: 'host-1', name: 'host-1', count: 2, before: 1 },
      { key: 'host-2', name: 'host-2', count: 1, before: 0 },
    ]);
    expect(topUsers).toEqual([{ key: 'ada', name: 'ada', count: 3, before: 1 }]);
  });

  test('counts reporting devices like the device list, without duplicates', async () => {
    const { reporting } = await read(client, analyst);
    const of = (type: string) => reporting.find(({ deviceType }) => deviceType === type);
    expect(of('server')).toEqual({ deviceType: 'server', total: 2, reporting: 1 });
    expect(of('workstation')).toEqual({ deviceType: 'workstation', total: 2, reporting: 1 });
    expect(of('cloudApp')).toEqual({ deviceType: 'cloudApp', total: 0, reporting: 0 });
    const list = await t.call(
      devicesApi.list,
      { ...inputOf(client), query: { state: ['reporting'], type: [], tag: [] } } as never,
      analyst,
    );
    expect(list.json().total).toBe(2);
  });
});

describe('client comparison', () => {
  test('lists clients in scope, worst first, with current figures, the timeframe’s and those of 14 days', async () => {
    const { results, total } = dashboardApi.clients.answer.parse(
      (await t.call(dashboardApi.clients, { params: range }, partnerAnalyst)).json(),
    );
    expect(total).toBe(2);
    expect(results.map((row) => row.clientOrganizationID)).toEqual([sibling, client]);
    expect(results[0]).toMatchObject({ openCases: 1, malicious: 1, alerts: 1, before: 1, devices: 1, reporting: 1 });
    expect(results[0]!.oldestOpenTime).toBe(instant(5 * dayMs));
    expect(results[1]).toMatchObject({ openCases: 5, malicious: 0, alerts: 4, before: 1, devices: 4, reporting: 2 });
    expect(results[1]!.spark).toHaveLength(14);
    expect(results[1]!.spark.reduce((sum, count) => sum + count, 0)).toBe(5);
  });

  test('returns 403 to client users and for foreign organisations', async () => {
    expect((await t.call(dashboardApi.clients, { params: range }, analyst)).statusCode).toBe(403);
    for (const endpoint of [dashboardApi.overview, dashboardApi.alertsByType]) {
      for (const id of [sibling, elsewhere, 0]) expect((await t.call(endpoint, inputOf(id), analyst)).statusCode).toBe(403);
      expect((await t.call(endpoint, inputOf(client))).statusCode).toBe(401);
    }
  });
});

test('finds nothing for a foreign scope inside another’s transaction', async () => {
  const theirs = { organisationIds: [elsewhere] };
  const span = { start: now - 10 * dayMs, end: now };
  await scoped(t.db, { organisationIds: [client] }, async (tx) => {
    const query = { range: span, before: span, horizon: { now } };
    expect(
      (await listOpenCases(tx, theirs, now)).every((row) => row.upTo1Day + row.upTo7Days + row.upTo30Days + row.older === 0),
    ).toBe(true);
    expect(await listTops(tx, theirs, query)).toEqual({ topRules: [], topDevices: [], topUsers: [] });
    expect((await listReporting(tx, theirs, now)).every(({ total }) => total === 0)).toBe(true);
    expect((await listClients(tx, theirs, query)).results).toEqual([]);
  });
});
