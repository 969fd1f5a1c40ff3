import { alertsApi, type RuleGuidance } from '@parapet/contract/alerts.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { type Seeded, type SeedRule, seedAlerts, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { createCatalogue } from './alerts.catalogue.ts';
import { findAlert } from './alerts.detail.ts';

const now = Date.now();
const start = new Date(now - 60 * dayMs).toISOString();
const end = new Date(now + dayMs).toISOString();

const t = useTestApp();
let partner: number;
let client: number;
let sibling: number;
let elsewhere: number;
let analyst: TestUser;
let partnerAnalyst: TestUser;
let unprivileged: TestUser;
let rules: SeedRule[];
const guidance: RuleGuidance = {
  confidence: 'high',
  whyItMatters: 'A document <b>ran</b> code.',
  checkFirst: ['Read it.', 'Ask the user.'],
};
let mine: Seeded[];
let theirs: Seeded[];

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Client <b>&amp;' });
  sibling = await t.organisation({ parentId: partner });
  elsewhere = await t.organisation();
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  partnerAnalyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  unprivileged = await t.user({ organisationId: client, role: '' });
  rules = [
    await seedRule(
      t.db,
      { title: 'Office starts a shell', category: 'Execution', criticality: 4 },
      { techniques: ['T1566.001', 'T1059.001', 'T9999'], condition: 'selection and not filter', guidance },
    ),
    await seedRule(t.db, { title: 'Many failed sign-ins', category: 'Credential Access', criticality: 5 }),
    await seedRule(t.db, { title: 'Account listed', category: 'Execution', criticality: 1 }, { techniques: [] }),
  ];
  const alerts = Array.from({ length: 90 }, (_, index) => ({
    at: Math.floor(now - index * 0.5 * dayMs),
    rule: rules[index % 3]!,
    device: index % 10 === 9 ? null : `host-${index % 4}`,
    user: `user-${index % 2}`,
    summary: `<img src=x onerror=alert(1)> \u001b[31m ${index}`,
    isNew: index % 5 !== 0,
    count: 1 + (index % 3),
  }));
  mine = await seedAlerts(t.db, client, alerts);
  await seedAlerts(t.db, sibling, alerts.slice(0, 7));
  theirs = await seedAlerts(t.db, elsewhere, alerts.slice(0, 11));
});

const list = (client: number, query: object = {}, user = analyst) =>
  t.call(alertsApi.list, { params: { client, start, end }, query } as never, user);
const filters = async (client: number, query: object, user = analyst) =>
  (await t.call(alertsApi.filters, { params: { client }, query } as never, user)).json<
    Record<string, { value: string; label: string; count: number }[]>
  >();

describe('alert list', () => {
  test('shows the newest alerts without their events, with unchanged texts', async () => {
    const { results, total, totalIsAtLeast } = (await list(client)).json();
    expect({ total, totalIsAtLeast, length: results.length }).toEqual({ total: 90, totalIsAtLeast: false, length: 50 });
    expect(results[0]).toEqual({
      id: mine[0]!.id,
      clientOrganizationID: client,
      clientOrganizationName: 'Client <b>&amp;',
      alertSummary: '<img src=x onerror=alert(1)> \u001b[31m 0',
      ruleID: rules[0]!.key,
      rule: 'Office starts a shell',
      category: 'Execution',
      severity: 'high',
      criticalityNumber: 4,
      deviceName: 'host-0',
      userName: 'user-0',
      count: 1,
      status: 'seen',
      newAlert: false,
      deviceIsolated: false,
      deviceBlocked: false,
      userDisabled: false,
      mitreTechnique: 'T1566.001',
      createdTime: new Date(mine[0]!.at).toISOString(),
      lastSeenTime: new Date(mine[0]!.at).toISOString(),
    });
  });

  test('joins all clients of the caller’s scope', async () => {
    const { results, total } = (await list(0, { pageSize: 200 }, partnerAnalyst)).json();
    expect(total).toBe(97);
    expect(new Set(results.map((row: { clientOrganizationID: number }) => row.clientOrganizationID))).toEqual(
      new Set([client, sibling]),
    );
  });

  test('accepts a path in any case, a trailing slash and unknown parameters', async () => {
    const answer = await t.application.app.inject({
      url: `/API/v1/Alerts/alertlist/${client}/${start}/${end}/?unknown=1&pageSize=1`,
      headers: { authorization: `Bearer ${analyst.token}` },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.json().results).toHaveLength(1);
  });

  test.each([
    ['an end before the start', { client: 1, start: end, end: start }, {}],
    ['no time', { client: 1, start: 'yesterday', end }, {}],
    ['a negative client', { client: -1, start, end }, {}],
    ['a page size of 201', { client: 1, start, end }, { pageSize: 201 }],
    ['page 0', { client: 1, start, end }, { page: 0 }],
    ['an unknown severity', { client: 1, start, end }, { severity: 'fatal' }],
    ['an unknown order', { client: 1, start, end }, { sort: 'id; drop table alerts' }],
    ['a long text', { client: 1, start, end }, { text: 'x'.repeat(201) }],
  ])('rejects %s', async (_name, params, query) => {
    expect(
      (
        await t.call(
          alertsApi.list,
          { params: { ...params, client: params.client === 1 ? client : params.client }, query } as never,
          analyst,
        )
      ).statusCode,
    ).toBe(400);
  });
});

describe('access', () => {
  const calls = (
    id: number,
  ): [string, () => Promise<{ statusCode: number; body: string }>, () => Promise<{ statusCode: number }>][] => [
    ['list', () => list(id), () => list(id, {}, unprivileged)],
    [
      'filters',
      () => t.call(alertsApi.filters, { params: { client: id }, query: {} } as never, analyst),
      () => t.call(alertsApi.filters, { params: { client: id }, query: {} } as never, unprivileged),
    ],
    [
      'ruleNames',
      () => t.call(alertsApi.ruleNames, { query: { selectedClientOrganizationId: id, start, end } } as never, analyst),
      () => t.call(alertsApi.ruleNames, { query: { selectedClientOrganizationId: id, start, end } } as never, unprivileged),
    ],
  ];

  test('returns 403 to a client’s user for other organisations, siblings and All; always to an empty role', async () => {
    for (const id of [sibling, elsewhere, partner, 0]) {
      for (const [name, call] of calls(id)) expect((await call()).statusCode, `${name} ${id}`).toBe(403);
    }
    for (const [name, , call] of calls(client)) expect((await call()).statusCode, name).toBe(403);
  });

  test('returns 401 to anonymous callers', async () => {
    for (const endpoint of [alertsApi.list, alertsApi.filters, alertsApi.ruleNames, alertsApi.detail, alertsApi.live]) {
      const answer = await t.call(endpoint as never, { params: { client, start, end, alertId: 1 } } as never);
      expect(answer.statusCode, endpoint.id).toBe(401);
    }
  });

  test('returns the same 404 for another tenant’s alert as for a missing one', async () => {
    const detail = (id: number) => t.call(alertsApi.detail, { params: { alertId: id } }, analyst);
    const [foreign, missing] = [await detail(theirs[0]!.id), await detail(2_000_000_000)];
    expect([foreign.statusCode, missing.statusCode]).toEqual([404, 404]);
    const shape = (answer: typeof foreign, id: number) => ({
      ...answer.json(),
      requestId: '',
      error: answer.json().error.replace(String(id), 'N'),
    });
    expect(shape(foreign, theirs[0]!.id)).toEqual(shape(missing, 2_000_000_000));
    expect(Object.keys(foreign.headers).sort()).toEqual(Object.keys(missing.headers).sort());
  });

  test('holds in the database too, beneath the scope argument', async () => {
    const catalogue = createCatalogue({ bus: { on: () => () => false } });
    const scope = { organisationIds: [client] };
    for (const given of [{ organisationIds: [elsewhere] }, 'system'] as const) {
      expect(await scoped(t.db, scope, (tx) => findAlert(tx, given, catalogue, theirs[0]!.id))).toBeUndefined();
    }
    expect(
      await scoped(t.db, { organisationIds: [elsewhere] }, (tx) => findAlert(tx, scope, catalogue, theirs[0]!.id)),
    ).toBeUndefined();
  });
});

describe('filter values', () => {
  test('count the rows of the list, for every value', async () => {
    const facets = await filters(client, { start, end });
    for (const name of ['severity', 'status', 'category', 'rule', 'device', 'user'] as const) {
      for (const { value, count } of facets[name]!) {
        expect((await list(client, { [name]: value })).json().total, `${name} ${value}`).toBe(count);
      }
    }
    expect(facets.severity!.map(({ label, count }) => `${label} ${count}`)).toEqual([
      'Critical 30',
      'High 30',
      'Medium 0',
      'Low 0',
      'Informational 30',
    ]);
    expect(facets.status).toEqual([
      { value: 'new', label: 'New', count: 72 },
      { value: 'seen', label: 'Seen', count: 18 },
    ]);
    expect(facets.category!.map(({ value, count }) => [value, count])).toEqual([
      ['Execution', 60],
      ['Credential Access', 30],
    ]);
    expect(facets.device!.reduce((sum, { count }) => sum + count, 0)).toBe(81);
    expect(facets.device!.map(({ count }) => count)).toEqual([...facets.device!.map(({ count }) => count)].sort((a, b) => b - a));
  });

  test('cover 30 days by default', async () => {
    const facets = await filters(client, {});
    const recent = mine.filter((alert) => alert.at >= now - 30 * dayMs).length;
    expect(facets.status!.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(recent - 1);
    expect(facets.status!.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(recent);
  });

  test('reject an end before the start', async () => {
    expect(await filters(client, { start: end, end: start })).toMatchObject({ code: 'invalid' });
  });

  test('list rules by title, with their alerts', async () => {
    const answer = await t.call(alertsApi.ruleNames, { query: { selectedClientOrganizationId: client, start, end } }, analyst);
    expect(answer.json()).toEqual({
      results: [
        { ruleID: rules[2]!.key, rule: 'Account listed', count: 30 },
        { ruleID: rules[1]!.key, rule: 'Many failed sign-ins', count: 30 },
        { ruleID: rules[0]!.key, rule: 'Office starts a shell', count: 30 },
      ],
      total: 3,
    });
  });
});

describe('alert detail', () => {
  test('contains its rule, match explanation, events, related alerts, techniques and controls', async () => {
    const alert = mine[3]!;
    const long = 'x'.repeat(5_000);
    const items = [{ selection: 'selection', field: 'process.name', modifier: 'endswith', pattern: '\\cmd.exe', value: long }];
    await scoped(t.db, { organisationIds: [client] }, (tx) =>
      tx
        .insertInto('alert_events')
        .values(
          [2, 1, 3].map((second) => ({
            organisation_id: client,
            alert_id: alert.id,
            alert_at: new Date(alert.at),
            event_id: `00000000-0000-4000-8000-00000000000${second}`,
            event_at: new Date(alert.at + second * 1_000),
            text: `event ${second}`,
            why: JSON.stringify({
              condition: 'selection',
              items: second === 3 ? [...items, { ...items[0], value: 'other' }] : items,
            }),
            document: JSON.stringify({ event: { number: second } }),
          })),
        )
        .execute(),
    );
    const answer = await t.call(alertsApi.detail, { params: { alertId: alert.id } }, analyst);
    expect(answer.statusCode).toBe(200);
    const detail = alertsApi.detail.answer.parse(answer.json());
    expect(detail).toMatchObject({
      id: alert.id,
      rule: 'Office starts a shell',
      condition: 'selection and not filter',
      clockSkew: 'none',
      eventsTotal: 3,
      guidance,
    });
    expect(detail.raisedAt).toBe(new Date(alert.raisedAt).toISOString());
    expect(detail.events.map(({ text, document }) => [text, document])).toEqual([
      ['event 1', { event: { number: 1 } }],
      ['event 2', { event: { number: 2 } }],
      ['event 3', { event: { number: 3 } }],
    ]);
    expect(detail.why.map(({ value }) => value)).toEqual([long.slice(0, 2_000), 'other']);
    expect(detail.techniques[0]).toEqual({
      id: 'T1566.001',
      name: 'Spearphishing Attachment',
      tactics: ['Initial Access'],
      url: 'https://attack.mitre.org/techniques/T1566/001/',
    });
    expect(detail.techniques[2]).toMatchObject({ id: 'T9999', name: 'T9999', tactics: [] });
    expect(detail.controls.map(({ id }) => id)).toContain('SI-3');
  });

  test('lists the further rules that its event matched, worst first', async () => {
    const [alert, other] = await seedAlerts(t.db, client, [
      { at: now, rule: rules[0]!, device: 'folded', user: null },
      { at: now, rule: rules[0]!, device: 'plain', user: null },
    ]);
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('alerts')
        .set({ also_rule_ids: [rules[2]!.id, rules[1]!.id] })
        .where('id', '=', alert!.id)
        .execute(),
    );
    const alsoMatched = async (id: number) =>
      (await t.call(alertsApi.detail, { params: { alertId: id } }, analyst)).json().alsoMatched;
    expect(await alsoMatched(alert!.id)).toEqual([
      { ruleID: rules[1]!.key, rule: 'Many failed sign-ins', criticality: 'critical' },
      { ruleID: rules[2]!.key, rule: 'Account listed', criticality: 'informational' },
    ]);
    expect(await alsoMatched(other!.id)).toEqual([]);
  });

  test('relates to the newest ten others of its device and its user, a month before and after', async () => {
    const alert = mine[4]!;
    const { related } = (await t.call(alertsApi.detail, { params: { alertId: alert.id } }, analyst)).json();
    const near = (of: (other: Seeded) => boolean) =>
      mine
        .filter((other) => other.id !== alert.id && of(other) && Math.abs(other.at - alert.at) < 30 * dayMs)
        .map((other) => other.id)
        .slice(0, 10);
    expect(related.device.map((row: { id: number }) => row.id)).toEqual(near((other) => other.device === alert.device));
    expect(related.user.map((row: { id: number }) => row.id)).toEqual(near((other) => other.user === alert.user));
  });

  test('relates to none without a device; has no controls without techniques', async () => {
    const alert = mine.find((one) => one.device === null && one.rule === rules[2])!;
    const detail = (await t.call(alertsApi.detail, { params: { alertId: alert.id } }, partnerAnalyst)).json();
    expect(detail).toMatchObject({
      deviceName: null,
      related: { device: [] },
      techniques: [],
      controls: [],
      guidance: null,
      events: [],
      why: [],
    });
  });

  test.each(['0', '-1', '2147483648', '1.5', 'abc', '1;2'])('returns 404 for %s', async (alertId) => {
    expect((await t.call(alertsApi.detail, { params: { alertId } } as never, analyst)).statusCode).toBe(400);
  });
});
