import { accountApi } from '@parapet/contract/account.ts';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { auditApi } from '@parapet/contract/audit.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { clientAccessLogApi } from '@parapet/contract/client-access-log.ts';
import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { eventsApi } from '@parapet/contract/events.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { sensitiveMs, shiftMs } from '@parapet/contract/rules/client-access-log.ts';
import { sapphireApi } from '@parapet/contract/sapphire.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, testApp, useTestApp } from '../../../test/app.ts';
import { seedCase, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';

const range = { start: new Date(Date.now() - 86_400_000).toISOString(), end: new Date(Date.now() + 86_400_000).toISOString() };

const t = useTestApp();
beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
});

type Row = AnswerOf<typeof clientAccessLogApi.list>['results'][number];

async function places() {
  const partner = await t.organisation({ isPartner: true, parentId: 1 });
  const [client, sibling] = [await t.organisation({ parentId: partner }), await t.organisation({ parentId: partner })];
  const user = (organisationId: number, role: string) => t.user({ organisationId, role });
  return {
    partner,
    client,
    sibling,
    analyst: await user(partner, 'Partner Analyst'),
    partnerAdmin: await user(partner, 'Administrator'),
    admin: await user(client, 'Administrator'),
    siblingAdmin: await user(sibling, 'Administrator'),
    soc: await user(1, 'Partner Analyst'),
  };
}

const read = async <E extends Endpoint>(endpoint: E, input: InputOf<E>, user: TestUser) => {
  const answer = await t.call(endpoint, input, user);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer;
};
const log = async (client: number, reader: TestUser, query: object = {}): Promise<Row[]> =>
  (await read(clientAccessLogApi.list, { params: { client, ...range }, query }, reader)).json().results;
/** The log with all accesses of the person: a reason for a view writes them. */
async function logOf(client: number, reader: TestUser, person: TestUser, query: object = {}): Promise<Row[]> {
  await read(clientAccessLogApi.giveReason, { body: { reason: 'triage', view: 'archive' } }, person);
  return log(client, reader, query);
}
const readAlerts = (client: number, user: TestUser) => read(alertsApi.list, { params: { client, ...range } }, user);
/** Moves the entries and the shift of a person back. */
const age = (user: TestUser, ms: number) =>
  scoped(t.db, 'system', async (tx) => {
    const by = sql.lit(ms);
    await sql`update access_shifts set started_at = started_at - ${by} * interval '1 ms', until = until - ${by} * interval '1 ms'
      where user_id = ${user.id}`.execute(tx);
    await sql`update access_looks set first_at = first_at - ${by} * interval '1 ms', last_at = last_at - ${by} * interval '1 ms',
      until = until - ${by} * interval '1 ms' where user_id = ${user.id}`.execute(tx);
  });

describe('staff of provider and partner', () => {
  test('leave one entry a shift in the log of a named client, with person, kinds and count', async () => {
    const { client, analyst, admin, partner } = await places();
    await readAlerts(client, analyst);
    await readAlerts(client, analyst);
    await read(casesApi.list, { body: { selectedClientOrganizationID: client, ...range } }, analyst);
    const [entry] = await logOf(client, admin, analyst);
    expect(entry).toMatchObject({
      clientOrganizationID: client,
      personName: 'Test Partner Analyst',
      personOrganizationName: `Organisation ${partner}`,
      requests: 3,
      view: null,
      kinds: ['alerts', 'cases'],
      channels: ['portal'],
      isOpened: true,
      reason: null,
    });
    expect(Date.parse(entry!.lastAt)).toBeGreaterThanOrEqual(Date.parse(entry!.firstAt));
  });

  test('leave an entry for an object in the log of its client', async () => {
    const { client, sibling, analyst, admin, siblingAdmin } = await places();
    const at = Date.now() - 3_600_000;
    const alerts = [{ at, rule: await seedRule(t.db) }];
    const { id } = await seedCase(t.db, { organisationId: client, at, alerts });
    await read(casesApi.detail, { params: { id, clientOrgId: 0 } }, analyst);
    await read(casesApi.alerts, { params: { caseId: id } }, analyst);
    expect(await logOf(client, admin, analyst)).toMatchObject([{ kinds: ['cases'], isOpened: true }]);
    expect(await log(sibling, siblingAdmin)).toEqual([]);
  });

  test('leave an entry for a list over all clients in the log of each', async () => {
    const { client, sibling, analyst, admin, siblingAdmin, partnerAdmin } = await places();
    await readAlerts(0, analyst);
    for (const [of, reader] of [
      [client, admin],
      [sibling, siblingAdmin],
    ] as const)
      expect(await logOf(of, reader, analyst)).toMatchObject([{ clientOrganizationID: of, isOpened: false, requests: 1 }]);
    expect((await log(0, partnerAdmin)).map((row) => row.clientOrganizationID).sort()).toEqual([client, sibling].sort());
  });

  test('leave entries by files, Sapphire and API keys', async () => {
    const { client, analyst, admin } = await places();
    await read(alertsApi.exportList, { params: { client, ...range } }, analyst);
    await read(
      sapphireApi.chat,
      { body: { clientRequest: 'Show open cases', clientOrganizationID: client, conversationUUID: crypto.randomUUID() } },
      analyst,
    );
    const { key } = (await read(accountApi.createApiKey, { body: { name: 'Script', scopes: ['read'] } }, analyst)).json();
    await readAlerts(client, { ...analyst, token: key });
    expect(await logOf(client, admin, analyst)).toMatchObject([
      { kinds: ['alerts', 'sapphire'], channels: ['apiKey', 'export', 'portal'], requests: 3 },
    ]);
  });

  test('leave entries by their assistants', async () => {
    const { client, analyst, admin } = await places();
    const { key } = (await read(accountApi.createApiKey, { body: { name: 'Assistant', scopes: ['read'] } }, analyst)).json();
    const answer = await t.application.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search_alerts', arguments: { client } },
      },
    });
    expect(answer.body).toContain('untrusted');
    expect(await logOf(client, admin, analyst)).toMatchObject([{ kinds: ['alerts'], channels: ['assistant'], isOpened: true }]);
  });

  test('begin another entry in the next shift', async () => {
    const { client, analyst, admin } = await places();
    await readAlerts(client, analyst);
    expect(await logOf(client, admin, analyst)).toHaveLength(1);
    await age(analyst, shiftMs);
    await read(organisationsApi.details, { params: { id: client } }, analyst);
    expect(await logOf(client, admin, analyst)).toMatchObject([{ kinds: ['settings'] }, { kinds: ['alerts'] }]);
  });

  test('leave no entry when refused, nor do a client’s own people and reads of no client', async () => {
    const { client, analyst, admin, partnerAdmin, siblingAdmin } = await places();
    expect((await t.call(alertsApi.list, { params: { client: 1, ...range } }, analyst)).statusCode).toBe(403);
    await readAlerts(client, admin);
    await read(organisationsApi.getAllClients, {}, analyst);
    // The partner’s own organisation is not another’s.
    await readAlerts(partnerAdmin.organisationId, partnerAdmin);
    await readAlerts(siblingAdmin.organisationId, analyst);
    expect(await logOf(siblingAdmin.organisationId, siblingAdmin, analyst)).toHaveLength(1);
    expect(await log(client, admin)).toEqual([]);
    expect(await log(partnerAdmin.organisationId, partnerAdmin)).toEqual([]);
  });
});

test('writes accesses within seconds', async () => {
  const { client, analyst, admin } = await places();
  await readAlerts(client, analyst);
  await expect.poll(async () => (await log(client, admin)).length, { timeout: 8_000 }).toBe(1);
});

test('writes accesses at a stop', async () => {
  const own = await testApp();
  try {
    const partner = await own.organisation({ isPartner: true });
    const client = await own.organisation({ parentId: partner });
    const analyst = await own.user({ organisationId: partner, role: 'Partner Analyst' });
    expect((await own.call(alertsApi.list, { params: { client, ...range } }, analyst)).statusCode).toBe(200);
    await own.application.close();
    const rows = await scoped(own.db, 'system', (tx) =>
      tx.selectFrom('access_looks').select(['organisation_id', 'user_id', 'looks']).execute(),
    );
    expect(rows).toEqual([{ organisation_id: client, user_id: analyst.id, looks: 1 }]);
  } finally {
    await own.close();
  }
});

describe('a sensitive view', () => {
  const search = (client: number, user: TestUser) => read(eventsApi.search, { params: { client, ...range } }, user);

  test('leaves entries apart, and another one after 15 minutes', async () => {
    const { client, analyst, admin } = await places();
    await readAlerts(client, analyst);
    await search(client, analyst);
    await search(client, analyst);
    expect(new Set((await logOf(client, admin, analyst)).map(({ view, requests }) => `${view} ${requests}`))).toEqual(
      new Set(['null 1', 'events 2']),
    );
    await age(analyst, sensitiveMs);
    await read(usersApi.list, { params: { client } }, analyst);
    await read(eventsApi.fields, { params: { client, ...range } }, analyst);
    const rows = await logOf(client, admin, analyst);
    expect(rows.map(({ view, requests }) => `${view} ${requests}`).sort()).toEqual(['events 1', 'events 2', 'null 1', 'users 1']);
  });

  test('takes a reason of its own, which ends after 15 minutes', async () => {
    const { client, analyst, admin } = await places();
    const missing = async () => (await read(clientAccessLogApi.getReason, {}, analyst)).json().missing;
    await search(client, analyst);
    expect(await missing()).toEqual(['events']);
    await read(
      clientAccessLogApi.giveReason,
      { body: { reason: 'other', text: 'Ticket <b>7</b>', view: 'events', clientOrganizationID: client } },
      analyst,
    );
    expect(await log(client, admin)).toMatchObject([{ view: 'events', reason: 'other', reasonText: 'Ticket <b>7</b>' }]);
    expect(await missing()).toEqual([]);
    await age(analyst, sensitiveMs);
    await read(usersApi.list, { params: { client: 0 } }, analyst);
    expect(await missing()).toEqual(['users']);
    await read(clientAccessLogApi.giveReason, { body: { reason: 'maintenance', view: 'users' } }, analyst);
    expect(await missing()).toEqual([]);
    expect(await log(client, admin, { view: 'users' })).toMatchObject([{ reason: 'maintenance', isOpened: false }]);
    const { results } = (await read(auditApi.list, { params: { client, ...range } }, admin)).json();
    expect(results).toMatchObject([{ action: 'looks.reasonGiven', target: 'events' }, { action: 'events.searched' }]);
  });

  test('takes a reason before the first access, which is no entry until then', async () => {
    const { client, analyst, admin } = await places();
    await read(
      clientAccessLogApi.giveReason,
      { body: { reason: 'triage', view: 'events', clientOrganizationID: client } },
      analyst,
    );
    expect(await log(client, admin)).toEqual([]);
    await search(client, analyst);
    expect(await logOf(client, admin, analyst)).toMatchObject([{ view: 'events', reason: 'triage', requests: 1 }]);
  });
});

describe('the reason of a shift', () => {
  const give = (user: TestUser, reason: 'triage' | 'maintenance') =>
    read(clientAccessLogApi.giveReason, { body: { reason } }, user);

  test('holds for its earlier and later accesses, and another one begins a new shift', async () => {
    const { client, analyst, admin, sibling } = await places();
    await readAlerts(client, analyst);
    await give(analyst, 'triage');
    await read(organisationsApi.details, { params: { id: client } }, analyst);
    await readAlerts(sibling, analyst);
    expect(await logOf(client, admin, analyst)).toMatchObject([{ reason: 'triage', kinds: ['alerts', 'settings'] }]);
    await give(analyst, 'triage');
    await give(analyst, 'maintenance');
    const state = (await read(clientAccessLogApi.getReason, {}, analyst)).json();
    expect(state).toMatchObject({ reason: 'maintenance', missing: [] });
    expect(Date.parse(state.until) - Date.now()).toBeGreaterThan(shiftMs - 60_000);
    await read(casesApi.filters, { params: { client, ...range } }, analyst);
    expect(await logOf(client, admin, analyst)).toMatchObject([
      { reason: 'maintenance', kinds: ['cases'] },
      { reason: 'triage', kinds: ['alerts', 'settings'] },
    ]);
  });

  test('requires text for other, a client in the scope, and staff', async () => {
    const { analyst, admin } = await places();
    expect((await t.call(clientAccessLogApi.giveReason, { body: { reason: 'other', text: ' ' } }, analyst)).statusCode).toBe(400);
    const foreign = { reason: 'triage', view: 'users', clientOrganizationID: 1 } as const;
    expect((await t.call(clientAccessLogApi.giveReason, { body: foreign }, analyst)).statusCode).toBe(403);
    expect((await t.call(clientAccessLogApi.giveReason, { body: { reason: 'triage' } }, admin)).statusCode).toBe(403);
  });
});

describe('looks.list', () => {
  test('shows the provider’s people by their shared name, also in files and filters', async () => {
    const { client, analyst, admin, soc } = await places();
    await readAlerts(client, soc);
    await logOf(client, admin, soc);
    await readAlerts(client, analyst);
    const rows = await logOf(client, admin, analyst);
    expect(rows.map(({ personName, personOrganizationName }) => [personName, personOrganizationName !== '']).sort()).toEqual([
      ['SOC Analyst', false],
      ['Test Partner Analyst', true],
    ]);
    const { people } = (await read(clientAccessLogApi.people, { params: { client, ...range } }, admin)).json();
    expect(people).toEqual([{ id: analyst.id, name: 'Test Partner Analyst', count: 1 }]);
    expect(await log(client, admin, { person: soc.id })).toEqual([]);
    expect(await log(client, admin, { person: analyst.id })).toHaveLength(1);
    const host = await t.user({ organisationId: 1, role: 'Host' });
    expect((await log(client, host)).map(({ personName }) => personName).sort()).toEqual([
      'Test Partner Analyst',
      'Test Partner Analyst',
    ]);
    const { body } = await read(clientAccessLogApi.exportList, { params: { client, ...range } }, admin);
    expect(body).toContain('"SOC Analyst"');
    expect(body.split('\r\n').filter((line) => line.includes('"No reason given"'))).toHaveLength(2);
  });

  test('filters by reason and timeframe, and counts entries without a reason', async () => {
    const { client, analyst, admin, soc } = await places();
    await readAlerts(client, soc);
    await logOf(client, admin, soc);
    await readAlerts(client, analyst);
    await read(clientAccessLogApi.giveReason, { body: { reason: 'triage' } }, analyst);
    await logOf(client, admin, analyst);
    const { total, withoutReason } = (await read(clientAccessLogApi.list, { params: { client, ...range } }, admin)).json();
    expect({ total, withoutReason }).toEqual({ total: 2, withoutReason: 1 });
    expect(await log(client, admin, { reason: 'triage' })).toHaveLength(1);
    expect(await log(client, admin, { reason: 'none' })).toMatchObject([{ personName: 'SOC Analyst' }]);
    expect(await log(client, admin, { reason: 'none,triage' })).toHaveLength(2);
    expect(await log(client, admin, { view: 'events' })).toEqual([]);
    const later = { client, start: range.end, end: new Date(Date.parse(range.end) + 1000).toISOString() };
    expect((await read(clientAccessLogApi.list, { params: later }, admin)).json().total).toBe(0);
  });

  test('returns 403 for other roles, other clients and other partners', async () => {
    const { client, sibling, analyst, admin } = await places();
    const manager = await t.user({ organisationId: client, role: 'Manager' });
    const other = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Administrator' });
    for (const [of, user] of [
      [client, manager],
      [client, analyst],
      [sibling, admin],
      [client, other],
    ] as const)
      for (const endpoint of [clientAccessLogApi.list, clientAccessLogApi.people, clientAccessLogApi.exportList])
        expect((await t.call(endpoint, { params: { client: of, ...range } }, user)).statusCode).toBe(403);
  });
});
