/** Creation, move, deactivation and reactivation of organisations, with their effects. */

import { connect } from 'node:net';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { authApi } from '@parapet/contract/auth.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseWith, type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { seedAlerts, seedRule } from '../../../test/seed.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { publish } from '../../core/bus.ts';
import { scoped } from '../../core/db/scope.ts';
import { lockOrganisations } from './organisations.store.ts';

const metricsToken = 'a token of the tests';
let t: TestApp;
let host: TestUser;
let providerAdmin: TestUser;
let partner: number;
let otherPartner: number;
let partnerAdmin: TestUser;
let partnerHost: TestUser;
let otherAdmin: TestUser;
const syslogOrganisation = 3001;

beforeAll(async () => {
  t = await testApp(
    { SYSLOG: `0=${syslogOrganisation}`, SYSLOG_HOST: '127.0.0.1', METRICS_TOKEN: metricsToken },
    await databaseWith(syslogOrganisation),
  );
  await t.organisation({ id: 1, isPartner: true, name: 'Watch' });
  host = await t.user({ organisationId: 1, role: 'Host' });
  providerAdmin = await t.user({ organisationId: 1, role: 'Administrator' });
  partner = await t.organisation({ isPartner: true, parentId: 1, name: 'Quay' });
  otherPartner = await t.organisation({ isPartner: true, parentId: 1, name: 'Ridge' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  partnerHost = await t.user({ organisationId: partner, role: 'Host' });
  otherAdmin = await t.user({ organisationId: otherPartner, role: 'Administrator' });
});
afterAll(() => t.close());

const general = (name: string) => ({
  name,
  phoneNumber: '',
  emailAddress: '',
  websiteURL: '',
  industry: '',
  addressData: { street: '', suite: '', city: '', state: '', zipCode: '' },
  subscriptionLevelID: 1,
});
const create = (user: TestUser | undefined, name: string, partnerClientOrgID: number, more: object = {}) =>
  t.call(organisationsApi.create, { body: { general: general(name), isPartner: false, partnerClientOrgID, ...more } }, user);
const act = (what: 'deactivate' | 'reactivate', id: number, user?: TestUser) =>
  t.call(organisationsApi[what], { params: { id } }, user);
const move = (id: number, partnerClientOrgID: number, user?: TestUser) =>
  t.call(organisationsApi.move, { params: { id }, body: { partnerClientOrgID } }, user);
const idsOf = async (user: TestUser): Promise<number[]> =>
  (await t.call(organisationsApi.getAllClients, {}, user)).json().results.map(({ id }: { id: number }) => id);
const canRead = async (user: TestUser, id: number) =>
  (await t.call(organisationsApi.details, { params: { id } }, user)).statusCode;
const auditOf = (organisationId: number) =>
  scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('action', 'like', 'organisation.%')
      .orderBy('id')
      .execute(),
  );
const organisationCount = () =>
  scoped(t.db, 'system', async (tx) => (await tx.selectFrom('organisations').select('id').execute()).length);

describe('create', () => {
  test('creates a client by its partner’s administrator, in scope immediately, with MFA required', async () => {
    const answer = await create(partnerAdmin, 'Elm', partner);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      isPartner: false,
      partnerClientOrgID: partner,
      partnerName: 'Quay',
      general: { name: 'Elm' },
      signInPolicy: { isMfaCompulsory: true },
      branding: null,
    });
    const { id } = answer.json();
    expect(await idsOf(partnerAdmin)).toContain(id);
    expect(await idsOf(otherAdmin)).not.toContain(id);
    expect(await auditOf(id)).toMatchObject([{ action: 'organisation.created', actor_user_id: partnerAdmin.id }]);
  });

  test('creates a partner by the provider’s Host, with a requested or derived sub-domain', async () => {
    const requested = await create(host, 'Pier Ltd', 1, { isPartner: true, subDomain: 'pier' });
    expect(requested.json()).toMatchObject({ isPartner: true, branding: { partnerName: 'Pier Ltd', subDomain: 'pier' } });
    const made = await Promise.all(['Dock & Söhne', 'Dock  Sohne'].map((name) => create(host, name, 1, { isPartner: true })));
    expect(made.map((answer) => answer.json().branding.subDomain).sort()).toEqual(['dock-sohne', 'dock-sohne-2']);
    expect((await create(host, 'WWW', 1, { isPartner: true })).json().branding.subDomain).toBe('www-2');
    expect((await create(host, 'Other', 1, { isPartner: true, subDomain: 'pier' })).statusCode).toBe(409);
    expect((await create(host, 'Other', 1, { isPartner: true, subDomain: 'admin' })).statusCode).toBe(400);
  });

  test('refuses all other callers and stores nothing', async () => {
    const client = (await create(partnerAdmin, 'Fir', partner)).json().id;
    const clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
    const analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
    const before = await organisationCount();
    const tries: [TestUser | undefined, number, object, number][] = [
      [undefined, partner, {}, 401],
      [clientAdmin, client, {}, 403],
      [clientAdmin, partner, {}, 403],
      [analyst, partner, {}, 403],
      [partnerAdmin, otherPartner, {}, 403],
      [partnerAdmin, 1, {}, 403],
      [partnerAdmin, 0, {}, 400],
      [partnerAdmin, 999_999, {}, 403],
      [partnerAdmin, client, {}, 400],
      [partnerAdmin, partner, { subDomain: 'fir' }, 400],
      [partnerAdmin, partner, { isPartner: true }, 403],
      [partnerHost, partner, { isPartner: true }, 403],
      [partnerHost, 1, { isPartner: true }, 403],
      [providerAdmin, 1, { isPartner: true }, 403],
      [host, partner, { isPartner: true }, 400],
    ];
    for (const [user, under, more, status] of tries)
      expect([user?.email, under, (await create(user, 'Refused', under, more)).statusCode]).toEqual([user?.email, under, status]);
    expect(await organisationCount()).toBe(before);
  });
});

describe('move', () => {
  test('keeps users, data and keys; the old partner loses access from its next request', async () => {
    const client = (await create(partnerAdmin, 'Moving', partner)).json().id;
    const clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
    const key = await t.ingestKey(client);
    await scoped(t.db, 'system', async (tx) => {
      await tx
        .insertInto('identity_providers')
        .values({ organisation_id: partner, issuer: 'https://login.quay.example', client_id: 'x', client_secret: null })
        .execute();
      await tx
        .insertInto('user_identities')
        .values(
          ['https://login.quay.example/', 'https://login.watch.example'].map((issuer) => ({
            issuer,
            subject: 'moving',
            organisation_id: client,
            user_id: clientAdmin.id,
          })),
        )
        .execute();
    });
    const invited = await t.call(
      usersApi.create,
      {
        body: {
          firstName: 'Ada',
          lastName: 'Byron',
          emailAddress: `invited${client}@acme.example`,
          UserRoleID: 2,
          clientOrganizationID: client,
          sendInvitation: true,
        },
      },
      partnerAdmin,
    );
    expect(invited.statusCode).toBe(200);
    const links = () =>
      scoped(t.db, 'system', (tx) =>
        tx.selectFrom('one_time_links').select('kind').where('organisation_id', '=', client).execute(),
      );
    expect(await links()).toEqual([{ kind: 'invitation' }]);
    expect([await canRead(partnerAdmin, client), await canRead(otherAdmin, client)]).toEqual([200, 403]);

    // Live streams of both partners over real connections; the new one starts with its access.
    const address = await t.application.app.listen({ port: 0, host: '127.0.0.1' });
    const closing = new AbortController();
    const follow = async (user: TestUser) => {
      const path = alertsApi.live.path.replace(':client', String(client));
      const stream = await fetch(`${address}${alertsApi.live.prefix}${path}`, {
        headers: { authorization: `Bearer ${user.token}` },
        signal: closing.signal,
      });
      expect(stream.status).toBe(200);
      const seen = { text: '' };
      void (async () => {
        for await (const chunk of stream.body ?? []) seen.text += Buffer.from(chunk).toString();
      })().catch(() => {});
      return seen;
    };
    const oldSees = await follow(partnerAdmin);

    const answer = await move(client, otherPartner, host);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ partnerClientOrgID: otherPartner, partnerName: 'Ridge' });
    expect([await canRead(partnerAdmin, client), await canRead(otherAdmin, client)]).toEqual([403, 200]);
    expect(await canRead(clientAdmin, client)).toBe(200);
    expect((await t.call(organisationsApi.partner, { params: { id: client } }, clientAdmin)).json().partnerName).toBe('Ridge');
    const identities = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('user_identities').select('issuer').where('organisation_id', '=', client).execute(),
    );
    expect(identities).toEqual([{ issuer: 'https://login.watch.example' }]);
    // Links that the old partner could read.
    expect(await links()).toEqual([]);

    const newSees = await follow(otherAdmin);
    const [alert] = await seedAlerts(t.db, client, [{ at: Date.now(), rule: await seedRule(t.db), summary: 'after the move' }]);
    await scoped(t.db, 'system', (tx) => publish(tx, 'alert.raised', { organisationId: client, alertIds: [alert?.id ?? 0] }));
    await expect.poll(() => newSees.text, { timeout: 5_000 }).toContain('after the move');
    expect(oldSees.text).not.toContain('after the move');
    closing.abort();
    expect((await t.send(key, [{ message: 'still accepted' }])).statusCode).toBe(200);

    const rows = await Promise.all([client, partner, otherPartner].map(auditOf));
    expect(rows.map((list) => list.filter((row) => row.action === 'organisation.moved'))).toMatchObject([
      [{ before: { partnerClientOrgID: partner }, after: { partnerClientOrgID: otherPartner, identitiesRemoved: 1 } }],
      [{ before: { partnerClientOrgID: partner }, after: null }],
      [{ before: null, after: { partnerClientOrgID: otherPartner } }],
    ]);
  });

  test('keeps the alerts of the old partner’s rules readable, and no other rule of it', async () => {
    const client = (await create(partnerAdmin, 'Carried', partner)).json().id;
    const fired = await seedRule(t.db);
    const other = await seedRule(t.db);
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('rules').set({ organisation_id: partner }).where('id', 'in', [fired.id, other.id]).execute(),
    );
    const [alert] = await seedAlerts(t.db, client, [{ at: Date.now(), rule: fired, summary: 'before the move' }]);
    expect((await move(client, otherPartner, host)).statusCode).toBe(200);
    const visibleTo = (organisationId: number) =>
      scoped(t.db, { organisationIds: [organisationId] }, (tx) =>
        tx.selectFrom('rules').select('id').where('id', 'in', [fired.id, other.id]).execute(),
      );
    expect(await visibleTo(client)).toEqual([{ id: fired.id }]);
    expect(await visibleTo(otherPartner)).toEqual([]);
    const list = await t.call(
      alertsApi.list,
      {
        params: {
          client,
          start: new Date(Date.now() - 3_600_000).toISOString(),
          end: new Date(Date.now() + 60_000).toISOString(),
        },
        query: { sort: 'rule' },
      },
      otherAdmin,
    );
    expect(list.json().results.map(({ id }: { id: number }) => id)).toEqual([alert?.id]);
  });

  test('requires the provider’s Host, a client and an active partner, and otherwise changes nothing', async () => {
    const client = (await create(partnerAdmin, 'Staying', partner)).json().id;
    const gone = (await create(host, 'Gone', 1, { isPartner: true })).json().id;
    await act('deactivate', gone, host);
    const clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
    const tries: [TestUser | undefined, number, number, number][] = [
      [undefined, client, otherPartner, 401],
      [clientAdmin, client, otherPartner, 403],
      [partnerAdmin, client, otherPartner, 403],
      [partnerHost, client, otherPartner, 403],
      [partnerHost, client, partner, 403],
      [providerAdmin, client, otherPartner, 403],
      [host, client, partner, 409],
      [host, client, client, 400],
      [host, client, gone, 403],
      [host, client, 999_999, 403],
      [host, partner, otherPartner, 400],
      [host, 1, otherPartner, 400],
      [host, client, 0, 400],
      [host, 0, otherPartner, 400],
    ];
    for (const [user, id, target, status] of tries)
      expect([user?.email, id, target, (await move(id, target, user)).statusCode]).toEqual([user?.email, id, target, status]);
    expect((await t.call(organisationsApi.details, { params: { id: client } }, host)).json().partnerClientOrgID).toBe(partner);
    expect((await auditOf(client)).map((row) => row.action)).toEqual(['organisation.created']);
  });
});

describe('deactivate', () => {
  test('ends sign-ins and ingest until reactivation', async () => {
    const client = (await create(partnerAdmin, 'Pausing', partner)).json().id;
    const clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
    const key = await t.ingestKey(client);
    expect((await t.send(key, [{ message: 'one' }])).statusCode).toBe(200);

    expect((await act('deactivate', client, partnerAdmin)).statusCode).toBe(200);
    expect(await canRead(clientAdmin, client)).toBe(401);
    expect((await t.send(key, [{ message: 'two' }])).statusCode).toBe(401);
    expect(await idsOf(partnerAdmin)).not.toContain(client);
    const list = (await t.call(organisationsApi.listDeactivated, {}, partnerAdmin)).json();
    expect(list.results).toContainEqual(expect.objectContaining({ id: client, name: 'Pausing', partnerClientOrgID: partner }));
    const others = (await t.call(organisationsApi.listDeactivated, {}, otherAdmin)).json();
    expect(others.results.map(({ id }: { id: number }) => id)).not.toContain(client);
    const details = await t.call(organisationsApi.details, { params: { id: client } }, partnerAdmin);
    expect(details.json()).toMatchObject({ deactivatedAt: expect.any(String), can: { edit: false, deactivate: true } });
    expect(await canRead(otherAdmin, client)).toBe(403);
    const edit = await t.call(organisationsApi.updateGeneral, { params: { id: client }, body: general('x') }, partnerAdmin);
    expect(edit.statusCode).toBe(403);
    expect((await act('deactivate', client, partnerAdmin)).statusCode).toBe(403);

    expect((await act('reactivate', client, otherAdmin)).statusCode).toBe(403);
    expect((await act('reactivate', client, partnerAdmin)).statusCode).toBe(200);
    expect((await act('reactivate', client, partnerAdmin)).statusCode).toBe(409);
    // The session stays revoked; the key works again.
    expect(await canRead(clientAdmin, client)).toBe(401);
    expect((await t.send(key, [{ message: 'three' }])).statusCode).toBe(200);
    const stored = await scoped(t.db, 'system', (tx) => eventRows(tx, client));
    expect(stored.map((row) => row.text).sort()).toHaveLength(2);
    expect((await auditOf(client)).map((row) => row.action)).toEqual([
      'organisation.created',
      'organisation.deactivated',
      'organisation.reactivated',
    ]);
  });

  test('requires the provider’s Host and no active clients for a partner, and ends ingest below it', async () => {
    const quitting = (await create(host, 'Quitting', 1, { isPartner: true })).json().id;
    const below = (await create(host, 'Below', quitting)).json().id;
    const admin = await t.user({ organisationId: quitting, role: 'Administrator' });
    const refused = await act('deactivate', quitting, host);
    expect(refused.statusCode).toBe(409);
    expect(refused.json().error).toBe('Quitting still has active clients: Below. Move or deactivate them first.');
    await act('deactivate', below, admin);
    expect((await act('deactivate', quitting, providerAdmin)).statusCode).toBe(403);
    expect((await act('deactivate', quitting, host)).statusCode).toBe(200);
    expect(await canRead(admin, quitting)).toBe(401);
    const early = await act('reactivate', below, host);
    expect(early.json().error).toBe('Quitting, the partner of Below, is deactivated. Reactivate it first.');
    expect((await act('reactivate', quitting, providerAdmin)).statusCode).toBe(403);
    expect((await act('reactivate', quitting, host)).statusCode).toBe(200);
    expect((await act('reactivate', below, host)).statusCode).toBe(200);

    // A client’s key is refused while its partner is deactivated.
    const key = await t.ingestKey(below);
    const setGone = (at: Date | null) =>
      scoped(t.db, 'system', (tx) =>
        tx.updateTable('organisations').set({ deactivated_at: at }).where('id', '=', quitting).execute(),
      );
    await setGone(new Date());
    expect((await t.send(key, ['x'])).statusCode).toBe(401);
    await setGone(null);
    expect((await t.send(key, ['x'])).statusCode).toBe(200);
  });

  test('refuses the provider, the own and foreign organisations, and callers without permission', async () => {
    const client = (await create(partnerAdmin, 'Stays', partner)).json().id;
    const clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
    const tries: [TestUser | undefined, number, number][] = [
      [undefined, client, 401],
      [clientAdmin, client, 403],
      [otherAdmin, client, 403],
      [partnerAdmin, partner, 409],
      [partnerHost, partner, 409],
      [partnerAdmin, otherPartner, 403],
      [partnerAdmin, 1, 403],
      [partnerAdmin, 0, 400],
      [host, 1, 409],
      [providerAdmin, 1, 409],
    ];
    for (const what of ['deactivate', 'reactivate'] as const)
      for (const [user, id, status] of tries)
        expect([what, user?.email, id, (await act(what, id, user)).statusCode]).toEqual([what, user?.email, id, status]);
    expect(await canRead(clientAdmin, client)).toBe(200);
    expect((await t.call(organisationsApi.listDeactivated, {}, clientAdmin)).statusCode).toBe(403);
    expect((await t.call(organisationsApi.listDeactivated, {})).statusCode).toBe(401);
  });

  test('creates no client under a partner that is deactivated concurrently', async () => {
    for (let round = 0; round < 4; round++) {
      const racing = (await create(host, `Racing ${round}`, 1, { isPartner: true })).json().id;
      const [made, gone] = await Promise.all([create(host, 'Child', racing), act('deactivate', racing, host)]);
      expect([made.statusCode, gone.statusCode].sort()).toEqual([200, 409]);
    }
  });

  test('blocks no concurrent writes of the organisation, such as a sign-out', async () => {
    const client = (await create(partnerAdmin, 'Busy', partner)).json().id;
    const user = await t.user({ organisationId: client, role: 'Analyst' });
    await scoped(t.db, 'system', async (tx) => {
      await lockOrganisations(tx, 'system', [client]);
      expect((await t.call(authApi.logout, {}, user)).statusCode).toBe(200);
    });
  });

  test('ends syslog: messages of its port are not stored', async () => {
    await t.organisation({ id: syslogOrganisation, parentId: partner });
    const send = (text: string) =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(t.application.syslogPorts[0] as number, '127.0.0.1', () => socket.end(`${text}\n`));
        socket.on('close', () => resolve());
        socket.on('error', reject);
      });
    const stored = async () => (await scoped(t.db, 'system', (tx) => eventRows(tx, syslogOrganisation))).length;
    await send('before');
    await expect.poll(stored, { timeout: 5_000 }).toBe(1);
    await act('deactivate', syslogOrganisation, partnerAdmin);
    await send('while away');
    // Lines are checked when stored, a moment after arrival.
    const dropped = async () =>
      (await t.application.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } })).body;
    await expect.poll(dropped, { timeout: 5_000 }).toMatch(/outcome="deactivated organisation"\} [1-9]/);
    await act('reactivate', syslogOrganisation, partnerAdmin);
    await send('after');
    await expect.poll(stored, { timeout: 5_000 }).toBe(2);
  });
});
