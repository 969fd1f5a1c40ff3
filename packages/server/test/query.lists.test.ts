/** Queries against the lists of the screens: the same filter yields the same number of alerts, cases and devices, for three viewers. */
import { alertDispositions, alertsApi } from '@parapet/contract/alerts.ts';
import { caseAgeNames } from '@parapet/contract/caseList.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { deviceStates, devicesApi } from '@parapet/contract/devices.ts';
import { caseStatusValues, resolutionValues, verdicts } from '@parapet/contract/rules/cases.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { judgedVerdicts } from '@parapet/contract/rules/judgement.ts';
import type { Query, QueryFilter } from '@parapet/contract/rules/query.ts';
import { deviceTypes, severities } from '@parapet/contract/rules/values.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import { runQuery } from '../src/domain/query/run.ts';
import type { TestUser } from './app.ts';
import { sapphireWorld } from './sapphire.fixture.ts';
import { type SeedAlert, type SeedRule, seedAlerts, seedCase, seedRule } from './seed.ts';

const now = Date.now();
const time = { start: new Date(now - 60 * dayMs).toISOString(), end: new Date(now + dayMs).toISOString(), label: 'last 60 days' };

let world: Awaited<ReturnType<typeof sapphireWorld>>;
let viewers: Record<'admin' | 'partnerAnalyst' | 'host', { user: TestUser; organisationIds: number[]; organisationId: number }>;
let rules: SeedRule[];
let tag: number;

/** Deterministic, so that a failure repeats. */
function numbers() {
  let state = 7;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
}

beforeAll(async () => {
  world = await sapphireWorld();
  const { t, people, client, sibling, foreign, partner, provider } = world;
  viewers = {
    admin: { user: people.admin, organisationIds: [client], organisationId: client },
    partnerAnalyst: { user: people.partnerAnalyst, organisationIds: [partner, client, sibling], organisationId: partner },
    host: { user: people.host, organisationIds: [provider, partner, client, sibling, foreign], organisationId: provider },
  };
  rules = [
    await seedRule(
      t.db,
      { title: 'Lateral Tool Transfer', category: 'Lateral Movement', criticality: 2 },
      { techniques: ['T1570'], tactics: ['lateral-movement'] },
    ),
    await seedRule(
      t.db,
      { title: 'Password Spraying', category: 'Credential Access', criticality: 3 },
      { techniques: ['T1110.003'], tactics: ['credential-access'] },
    ),
    await seedRule(t.db, { title: 'Nothing Tagged', category: 'Malware', criticality: 1 }, { techniques: [], tactics: [] }),
  ];
  const random = numbers();
  for (const organisationId of [client, sibling, foreign]) {
    const place = { organisationId, prefix: organisationId === client ? 'ALD' : 'OTH' };
    const alertOf = (): SeedAlert => ({
      at: now - random(50) * dayMs - random(86_400) * 1_000,
      rule: rules[random(rules.length)]!,
      device: random(6) === 0 ? null : `${place.prefix}-WS-${random(4)}`,
      user: random(5) === 0 ? null : `user${random(3)}`,
      isNew: random(2) === 0,
      count: 1 + (random(3) === 0 ? random(9) : 0),
      summary: random(4) === 0 ? '100%_sure \\ match' : 'Something happened',
    });
    const alerts = await seedAlerts(t.db, organisationId, Array.from({ length: 60 }, alertOf));
    await addDevices(organisationId, place.prefix);
    await hide(organisationId, alerts.slice(0, 5));
    for (const [index, status] of [...caseStatusValues, ...caseStatusValues].entries()) {
      const isClosed = status.endsWith('closed');
      await seedCase(t.db, {
        organisationId,
        at: now - random(50) * dayMs,
        alerts: Array.from({ length: 2 }, alertOf),
        set: {
          criticality: 1 + (index % 5),
          status,
          title: index === 0 ? 'A 50%_off case' : `Case ${index}`,
          verdict: verdicts[random(verdicts.length)]!,
          investigation_status: 1 + random(8),
          analyst_user_id: random(2) === 0 ? people.partnerAnalyst.id : null,
          is_excluded: random(4) === 0,
          ...(index % 5 === 0 && !isClosed && { waiting_since: new Date(now - dayMs), wait_expires_at: new Date(now + dayMs) }),
          ...(isClosed && {
            closed_at: new Date(now - 1_000),
            closed_by: index % 2 === 0 ? null : people.host.id,
            resolution: resolutionValues[random(6)]!,
          }),
        },
      });
    }
    await seedCase(t.db, {
      organisationId,
      at: now - dayMs,
      set: { status: 'closed', closed_at: new Date(now - 1_000), resolution: 'acceptedRisk', title: 'Accepted' },
    });
  }
}, 120_000);
afterAll(() => world.t.close());

async function addDevices(organisationId: number, prefix: string): Promise<void> {
  await scoped(world.t.db, 'system', async (tx) => {
    const rows = Array.from({ length: 6 }, (_, index) => ({
      organisation_id: organisationId,
      name: `${prefix}-WS-${index}`,
      device_type: deviceTypes[index % deviceTypes.length]!,
      agent_version: index === 0 ? null : `winlogbeat 8.${index}`,
      agent_updated_at: null,
      last_event_at: index === 5 ? null : new Date(now - index * dayMs),
      silent_since: index === 4 ? new Date(now - dayMs) : null,
    }));
    const devices = await tx.insertInto('devices').values(rows).returning(['id', 'name']).execute();
    // The second is another name of the first.
    await tx
      .updateTable('devices')
      .set({ merged_into: devices[0]!.id, merged_at: new Date(now) })
      .where('id', '=', devices[1]!.id)
      .execute();
    const { id } = await tx
      .insertInto('tags')
      .values({ organisation_id: organisationId, name: 'Critical' })
      .returning('id')
      .executeTakeFirstOrThrow();
    if (organisationId === world.client) tag = id;
    await tx
      .insertInto('device_tags')
      .values({ device_id: devices[2]!.id, tag_id: id, organisation_id: organisationId })
      .execute();
  });
}

const hide = (organisationId: number, alerts: readonly { id: number; at: number }[]) =>
  scoped(world.t.db, 'system', async (tx) => {
    const { id } = await tx
      .insertInto('exceptions')
      .values({
        kind: 'suppression',
        organisation_id: organisationId,
        rule_id: rules[0]!.id,
        device_name: null,
        user_name: null,
        reason: 'test',
        owner_user_id: world.people.host.id,
        owner_name: 'Host',
        ends_at: new Date(now + dayMs),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('suppressed_alerts')
      .values(
        alerts.map((alert) => ({
          organisation_id: organisationId,
          alert_id: alert.id,
          alert_at: new Date(alert.at),
          suppression_id: id,
        })),
      )
      .execute();
  });

async function count(who: keyof typeof viewers, query: Omit<Query, 'measure'>): Promise<number> {
  const { user, organisationIds, organisationId } = viewers[who];
  const scope = { organisationIds, reader: { organisationId, canSeeInternal: who !== 'admin' } };
  const context = { scope, userId: user.id, organisationId, now: Date.now(), timeZone: 'UTC', reach: () => 's' as const };
  const { total } = await readScoped(world.t.db, scope, (tx) => runQuery(tx, { measure: { kind: 'count' }, ...query }, context));
  return total;
}

describe.each(['admin', 'partnerAnalyst', 'host'] as const)('for %s', (who) => {
  const client = () => (who === 'admin' ? world.client : 0);
  const range = { start: time.start, end: time.end };
  const each = <T extends string>(values: readonly T[], filterOf: (value: T) => QueryFilter): [object | T, QueryFilter][] =>
    values.map((value) => [value, filterOf(value)]);

  const alertFilters: [object, QueryFilter][] = [
    ...each(severities, (value) => ({ field: 'severity', in: [value] })).map(([severity, filter]): [object, QueryFilter] => [
      { severity },
      filter,
    ]),
    [{ severity: 'critical,low' }, { field: 'severity', in: ['critical', 'low'] }],
    [{ severity: 'critical,high,medium' }, { field: 'severity', compare: '>=', value: 'medium' }],
    ...['new', 'seen'].map((status): [object, QueryFilter] => [{ status }, { field: 'status', in: [status] }]),
    ...alertDispositions.map((disposition): [object, QueryFilter] => [
      { fate: disposition },
      { field: 'disposition', in: [disposition] },
    ]),
    [{ fate: 'shown,suppressed' }, { field: 'disposition', in: ['shown', 'suppressed'] }],
    [{ category: 'Lateral Movement' }, { field: 'category', in: ['Lateral Movement'] }],
    [{ technique: 'T1110' }, { field: 'technique', in: ['Brute Force'] }],
    [{ technique: 'T1110.003' }, { field: 'technique', in: ['t1110.003'] }],
    [{ technique: 'none' }, { field: 'technique', is: false }],
    [{ technique: 'any' }, { field: 'technique', is: true }],
    [{ device: 'ALD-WS-0' }, { field: 'device', in: ['ald-ws-0'] }],
    [{ device: 'ALD-WS-1' }, { field: 'device', in: ['ALD-WS-1'] }],
    [{ user: 'user1' }, { field: 'user', in: ['User1'] }],
    [{ text: '%_sure \\' }, { field: 'text', contains: '%_sure \\' }],
    [{ text: 'spraying' }, { field: 'text', contains: 'SPRAYING' }],
  ];
  test.each(alertFilters)('lists alerts with %j', async (query, where) => {
    const { user } = viewers[who];
    const listed = await world.t.call(alertsApi.list, { params: { client: client(), ...range }, query } as never, user);
    expect(listed.statusCode, listed.body).toBe(200);
    expect(await count(who, { entity: 'alert', where, time })).toBe(listed.json().total);
    if (who === 'host') expect(listed.json().total).toBeGreaterThan(0);
  });

  const days = (from: number, to: number | undefined): QueryFilter => ({
    and: [
      { field: 'age', compare: '>', value: from * 1_440 },
      ...(to === undefined ? [] : [{ field: 'age', compare: '<=' as const, value: to * 1_440 }]),
    ],
  });
  const caseFilters: [object, QueryFilter][] = [
    ...caseStatusValues.map((status): [object, QueryFilter] => [{ status: [status] }, { field: 'status', in: [status] }]),
    ...severities.map((severity): [object, QueryFilter] => [{ severity: [severity] }, { field: 'severity', in: [severity] }]),
    ...judgedVerdicts.map((verdict): [object, QueryFilter] => [{ verdict: [verdict] }, { field: 'verdict', in: [verdict] }]),
    ...caseAgeNames.map((age): [object, QueryFilter] => [{ age }, { field: 'ageBand', in: [age] }]),
    [{ age: 'week' }, days(1, 7)],
    [{ age: 'older' }, days(30, undefined)],
    [{ analyst: [0] }, { field: 'isAssigned', is: false }],
    ...[true, false].flatMap((is): [object, QueryFilter][] => [
      [{ breached: is }, { field: 'isBreached', is }],
      [{ waiting: is }, { field: 'isWaiting', is }],
      [{ excluded: is }, { field: 'isExcluded', is }],
    ]),
    [{ device: 'ALD-WS-0' }, { field: 'device', in: ['ALD-WS-0'] }],
    [{ user: 'user2' }, { field: 'user', in: ['user2'] }],
    [{ text: '50%_off' }, { field: 'text', contains: '50%_off' }],
  ];
  test.each(caseFilters)('lists cases with %j', async (filters, where) => {
    const body = { filters, selectedClientOrganizationID: client(), ...range };
    const listed = await world.t.call(casesApi.list, { body } as never, viewers[who].user);
    expect(listed.statusCode, listed.body).toBe(200);
    expect(await count(who, { entity: 'case', where, time })).toBe(listed.json().total);
    if (who === 'host') expect(listed.json().total).toBeGreaterThan(0);
  });

  test('lists the own cases', async () => {
    const body = { filters: { analyst: [viewers[who].user.id] }, selectedClientOrganizationID: client(), ...range };
    const listed = await world.t.call(casesApi.list, { body } as never, viewers[who].user);
    expect(await count(who, { entity: 'case', where: { field: 'isMine', is: true }, time })).toBe(listed.json().total);
  });

  test('lists devices with each filter', async () => {
    const filters: [object, QueryFilter | undefined][] = [
      [{}, undefined],
      ...deviceTypes.map((type): [object, QueryFilter] => [{ type }, { field: 'type', in: [type] }]),
      ...deviceStates.map((state): [object, QueryFilter] => [{ state }, { field: 'state', in: [state] }]),
      [{ text: 'ws-1' }, { field: 'text', contains: 'WS-1' }],
      // Tags of other clients have the same name.
      [
        { tag },
        {
          and: [
            { field: 'tag', in: ['critical'] },
            { field: 'client', in: ['Alder Manufacturing'] },
          ],
        },
      ],
    ];
    for (const [query, where] of filters) {
      const listed = await world.t.call(
        devicesApi.list,
        { params: { client: client(), ...range }, query } as never,
        viewers[who].user,
      );
      expect(listed.statusCode, listed.body).toBe(200);
      expect(await count(who, { entity: 'device', ...(where && { where }) }), JSON.stringify(query)).toBe(listed.json().total);
    }
  });

  test('counts alerts and cases of a device under all of its names', async () => {
    const params = { client: world.client, name: 'ALD-WS-0' };
    const { openCases } = (await world.t.call(devicesApi.get, { params }, viewers[who].user)).json();
    const device: QueryFilter = { some: 'device', where: { field: 'name', in: ['ALD-WS-0'] } };
    expect(await count(who, { entity: 'case', where: { and: [device, { field: 'isOpen', is: true }] } })).toBe(openCases);
    const listed = await world.t.call(
      alertsApi.list,
      { params: { client: client(), ...range }, query: { device: 'ALD-WS-0' } } as never,
      viewers[who].user,
    );
    expect(await count(who, { entity: 'alert', where: device, time })).toBe(listed.json().total);
  });
});
