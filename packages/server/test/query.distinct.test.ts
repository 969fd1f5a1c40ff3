/** Numbers of different records against SQL: over merged devices, equal names of two clients, many values of one record, groups and their links. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { devicesApi } from '@parapet/contract/devices.ts';
import type { Query, QueryEntity } from '@parapet/contract/rules/query.ts';
import { resolveTimeframe } from '@parapet/contract/rules/timeframe.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import { checkQuery } from '../src/domain/query/check.ts';
import { runQuery } from '../src/domain/query/run.ts';
import type { QueryContext } from '../src/domain/query/schema.ts';
import { queryWorld } from './query.fixture.ts';
import { seedAlerts, seedRule } from './seed.ts';

let world: Awaited<ReturnType<typeof queryWorld>>;
let context: QueryContext;
beforeAll(async () => {
  world = await queryWorld();
}, 120_000);
beforeAll(async () => {
  const { t, client, sibling, now } = world;
  context = {
    scope: { organisationIds: [world.partner, client, sibling], reader: { organisationId: world.partner, canSeeInternal: true } },
    userId: world.people.partnerAnalyst.id,
    organisationId: world.partner,
    now,
    timeZone: 'UTC',
    reach: () => 'scope' as never,
  };
  const spray = await seedRule(t.db, { title: 'Spraying', criticality: 4 }, { techniques: ['T1110.003', 'T1078'] });
  const host = { agent_version: null, agent_updated_at: null, last_event_at: null, device_type: 'server' } as const;
  for (const organisation_id of [client, sibling])
    await scoped(t.db, 'system', async (tx) => {
      const { id } = await tx
        .insertInto('devices')
        .values({ ...host, organisation_id, name: 'TWIN-1' })
        .returning('id')
        .executeTakeFirstOrThrow();
      await tx
        .insertInto('devices')
        .values({ ...host, organisation_id, name: 'twin-old', merged_into: id, merged_at: new Date() })
        .execute();
    });
  const at = now - 60_000;
  // Two names of one device, another user in other letters, and the same names at the other client.
  for (const [organisation, devices] of [
    [client, ['TWIN-1', 'twin-old', 'ALD-DC-01']],
    [sibling, ['TWIN-1']],
  ] as const)
    await seedAlerts(t.db, organisation, [
      ...devices.map((device, index) => ({ at: at - index, rule: spray, device, user: index === 1 ? 'ANN' : 'ann' })),
      { at: at - 10, rule: spray, device: null, user: null },
    ]);
});
afterAll(() => world.t.close());

const run = (query: Partial<Query> & { entity: QueryEntity }) =>
  readScoped(world.t.db, context.scope, (tx) => runQuery(tx, { measure: { kind: 'count' }, ...query }, context));
const truth = async <T>(statement: ReturnType<typeof sql<T>>) =>
  (await scoped(world.t.db, 'system', (tx) => statement.execute(tx))).rows;
const distinct = (field: string) => ({ kind: 'count', distinct: field }) as const;
const spraying = { field: 'rule', in: ['Spraying'] };

test('counts the devices, users and clients of alerts once', async () => {
  for (const [field, expected] of [
    ['device', 3],
    ['user', 2],
    ['client', 2],
    ['rule', 1],
    ['technique', 2],
  ] as const)
    expect([field, await run({ entity: 'alert', measure: distinct(field), where: spraying })]).toMatchObject([
      field,
      { total: 6, value: expected },
    ]);
});

test('counts vulnerabilities by device and devices by vulnerability as SQL does', async () => {
  const own = sql`from findings f join devices d on d.id = f.device_id
    where f.organisation_id = any(${[world.client, world.sibling]}::integer[]) and not f.is_repeated`;
  const [all] = await truth(sql<{ n: number }>`select count(distinct f.cve)::integer as n ${own}`);
  expect((await run({ entity: 'vulnerability', measure: distinct('cve') })).value).toBe(all!.n);
  const byCve = await truth(
    sql<{ cve: string; n: number }>`select f.cve, count(distinct coalesce(d.merged_into, d.id))::integer as n ${own} group by 1`,
  );
  const { groups } = await run({ entity: 'vulnerability', measure: distinct('device'), groupBy: ['cve'] });
  expect(new Map(groups!.map(({ keys, value }) => [keys[0], value]))).toEqual(new Map(byCve.map(({ cve, n }) => [cve, n])));
});

test('orders, limits and bounds groups by the number of different values', async () => {
  const query = { entity: 'alert', measure: distinct('device'), groupBy: ['rule'] } as const;
  const first = await run({ ...query, groupBy: ['rule'], orderBy: { field: 'count', isAscending: false }, limit: 1 });
  expect(first.groups).toEqual([{ keys: ['Spraying'], value: 3 }]);
  const { groups } = await run({ ...query, groupBy: ['rule'], having: { compare: '>', value: 2 } });
  expect(groups).toEqual([{ keys: ['Spraying'], value: 3 }]);
});

test('compares with another time and with the mean of clients', async () => {
  const before = { start: '2020-01-01T00:00:00.000Z', end: '2020-02-01T00:00:00.000Z', label: 'January 2020' };
  const measure = distinct('device');
  expect(await run({ entity: 'alert', measure, where: spraying, against: { time: before } })).toMatchObject({
    value: 3,
    against: { total: 0, value: 0 },
  });
  // Two devices at one client and one at the other.
  expect((await run({ entity: 'alert', measure, where: spraying, against: { average: 'client' } })).against).toEqual({
    total: 2,
    value: 1.5,
  });
});

test('finds faults of attributes that have no different values', () => {
  const fault = (field: string) => checkQuery({ entity: 'case', measure: distinct(field) });
  expect(fault('device')).toBeUndefined();
  expect(fault('analyst')).toBeUndefined();
  expect(fault('createdTime')).toContain('are not counted');
  expect(fault('nothing')).toContain('have no attribute');
});

test('counts people for a reader who may see their names, and for no other', async () => {
  const query: Query = { entity: 'case', measure: distinct('closedBy') };
  const { host, partnerAnalyst } = world.people;
  // The portal closed the others itself.
  for (const [person, name, rest] of [
    [host, 'Ann Host', 0],
    [partnerAnalyst, 'Ben Partner', 1],
  ] as const)
    await truth(
      sql`update cases set closed_by = ${person.id}, closed_by_name = ${name} where closed_at is not null and id % 3 = ${rest}`,
    );
  const [own] = await truth(sql<{
    n: number;
    all: number;
  }>`select count(distinct closed_by)::integer as n, count(*)::integer as all
    from cases where organisation_id = any(${[world.client, world.sibling]}::integer[])`);
  const provider: QueryContext = {
    ...context,
    scope: { ...(context.scope as object), reader: { organisationId: 1, canSeeInternal: true } } as never,
  };
  const counted = await readScoped(world.t.db, provider.scope, (tx) => runQuery(tx, query, provider));
  expect(own!.n).toBe(2);
  expect(counted).toMatchObject({ value: own!.n, total: own!.all });
  await expect(run(query)).rejects.toThrow('People whose names you may not see');
});

test('divides by all clients and devices that the records can belong to', async () => {
  const [{ alerts, devices, clients }] = (await truth(sql<{ alerts: number; devices: number; clients: number }>`select
    (select count(*)::integer from alerts where organisation_id = any(${[world.client, world.sibling]}::integer[])) as alerts,
    (select count(*)::integer from devices where organisation_id = ${world.client} and merged_into is null) as devices,
    (select count(*)::integer from organisations where id = any(${[world.client, world.sibling]}::integer[])) as clients`)) as [
    { alerts: number; devices: number; clients: number },
  ];
  expect(await run({ entity: 'alert', measure: { kind: 'count', per: 'client' } })).toMatchObject({
    total: alerts,
    part: clients,
    value: alerts / clients,
  });
  const [{ name }] = (await truth(sql<{ name: string }>`select name from organisations where id = ${world.client}`)) as [
    { name: string },
  ];
  const where = { field: 'client', in: [name] };
  const ofDevices = await run({ entity: 'alert', measure: { kind: 'count', per: 'device' }, where });
  expect(ofDevices).toMatchObject({ part: devices, value: ofDevices.total / devices });
  expect(checkQuery({ entity: 'case', measure: { kind: 'count', per: 'device' } })).toContain('needs a time');
});

describe('answers', () => {
  const answerTo = (question: string) => world.ask(world.people.partnerAnalyst, question);
  const rowsBehind = async (path: string) => {
    const url = new URL(path, 'http://portal');
    const [, , page, client] = url.pathname.split('/');
    const query = { query: url.searchParams.get('query') ?? '' } as never;
    const range = resolveTimeframe('allTime', Date.now(), 'UTC');
    const params = { client: Number(client), ...range };
    const answer =
      page === 'alerts'
        ? await world.t.call(alertsApi.list, { params, query }, world.people.partnerAnalyst)
        : await world.t.call(devicesApi.list, { params, query }, world.people.partnerAnalyst);
    expect([path, answer.statusCode, answer.body]).toEqual([path, 200, expect.any(String)]);
    return answer.json().total;
  };

  test('link the devices that are counted, and the alerts in which they occur', async () => {
    const { sapphireEndpointResponse: text, sources } = await answerTo('which rule fired on the most hosts');
    expect(text.split('\n')[0]).toBe('Different devices of alerts, by rule, most first, the first only: Spraying (3 devices).');
    expect(sources[0]!.text).toBe('3 devices');
    expect(await rowsBehind(sources[0]!.path)).toBe(3);
  });

  test('word a mean number of each client', async () => {
    const { sapphireEndpointResponse: text } = await answerTo('average alerts per client');
    expect(text.split('\n')[0]).toMatch(/^Mean number of alerts per client: [\d.]+ \(\d+ over 2 clients\)\.$/);
  });

  test('state that no list has exactly the values that are counted', async () => {
    const { sapphireEndpointResponse: text } = await answerTo('how many distinct cves do we have open');
    expect(text).toMatch(/^Different CVEs of findings with state open: \d+ CVEs in \d+ findings\./);
    expect(text).toContain('No page of the portal lists exactly these CVEs; the link opens the findings that they occur in.');
    const { sapphireEndpointResponse: users } = await answerTo('which rule had the most different users');
    expect(users).toContain('No page of the portal lists exactly these users');
  });
});
