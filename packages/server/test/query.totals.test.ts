/** Typed queries against the endpoints of the lists: the same records for each filter, the same values in each column, for each kind of reader. */
import { type RoleHolder, reachOf } from '@parapet/contract/access.ts';
import { agentsApi, collectorKinds, collectorStates } from '@parapet/contract/agents.ts';
import { auditApi } from '@parapet/contract/audit.ts';
import { responseActions, responseStates } from '@parapet/contract/caseDetail.ts';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { eventsApi } from '@parapet/contract/events.ts';
import { mailSubscriptionsApi } from '@parapet/contract/mailSubscriptions.ts';
import { mailStates, outboxApi } from '@parapet/contract/outbox.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import { riskApi } from '@parapet/contract/risk.ts';
import { decisionResultTypes, verdicts } from '@parapet/contract/rules/cases.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { QueryEntity, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import { findingStates, severities } from '@parapet/contract/rules/values.ts';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { roles, usersApi } from '@parapet/contract/users.ts';
import { canSeeInternal } from '@parapet/contract/visibility.ts';
import { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { describe, expect, test } from 'vitest';
import { readScoped } from '../src/core/db/scope.ts';
import { runQuery } from '../src/domain/query/run.ts';
import type { QueryContext } from '../src/domain/query/schema.ts';
import type { TestUser } from './app.ts';
import { queryWorld } from './query.fixture.ts';
import { useFixture } from './use.ts';

const world = useFixture(queryWorld, (fixture) => fixture.t.close());

type Persona = 'host' | 'partnerAdmin' | 'partnerAnalyst' | 'admin' | 'analyst';
const holders: Record<Persona, Omit<RoleHolder, 'organisationId'>> = {
  host: { role: 'Host', isPartner: true },
  partnerAdmin: { role: 'Administrator', isPartner: true },
  partnerAnalyst: { role: 'Partner Analyst', isPartner: true },
  admin: { role: 'Administrator', isPartner: false },
  analyst: { role: 'Analyst', isPartner: false },
};
const staff: Persona[] = ['host', 'partnerAdmin', 'partnerAnalyst'];

function readerOf(persona: Persona): { user: TestUser; context: QueryContext; client: number } {
  const user = world.people[persona];
  const { provider, partner, client, sibling, foreign } = world;
  const viewer = { ...holders[persona], organisationId: user.organisationId };
  const organisationIds = !viewer.isPartner
    ? [client]
    : [...(persona === 'host' ? [provider, foreign] : []), partner, client, sibling];
  return {
    user,
    client: viewer.isPartner ? 0 : client,
    context: {
      scope: { organisationIds, reader: { organisationId: user.organisationId, canSeeInternal: canSeeInternal(viewer) } },
      userId: user.id,
      organisationId: user.organisationId,
      now: Date.now(),
      timeZone: 'Europe/Berlin',
      reach: (permission) => reachOf(viewer, permission),
    },
  };
}

async function answerOf<E extends Endpoint>(persona: Persona, endpoint: E, input: InputOf<E>) {
  const answer = await world.t.call(endpoint, input, readerOf(persona).user);
  expect([endpoint.id, answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([endpoint.id, 200, '']);
  return answer.json() as { total: number; results: Record<string, unknown>[] };
}

async function find(
  persona: Persona,
  entity: QueryEntity,
  where?: QueryFilter,
  more: { show?: string[]; time?: QueryTime } = {},
) {
  const { context } = readerOf(persona);
  return readScoped(world.t.db, context.scope, (tx) =>
    runQuery(tx, { entity, measure: { kind: 'list' }, ...(where && { where }), limit: 200, ...more }, context),
  );
}

const within = (days: number): QueryTime => ({
  start: new Date(world.now - days * dayMs).toISOString(),
  end: new Date(world.now + dayMs).toISOString(),
  label: 'recent',
});
const sorted = (rows: readonly unknown[][]) => rows.map((row) => JSON.stringify(row)).sort();

interface Case {
  filter: Record<string, unknown>;
  where?: QueryFilter;
}
const each = <V extends string>(name: string, values: readonly V[], field = name): Case[] =>
  values.map((value) => ({ filter: { [name]: [value] }, where: { field, in: [value] } }));
const containing = (name: string, texts: readonly string[]): Case[] =>
  texts.map((text) => ({ filter: { [name]: text }, where: { field: 'text', contains: text } }));

/** Same totals for each filter and reader. */
async function compare(
  entity: QueryEntity,
  personas: readonly Persona[],
  cases: readonly Case[],
  totalOf: (persona: Persona, filter: never) => Promise<number>,
) {
  for (const persona of personas) {
    const totals: number[] = [];
    for (const { filter, where } of cases) {
      const expected = await totalOf(persona, filter as never);
      totals.push(expected);
      expect([persona, filter, (await find(persona, entity, where)).total]).toEqual([persona, filter, expected]);
    }
    expect(Math.max(...totals), `${persona} sees rows`).toBeGreaterThan(0);
  }
}

/** Same values of columns, field of the list → attribute. */
async function compareRows(
  entity: QueryEntity,
  persona: Persona,
  rows: readonly Record<string, unknown>[],
  columns: Record<string, string>,
  where?: QueryFilter,
) {
  const { rows: found } = await find(persona, entity, where, { show: Object.values(columns) });
  expect(rows.length).toBeGreaterThan(0);
  expect(sorted(found.map(({ cells }) => Object.values(columns).map((attribute) => cells[attribute] ?? null)))).toEqual(
    sorted(rows.map((row) => Object.keys(columns).map((field) => row[field] ?? null))),
  );
}
const same = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]));

describe('findings', () => {
  const list = (persona: Persona, query: object) =>
    answerOf(persona, vulnerabilitiesApi.list, {
      params: { client: readerOf(persona).client },
      query: { pageSize: 200, ...query } as never,
    });
  const isOpen: QueryFilter = { field: 'state', in: ['open'] };
  const all = { state: [...findingStates] };

  test('match each filter of the list', () =>
    compare(
      'vulnerability',
      [...staff, 'admin', 'analyst'],
      [
        { filter: all },
        ...each('state', findingStates),
        ...each('severity', severities).map(({ filter, where }) => ({ filter, where: { and: [isOpen, where!] } })),
        ...[true, false].map(
          (is): Case => ({ filter: { ...all, exploited: String(is) }, where: { field: 'isKnownExploited', is } }),
        ),
        ...containing('text', ['lib-1', 'C:\\Temp', '50%_off', 'cve-2026-4', 'OLD', 'HOST']).map(({ filter, where }) => ({
          filter: { ...all, ...filter },
          where: where!,
        })),
      ],
      async (persona, filter) => (await list(persona, filter)).total,
    ));

  test('have the values of the list', async () => {
    const { results } = await list('host', all);
    const rows = results.map((row) => ({
      ...row,
      epss: row.epss === null ? null : Number(row.epss) * 100,
      acceptedBy: row.acceptedBy || null,
    }));
    const columns = {
      ...same('cve', 'severity', 'state', 'isKnownExploited', 'priority', 'cvss', 'epss', 'title', 'package', 'ecosystem'),
      ...same('installedVersion', 'fixedVersion', 'source', 'acceptedBy', 'deviceType'),
      clientOrganizationName: 'client',
      deviceName: 'device',
    };
    await compareRows('vulnerability', 'host', rows, columns);
  });
});

test('responses match each filter and value of the list', async () => {
  const list = (persona: Persona, query: object) =>
    answerOf(persona, responseRequestsApi.list, {
      params: { client: readerOf(persona).client, ...within(400) },
      query: { pageSize: 200, ...query } as never,
    });
  const cases = [
    { filter: {} },
    ...each('state', responseStates),
    ...each('action', responseActions),
    ...containing('text', ['target-1', 'ald-dc', '%']),
  ];
  await compare(
    'response',
    [...staff, 'admin', 'analyst'],
    cases,
    async (persona, filter) => (await list(persona, filter)).total,
  );
  const { results } = await list('admin', {});
  const rows = results.map((row) => ({ ...row, requestedBy: row.requestedBy || null }));
  await compareRows('response', 'admin', rows, {
    ...same('action', 'target', 'state', 'via', 'requestedBy', 'approvalsNeeded', 'detail'),
    caseID: 'case',
  });
});

test('reviews match each filter and value of the list', async () => {
  const list = (persona: Persona, filter: object) =>
    answerOf(persona, reviewsApi.list, { body: { filter, page: 1, pageSize: 200 } as never });
  const { start, end } = within(25);
  const cases: Case[] = [
    { filter: {} },
    ...decisionResultTypes.map(({ id, name }) => ({ filter: { decisionIDs: [id] }, where: { field: 'decision', in: [name] } })),
    ...each('verdicts', verdicts, 'verdict'),
    { filter: { analystIDs: [0] }, where: { field: 'isAssigned', is: false } },
    { filter: { analystIDs: [world.people.partnerAnalyst.id] }, where: { field: 'reviewer', is: true } },
    { filter: { start, end }, where: { field: 'caseClosedDate', within: within(25) } },
    ...containing('text', ['100%', '"2"', 'birch']),
  ];
  // Of the partner, one reviewer only; the provider's are shown by their shared name.
  await compare(
    'review',
    ['host', 'partnerAnalyst'],
    cases.filter(({ filter }) => !('analystIDs' in filter) || (filter.analystIDs as number[])[0] === 0),
    async (persona, filter) => (await list(persona, filter)).total,
  );
  expect((await find('partnerAnalyst', 'review', { field: 'isMine', is: true })).total).toBe(
    (await list('partnerAnalyst', { analystIDs: [world.people.partnerAnalyst.id] })).total,
  );
  const { results } = await list('partnerAnalyst', {});
  const rows = results.map((row) => ({
    ...row,
    investigationStatus: String(row.investigationStatus),
    analystName: row.analystName || null,
  }));
  await compareRows('review', 'partnerAnalyst', rows, {
    ...same('title', 'verdict', 'caseStatus', 'investigationStatus', 'notes'),
    caseID: 'case',
    criticality: 'severity',
    statusTypeName: 'decision',
    analystName: 'reviewer',
    confidenceScore: 'confidence',
  });
});

test('suppressions have the rows of the list', async () => {
  const list = (persona: Persona) => answerOf(persona, suppressionsApi.list, { params: { client: 0 }, query: { pageSize: 200 } });
  await compare('suppression', staff, [{ filter: {} }], async (persona) => (await list(persona)).total);
  const columns = {
    ...same('rule', 'reason', 'owner', 'isActive', 'hidden'),
    deviceName: 'device',
    userName: 'user',
    clientOrganizationName: 'client',
  };
  await compareRows('suppression', 'partnerAnalyst', (await list('partnerAnalyst')).results, columns);
  await expect(find('admin', 'suppression')).rejects.toThrow();
});

test('collectors match each filter and value of the list', async () => {
  const list = (persona: Persona, query: object) =>
    answerOf(persona, agentsApi.list, {
      params: { client: readerOf(persona).client },
      query: { pageSize: 200, ...query } as never,
    });
  const cases: Case[] = [
    { filter: {} },
    ...each('kind', collectorKinds),
    ...each('state', collectorStates),
    { filter: { text: 'beat-' }, where: { field: 'device', contains: 'beat-' } },
  ];
  await compare('collector', [...staff, 'analyst'], cases, async (persona, filter) => (await list(persona, filter)).total);
  const { results } = await list('host', {});
  const rows = results.map((row) => ({
    ...row,
    errors: row.kind === 'agent' ? (row.errors as string[]).length : null,
    upgrade: (row.upgrade as { state: string } | null)?.state ?? null,
  }));
  const columns = {
    ...same(
      'kind',
      'version',
      'isOutdated',
      'state',
      'events24h',
      'expected24h',
      'bufferBytes',
      'isBufferFull',
      'isIsolated',
      'upgrade',
      'deviceType',
    ),
  };
  await compareRows('collector', 'host', rows, { ...columns, deviceName: 'device', errors: 'errorCount' });
  expect(new Set(results.map(({ isOutdated }) => isOutdated)).size).toBe(2);
});

test('portal users match each filter and value of the list', async () => {
  const list = (persona: Persona, query: object) =>
    answerOf(persona, usersApi.list, {
      params: { client: readerOf(persona).client },
      query: { pageSize: 200, ...query } as never,
    });
  const isPresent: QueryFilter = { field: 'state', in: ['active', 'invited'] };
  const cases: Case[] = [
    { filter: {}, where: isPresent },
    ...each('state', ['active', 'invited', 'deleted']),
    ...each(
      'role',
      roles.map(({ name }) => name),
    ).map(({ filter, where }) => ({ filter, where: { and: [isPresent, where!] } })),
    ...(['set', 'unset'] as const).map(
      (mfa): Case => ({ filter: { mfa }, where: { and: [isPresent, { field: 'mfaIsSet', is: mfa === 'set' }] } }),
    ),
    ...containing('search', ['o’last', 'person1', '%']).map(({ filter, where }) => ({
      filter,
      where: { and: [isPresent, where!] },
    })),
  ];
  await compare('account', [...staff, 'admin'], cases, async (persona, filter) => (await list(persona, filter)).total);
  const ofOthers = { code: 'forbidden', message: 'You have access to your own portal users only.' };
  await expect(find('analyst', 'account')).rejects.toMatchObject(ofOthers);
  expect((await find('analyst', 'account', { field: 'isMine', is: true })).total).toBe((await list('analyst', {})).total);
  const columns = {
    ...same('role', 'state', 'mfaIsSet'),
    displayName: 'name',
    emailAddress: 'email',
    clientOrganizationName: 'client',
  };
  await compareRows('account', 'partnerAdmin', (await list('partnerAdmin', {})).results, columns, isPresent);
});

test('audit entries match each filter and value of the list', async () => {
  const list = (persona: Persona, query: object) =>
    answerOf(persona, auditApi.list, {
      params: { client: readerOf(persona).client, ...within(1.5) },
      query: { pageSize: 200, ...query } as never,
    });
  const timed: QueryFilter = { field: 'at', within: within(1.5) };
  const cases: Case[] = [
    { filter: {}, where: timed },
    ...each('action', ['user.signedIn', 'call.denied', 'review.decided', 'suppression.created', 'user.mfaReset']).map(
      ({ filter, where }) => ({ filter, where: { and: [timed, where!] } }),
    ),
    ...containing('search', ['target 2', '198.51.100', 'denied']).map(({ filter, where }) => ({
      filter,
      where: { and: [timed, where!] },
    })),
  ];
  await compare(
    'audit',
    ['host', 'partnerAdmin', 'admin'],
    cases,
    async (persona, filter) => (await list(persona, filter)).total,
  );
  for (const persona of ['host', 'partnerAdmin'] as const) {
    const { results } = await list(persona, {});
    const rows = results.map((row) => ({ ...row, actorName: row.actorName || null, actorEmail: row.actorEmail || null }));
    const columns = {
      ...same('action', 'target', 'address', 'actorEmail'),
      actorName: 'actor',
      clientOrganizationName: 'client',
    };
    await compareRows('audit', persona, rows, columns, timed);
  }
  await expect(find('partnerAnalyst', 'audit')).rejects.toThrow();
});

test('emails match each filter and value of the list', async () => {
  const list = (persona: Persona, query: object) =>
    answerOf(persona, outboxApi.list, {
      params: { client: readerOf(persona).client },
      query: { pageSize: 200, ...query } as never,
    });
  const cases = [{ filter: {} }, ...each('state', mailStates), ...containing('search', ['50%', 'second@', 'someone3'])];
  await compare('mail', ['host', 'partnerAdmin', 'admin'], cases, async (persona, filter) => (await list(persona, filter)).total);
  await compareRows('mail', 'admin', (await list('admin', {})).results, same('to', 'subject', 'state', 'error'));
  await expect(find('analyst', 'mail')).rejects.toThrow();
});

test('email subscriptions are those of the list, and the reader’s own for others', async () => {
  const { results } = await answerOf('partnerAdmin', mailSubscriptionsApi.list, { params: { client: 0 } });
  const rows = results.flatMap(({ emailAddress, kinds }) => (kinds as string[]).map((kind) => ({ emailAddress, kind })));
  await compareRows(
    'mailSubscription',
    'partnerAdmin',
    rows,
    { emailAddress: 'email', kind: 'kind' },
    { field: 'isOn', is: true },
  );
  for (const persona of ['partnerAnalyst', 'analyst'] as const) {
    const own = (await world.t.call(mailSubscriptionsApi.mine, {}, readerOf(persona).user)).json() as { kinds: string[] };
    const isOn: QueryFilter = { field: 'isOn', is: true };
    await expect(find(persona, 'mailSubscription', isOn)).rejects.toMatchObject({ code: 'forbidden' });
    const found = await find(persona, 'mailSubscription', { and: [isOn, { field: 'isMine', is: true }] });
    expect(found.rows.map(({ cells }) => cells.kind).sort()).toEqual([...own.kinds].sort());
  }
});

test('events and unprocessed events match the search', async () => {
  const range = within(1);
  const count = async (query: object) =>
    (await answerOf('partnerAnalyst', eventsApi.timeline, { params: { client: 0, ...range }, query: query as never })).total;
  const cases: [object, QueryFilter | undefined][] = [
    [{}, undefined],
    [{ text: 'C:\\Tools\\"1".exe' }, { field: 'text', contains: 'C:\\Tools\\"1".exe' }],
    [{ text: '203.0.113.66' }, { field: 'text', contains: '203.0.113.66' }],
    [{ device: 'ALD-DC-01' }, { field: 'device', in: ['ALD-DC-01'] }],
    [{ user: 'j.moreau' }, { field: 'user', in: ['j.moreau'] }],
  ];
  for (const [query, where] of cases) {
    const expected = await count(query);
    expect(expected).toBeGreaterThan(0);
    expect([query, (await find('partnerAnalyst', 'event', where, { time: range })).total]).toEqual([query, expected]);
  }
  const { total } = await answerOf('partnerAnalyst', eventsApi.keptAside, {
    params: { client: 0, ...within(10) },
    query: { reason: ['not-json'] } as never,
  });
  expect((await find('partnerAnalyst', 'rejected', { field: 'reason', in: ['not-json'] }, { time: within(10) })).total).toBe(
    total,
  );
});

test('tags and risk scores are those of their pages', async () => {
  const { results } = await answerOf('partnerAnalyst', tagsApi.list, { query: { selectedClientOrgID: 0 } });
  await compareRows('tag', 'partnerAnalyst', results, same('name'));
  const { results: clients } = await answerOf('partnerAnalyst', riskApi.clients, {});
  const scored = clients.filter(({ riskScore }) => riskScore !== null);
  await compareRows(
    'risk',
    'partnerAnalyst',
    scored,
    { riskScore: 'riskScore', clientOrganizationName: 'client' },
    { field: 'isCurrent', is: true },
  );
});
