/** Every list with a query in its address: exactly the rows of the query, in the list’s order and pages, within the caller’s scope. */
import type { KeyScope } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { agentsApi } from '@parapet/contract/agents.ts';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { auditApi } from '@parapet/contract/audit.ts';
import { bulkApi } from '@parapet/contract/bulk.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { devicesApi } from '@parapet/contract/devices.ts';
import { eventsApi } from '@parapet/contract/events.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { outboxApi } from '@parapet/contract/outbox.ts';
import { encodeQuery, invalidQueryText } from '@parapet/contract/query.ts';
import { reportsApi } from '@parapet/contract/reports.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { accessFixture, type Person, places, seenBy } from './access.fixture.ts';
import { useFixture } from './use.ts';

const world = useFixture(accessFixture, (fixture) => fixture.t.close());
beforeAll(async () => {
  // Each leaves an entry in the audit log.
  for (const clientOrganizationID of Object.values(places))
    await world.t.call(tagsApi.saveNew, { body: { clientOrganizationID, name: 'Audited' } }, world.users.host);
});

/** A timeframe without any rows: a query replaces it. */
const longAgo = { start: '2020-01-01T00:00:00Z', end: '2020-02-01T00:00:00Z' };
const allTime = { start: '2001-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' };

interface Ask {
  client: number;
  range: typeof allTime;
  page: number;
  pageSize: number;
  query?: string | undefined;
}
type Call = (query: Ask, person: Person) => Promise<LightMyRequestResponse>;
const of = (person: Person) => world.users[person];

const lists: Partial<Record<QueryEntity, Call>> = {
  alert: ({ client, range, ...query }, person) =>
    world.t.call(alertsApi.list, { params: { client, ...range }, query: query as never }, of(person)),
  case: ({ client, range, query, ...page }, person) =>
    world.t.call(
      casesApi.list,
      { body: { selectedClientOrganizationID: client, ...range, ...page, filters: { query } } as never },
      of(person),
    ),
  device: ({ client, range, ...query }, person) =>
    world.t.call(devicesApi.list, { params: { client, ...range }, query: query as never }, of(person)),
  vulnerability: ({ client, range: _, ...query }, person) =>
    world.t.call(vulnerabilitiesApi.list, { params: { client }, query: query as never }, of(person)),
  response: ({ client, range, ...query }, person) =>
    world.t.call(responseRequestsApi.list, { params: { client, ...range }, query: query as never }, of(person)),
  review: ({ client, range: _, query, ...page }, person) =>
    world.t.call(reviewsApi.list, { body: { ...page, filter: { clientOrganizationID: client, query } } }, of(person)),
  suppression: ({ client, range: _, ...query }, person) =>
    world.t.call(suppressionsApi.list, { params: { client }, query }, of(person)),
  collector: ({ client, range: _, ...query }, person) =>
    world.t.call(agentsApi.list, { params: { client }, query: query as never }, of(person)),
  account: ({ client, range: _, ...query }, person) =>
    world.t.call(usersApi.list, { params: { client }, query: query as never }, of(person)),
  audit: ({ client, range, ...query }, person) =>
    world.t.call(auditApi.list, { params: { client, ...range }, query: query as never }, of(person)),
  mail: ({ client, range: _, ...query }, person) =>
    world.t.call(outboxApi.list, { params: { client }, query: query as never }, of(person)),
};
const entities = Object.keys(lists) as QueryEntity[];

interface Listed {
  keys: string[];
  organisations: number[];
  total: number;
}

/** The whole list, read by pages. */
async function read(entity: QueryEntity, person: Person, query: Partial<Ask>, pageSize = 200): Promise<Listed> {
  const listed: Listed = { keys: [], organisations: [], total: 0 };
  for (let page = 1; ; page++) {
    const answer = await lists[entity]!({ client: 0, range: allTime, ...query, page, pageSize }, person);
    expect(answer.statusCode, answer.body).toBe(200);
    const { results, total } = answer.json() as { results: Record<string, unknown>[]; total: number };
    listed.total = total;
    listed.keys.push(...results.map((row) => JSON.stringify([row.uuid ?? row.id ?? row.ID ?? row.deviceUuid, row.agentID])));
    listed.organisations.push(...results.map((row) => Number(row.clientOrganizationID)));
    if (results.length < pageSize) return listed;
  }
}

const queryOf = (entity: QueryEntity, where?: QueryFilter, more: Partial<Query> = {}) =>
  encodeQuery({ entity, measure: { kind: 'list' }, ...(where && { where }), ...more });
const ofClients = (...names: (keyof typeof places)[]): QueryFilter => ({ field: 'client', in: names });

describe.each(entities)('list of %s', (entity) => {
  test('shows exactly the rows of the query, in its own order, in any timeframe', async () => {
    const all = await read(entity, 'host', { query: queryOf(entity) });
    const some = await read(entity, 'host', { query: queryOf(entity, ofClients('client', 'sibling')), range: longAgo });
    const others = await read(entity, 'host', {
      query: queryOf(entity, { not: ofClients('client', 'sibling') }),
      range: longAgo,
    });
    expect(new Set(some.organisations)).toEqual(new Set([places.client, places.sibling]));
    expect(some.total).toBe(some.keys.length);
    expect(some.keys.length + others.keys.length).toBe(all.keys.length);
    expect(some.keys).toEqual(all.keys.filter((_, at) => [10, 11].includes(all.organisations[at]!)));
    expect(others.keys).toEqual(all.keys.filter((_, at) => ![10, 11].includes(all.organisations[at]!)));
  });

  test('pages through them', async () => {
    const query = queryOf(entity, ofClients('client', 'sibling'));
    const [whole, paged] = [await read(entity, 'host', { query }), await read(entity, 'host', { query }, 1)];
    expect(whole.keys.length).toBeGreaterThan(1);
    expect(paged).toEqual(whole);
  });

  test('shows only rows in the caller’s scope', async () => {
    const query = queryOf(entity, { not: ofClients('provider') });
    const foreign = queryOf(entity, ofClients('foreignClient', 'providerClient', 'otherPartner'));
    for (const person of ['partnerAdmin', 'partnerAnalyst'] as const) {
      const answer = await lists[entity]!({ client: 0, range: allTime, page: 1, pageSize: 1 }, person);
      if (answer.statusCode === 403) continue;
      const seen = await read(entity, person, { query });
      expect(seen.organisations.length).toBeGreaterThan(0);
      expect(seen.organisations.filter((id) => !seenBy(person).includes(id))).toEqual([]);
      expect(await read(entity, person, { query: foreign })).toEqual({ keys: [], organisations: [], total: 0 });
    }
  });

  test.each([
    ['another entity', () => queryOf(entity === 'tag' ? 'case' : 'tag')],
    ['an unknown field', () => queryOf(entity, { field: 'nonsense', is: true })],
    ['a comparison that its type lacks', () => queryOf(entity, { field: 'client', compare: '>', value: 1 })],
    ['a damaged text', () => queryOf(entity).slice(0, -3)],
  ])('refuses %s', async (_, query) => {
    const answer = await lists[entity]!({ client: 0, range: allTime, page: 1, pageSize: 1, query: query() }, 'host');
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain(invalidQueryText);
  });
});

const at = { start: '2026-11-02T00:00:00Z', end: '2026-11-03T00:00:00Z', label: '2 November' };
const dayBefore = { ...at, start: '2026-11-01T00:00:00Z', end: '2026-11-02T00:00:00Z' };

test.each(['alert', 'case', 'vulnerability'] as const)('takes the time of a query of %s', async (entity) => {
  const count = async (more: Partial<Query>) =>
    (await read(entity, 'host', { query: queryOf(entity, undefined, more), range: longAgo })).total;
  expect(await count({ time: at })).toBe(Object.keys(places).length);
  expect(await count({ time: dayBefore })).toBe(0);
  expect(await count({ time: at, limit: 2 })).toBe(2);
});

test('combines a query with the filters of the list', async () => {
  const list = (severity: string) =>
    world.t.call(
      casesApi.list,
      {
        body: {
          selectedClientOrganizationID: 0,
          ...allTime,
          filters: { severity: [severity as 'high'], query: queryOf('case', ofClients('client')) },
        },
      },
      world.users.host,
    );
  expect((await list('high')).json().total).toBe(1);
  expect((await list('low')).json().total).toBe(0);
});

test('refuses related records that the caller may not list', async () => {
  const query = queryOf('case', { some: 'review', where: { field: 'client', in: ['client'] } });
  const input = { client: places.client, range: allTime, page: 1, pageSize: 10, query };
  expect((await lists.case!(input, 'partnerAnalyst')).statusCode).toBe(200);
  expect((await lists.case!(input, 'manager')).statusCode).toBe(403);
});

test('refuses related records for which an API key lacks the scope', async () => {
  const keyOf = async (...scopes: KeyScope[]) => {
    const made = await world.t.call(accountApi.createApiKey, { body: { name: 'program', scopes } }, world.users.host);
    return { token: made.json().key as string };
  };
  const read = async (key: { token: string }, entity: 'alert' | 'case', some: QueryEntity) => {
    const query = queryOf(entity, { not: { some } });
    const answer =
      entity === 'alert'
        ? await world.t.call(alertsApi.list, { params: { client: 0, ...allTime }, query: { query } as never }, key)
        : await world.t.call(
            casesApi.list,
            { body: { selectedClientOrganizationID: 0, ...allTime, filters: { query } } as never },
            key,
          );
    return answer.statusCode;
  };
  const [reads, triages] = [await keyOf('read'), await keyOf('read', 'triage')];
  for (const [entity, some] of [
    ['alert', 'suppression'],
    ['case', 'review'],
  ] as const) {
    expect(await read(reads, entity, some), some).toBe(403);
    expect(await read(triages, entity, some), some).toBe(200);
  }
});

test('takes hours in the zone of the query', async () => {
  const total = async (timeZone: string) => {
    const query = queryOf('alert', { field: 'hour', in: [10] }, { timeZone });
    return (await read('alert', 'host', { query })).total;
  };
  expect(await total('UTC')).toBe(Object.keys(places).length);
  expect(await total('Europe/Berlin')).toBe(0);
});

test('exports and changes exactly the rows of the query', async () => {
  const query = queryOf('alert', ofClients('client'));
  const params = { client: 0, ...longAgo };
  const file = await world.t.call(alertsApi.exportList, { params, query: { query } as never }, world.users.host);
  expect(file.body.trim().split('\n').slice(1)).toHaveLength(1);
  const cases = await world.t.call(
    casesApi.exportList,
    { params, query: { query: queryOf('case', ofClients('client', 'sibling')) } as never },
    world.users.host,
  );
  expect(cases.body.trim().split('\n').slice(1)).toHaveLength(2);
  const users = await world.t.call(
    usersApi.exportList,
    { params: { client: 0 }, query: { query: queryOf('account', ofClients('client')) } as never },
    world.users.host,
  );
  const listed = await read('account', 'host', { query: queryOf('account', ofClients('client')) });
  expect(users.body.trim().split('\n').slice(1)).toHaveLength(listed.total);
  const job = await world.t.call(
    bulkApi.alerts,
    { body: { which: { filters: { query }, selectedClientOrganizationID: 0, ...longAgo }, change: { do: 'seen' } } as never },
    world.users.host,
  );
  expect(job.json().total).toBe(1);
});

test('lists the report schedules of a query', async () => {
  const read = async (name: keyof typeof places) => {
    const query = { query: queryOf('report', ofClients(name)) };
    const answer = await world.t.call(reportsApi.listSchedules, { params: { client: places.client }, query }, world.users.host);
    return answer.json().total;
  };
  expect([await read('client'), await read('sibling')]).toEqual([1, 0]);
});

test('searches the events of a query', async () => {
  const key = await world.t.ingestKey(places.client);
  const now = new Date().toISOString();
  const event = (name: string) => ({ '@timestamp': now, message: 'sign-in', host: { name } });
  await world.t.send(key, [event('srv-1'), event('srv-2')]);
  const range = { start: new Date(Date.now() - 3_600_000).toISOString(), end: new Date(Date.now() + 3_600_000).toISOString() };
  const read = async (person: Person, names: string[], client: number) => {
    const query = { query: queryOf('event', { field: 'device', in: names }) } as never;
    const answer = await world.t.call(eventsApi.search, { params: { client, ...range }, query }, world.users[person]);
    const bars = await world.t.call(eventsApi.timeline, { params: { client, ...range }, query }, world.users[person]);
    return [answer.json().results.map((row: { deviceName: string }) => row.deviceName), bars.json().total];
  };
  expect(await read('host', ['srv-2'], places.client)).toEqual([['srv-2'], 1]);
  expect(await read('host', ['srv-2'], places.sibling)).toEqual([[], 0]);
  expect(await read('host', ['srv-9'], 0)).toEqual([[], 0]);
});

test('lists the unprocessed events of a query, in any timeframe', async () => {
  await scoped(world.t.db, 'system', (tx) =>
    tx
      .insertInto('dead_letters')
      .values(
        ['not-json', 'too-large', 'too-large'].map((reason) => ({
          organisation_id: places.client,
          received_at: new Date('2026-11-02T10:00:00Z'),
          step: 'parse',
          reason,
          raw: reason,
        })),
      )
      .execute(),
  );
  const read = async (person: Person, client: number, query: string) => {
    const answer = await world.t.call(
      eventsApi.keptAside,
      { params: { client, ...longAgo }, query: { query } as never },
      world.users[person],
    );
    expect(answer.statusCode, answer.body).toBe(200);
    const { results, total, reasons } = answer.json();
    return [results.map(({ reason }: { reason: string }) => reason), total, reasons.length];
  };
  const large = queryOf('rejected', { field: 'reason', in: ['too-large'] }, { time: at });
  expect(await read('host', 0, large)).toEqual([['too-large', 'too-large'], 2, 1]);
  expect(await read('host', places.sibling, large)).toEqual([[], 0, 0]);
  expect(await read('host', 0, queryOf('rejected', undefined, { time: dayBefore }))).toEqual([[], 0, 0]);
  const { body } = await world.t.call(
    eventsApi.keptAside,
    { params: { client: 0, ...longAgo }, query: { query: queryOf('event') } as never },
    world.users.host,
  );
  expect(body).toContain(invalidQueryText);
});

test('lists the clients of a query in the caller’s scope', async () => {
  const read = async (person: Person, where: QueryFilter) => {
    const answer = await world.t.call(
      organisationsApi.getAllClients,
      { query: { query: queryOf('client', where) } as never },
      world.users[person],
    );
    return answer.statusCode === 200 ? answer.json().results.map(({ id }: { id: number }) => id) : answer.statusCode;
  };
  const two: QueryFilter = { field: 'name', in: ['client', 'foreignClient'] };
  expect(await read('host', two)).toEqual([places.client, places.foreignClient]);
  expect(await read('partnerAdmin', two)).toEqual([places.client]);
  expect(await read('partnerAdmin', { field: 'name', is: false })).toEqual([]);
  expect(await read('partnerAnalyst', { some: 'audit' })).toBe(403);
  expect(await read('clientAdmin', two)).toBe(403);
});
