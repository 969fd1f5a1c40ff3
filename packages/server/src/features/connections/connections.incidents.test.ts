/** Calls about incidents: mode of a connection and incidents of a case. The exchange itself: test/incidents.test.ts. */
import { accountApi } from '@parapet/contract/account.ts';
import { connectionsApi, type IncidentMode } from '@parapet/contract/connections.ts';
import { startDefenderXdr } from '@parapet/world/vendors/defenderxdr.ts';
import { startOkta } from '@parapet/world/vendors/okta.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { seedCase } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { listCaseIncidents } from './connections.incidents.people.ts';

let t: TestApp;
let xdr: Vendor;
let okta: Vendor;
let client: number;
let sibling: number;
let admin: TestUser;
let manager: TestUser;
let analyst: TestUser;
let partnerAdmin: TestUser;
let stranger: TestUser;
let number = 0;

beforeAll(async () => {
  [xdr, okta] = await Promise.all([startDefenderXdr(), startOkta()]);
  t = await testApp({ CONNECTION_ORIGINS: `${xdr.url},${okta.url}` });
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  manager = await t.user({ organisationId: client, role: 'Manager' });
  analyst = await t.user({ organisationId: partner, role: 'Analyst' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
});
afterAll(async () => {
  await t.close();
  await Promise.all([xdr.close(), okta.close()]);
});

type Caller = Pick<TestUser, 'token'>;
const add = (more: { vendor?: Vendor; incidentMode?: IncidentMode } = {}, user: Caller = admin) => {
  const { vendor = xdr, incidentMode } = more;
  const body = { kind: vendor.kind, name: `XDR ${++number}`, values: vendor.values, ...(incidentMode && { incidentMode }) };
  return t.call(connectionsApi.create, { params: { client }, body }, user);
};
const addOne = async (): Promise<number> => (await add()).json().id;
const setMode = (connection: number, incidentMode: string, user: Caller = admin, of = client) =>
  t.call(connectionsApi.setIncidentMode, { params: { client: of, connection }, body: { incidentMode } as never }, user);
const shown = async (id: number) => {
  const { results } = (await t.call(connectionsApi.list, { params: { client } }, manager)).json();
  return results.find((each: { id: number }) => each.id === id);
};
const auditOf = (id: number) =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('audit').select(['action', 'before', 'after']).where('target', '=', String(id)).orderBy('id').execute(),
  );
const keyOf = async (user: TestUser) => {
  const created = await t.call(accountApi.createApiKey, { body: { name: `Shipper ${++number}`, scopes: ['ingest'] } }, user);
  return { token: created.json<{ key: string }>().key };
};

describe('mode of a connection', () => {
  test('shows incidents only, until a person chooses another mode, audited once', async () => {
    const id = await addOne();
    expect(await shown(id)).toMatchObject({ incidentMode: 'read', incidentError: null });
    expect((await setMode(id, 'both')).statusCode).toBe(200);
    expect((await setMode(id, 'both')).statusCode).toBe(200);
    expect(await shown(id)).toMatchObject({ incidentMode: 'both' });
    expect(await auditOf(id)).toEqual([
      expect.objectContaining({ action: 'connection.created' }),
      { action: 'connection.incidentModeChanged', before: { incidentMode: 'read' }, after: { incidentMode: 'both' } },
    ]);
  });

  test('takes the mode of a new connection, with an audit entry', async () => {
    const { id, incidentMode } = (await add({ incidentMode: 'both' })).json();
    expect(incidentMode).toBe('both');
    const [created] = await auditOf(id);
    expect(created?.after).toMatchObject({ incidentMode: 'both' });
  });

  test('lets a key stop changes, but not allow them', async () => {
    const key = await keyOf(admin);
    const id: number = (await add({ incidentMode: 'both' })).json().id;
    for (const refused of [await add({ incidentMode: 'send' }, key), await setMode(id, 'send', key)])
      expect([refused.statusCode, refused.json().error]).toEqual([403, expect.stringContaining('not an API key')]);
    expect((await add({}, key)).statusCode).toBe(200);
    expect((await setMode(id, 'read', key)).statusCode).toBe(200);
    expect(await shown(id)).toMatchObject({ incidentMode: 'read' });
  });

  test('returns 400 for a kind without incidents and for an unknown mode', async () => {
    const added = await add({ vendor: okta, incidentMode: 'both' });
    expect([added.statusCode, Object.keys(added.json().errors)]).toEqual([400, ['incidentMode']]);
    const { id, incidentMode } = (await add({ vendor: okta })).json();
    expect(incidentMode).toBeNull();
    expect((await setMode(id, 'read')).statusCode).toBe(400);
    expect((await setMode(await addOne(), '<b>both</b>')).statusCode).toBe(400);
  });

  test('returns 401, 403 and 404 to others, and changes nothing', async () => {
    const id = await addOne();
    const anonymous = { params: { client, connection: id }, body: { incidentMode: 'both' } } as const;
    expect((await t.call(connectionsApi.setIncidentMode, anonymous)).statusCode).toBe(401);
    expect((await setMode(id, 'both', manager)).statusCode).toBe(403);
    expect((await setMode(id, 'both', analyst)).statusCode).toBe(403);
    expect((await setMode(id, 'both', stranger)).statusCode).toBe(403);
    expect((await setMode(id, 'both', stranger, stranger.organisationId)).statusCode).toBe(404);
    expect((await setMode(id, 'both', partnerAdmin, sibling)).statusCode).toBe(404);
    expect((await setMode(2_000_000_000, 'both')).statusCode).toBe(404);
    expect(await shown(id)).toMatchObject({ incidentMode: 'read' });
  });
});

describe('incidents of a case', () => {
  /** A case whose alert belongs to an incident, as the exchange stored it. */
  async function linked(more: Record<string, unknown> = {}): Promise<number> {
    const connectionId = await addOne();
    const { id: caseId, alerts } = await seedCase(t.db, { organisationId: client });
    await scoped(t.db, 'system', async (tx) => {
      const { id } = await tx
        .insertInto('incidents')
        .values({
          organisation_id: client,
          connection_id: connectionId,
          kind: 'incident',
          vendor_id: String(++number),
          title: 'Initial access incident',
          url: 'https://security.microsoft.com/incidents/1',
          status: 'inProgress',
          read_at: new Date(),
          ...more,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const link = { alert_id: alerts[0]!.id, alert_at: new Date(alerts[0]!.at) };
      await tx
        .insertInto('incident_alerts')
        .values({ incident_id: id, organisation_id: client, ...link })
        .execute();
    });
    return caseId;
  }
  const incidentsOf = (caseId: number, user?: Caller) => t.call(connectionsApi.caseIncidents, { params: { caseId } }, user);

  test('shows link, status, classification and owner to everyone who reads the case', async () => {
    const caseId = await linked({ classification: 'falsePositive', determination: 'notMalicious', assigned_to: 'Ana' });
    for (const user of [manager, analyst, partnerAdmin])
      expect((await incidentsOf(caseId, user)).json()).toMatchObject({
        total: 1,
        results: [
          {
            link: 'https://security.microsoft.com/incidents/1',
            product: 'Microsoft Defender XDR',
            incidentMode: 'read',
            status: 'inProgress',
            isClosed: false,
            classification: 'False positive, not malicious',
            assignedTo: 'Ana',
          },
        ],
      });
  });

  test('lists nothing without an incident, and leaves out one that was merged', async () => {
    const { id } = await seedCase(t.db, { organisationId: client });
    expect((await incidentsOf(id, manager)).json()).toEqual({ results: [], total: 0 });
    expect((await incidentsOf(await linked({ merged_into: '7' }), manager)).json().total).toBe(0);
  });

  test('returns hostile text as text, and no link without an address', async () => {
    const title = `<img src=x onerror=alert(1)>\u202e'; drop table incidents; --`;
    const caseId = await linked({ title, url: '', status: title, assigned_to: title, conflict: title, error: title });
    const [incident] = (await incidentsOf(caseId, manager)).json().results;
    expect(incident).toMatchObject({ title, status: title, assignedTo: title, conflict: title, error: title, link: null });
  });

  test('returns 401 to anonymous callers, and 404 for a case of others or none', async () => {
    const caseId = await linked();
    expect((await incidentsOf(caseId)).statusCode).toBe(401);
    expect((await incidentsOf(caseId, stranger)).statusCode).toBe(404);
    expect((await incidentsOf(2_000_000_000, manager)).statusCode).toBe(404);
  });

  test('enforces row-level security when a store omits its scope', async () => {
    const caseId = await linked();
    const of = (organisationId: number) =>
      scoped(t.db, { organisationIds: [organisationId] }, (tx) => listCaseIncidents(tx, 'system', caseId, 10));
    expect(await of(stranger.organisationId)).toEqual([]);
    expect(await of(client)).toHaveLength(1);
  });
});
