/** Applications for consent, and the calls of a consent over HTTP. */
import { type ConnectionInvite, connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import { connectionsApi } from '@parapet/contract/connections.ts';
import { type VendorApplication, vendorApplicationsApi } from '@parapet/contract/vendorApplications.ts';
import { type MicrosoftLogin, startMicrosoftLogin, tenants } from '@parapet/world/vendors/microsoft.login.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp, waitingMails } from '../../../test/app.ts';
import { Browser } from '../../../test/consents.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import { hashOfToken } from '../../core/secrets.ts';
import { createVault } from './connections.vault.ts';

const publicUrl = 'https://portal.example';
let t: TestApp;
let login: MicrosoftLogin;
let [partner, client] = [0, 0];
let host: TestUser;
let partnerHost: TestUser;
let admin: TestUser;

beforeAll(async () => {
  login = await startMicrosoftLogin();
  t = await testApp({ CONNECTION_ORIGINS: login.url, PUBLIC_URL: publicUrl, TRUST_PROXY: '1', ...waitingMails });
  await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
  partner = await t.organisation({ isPartner: true, name: 'Quayside' });
  client = await t.organisation({ parentId: partner, name: 'Birch' });
  host = await t.user({ organisationId: 1, role: 'Host' });
  partnerHost = await t.user({ organisationId: partner, role: 'Host' });
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
});
afterAll(async () => {
  await t.close();
  await login.close();
});

const body = (more = {}) => {
  const { clientId: clientID, ...application } = login.application;
  return { clientID, ...application, ...more };
};
const save = (organisation: number, more = {}, user = host) =>
  t.call(vendorApplicationsApi.save, { params: { organisation }, body: body(more) }, user);
const list = async () =>
  (await t.call(vendorApplicationsApi.list, {}, host)).json<{
    results: VendorApplication[];
    owners: { organisationID: number }[];
  }>();
const offers = async () =>
  (await t.call(connectionInvitesApi.list, { params: { client } }, admin)).json<{ offersConsent: boolean }>().offersConsent;

/** An invitation with a token of the test’s own: the mailed one is sealed. */
async function invite(more = {}): Promise<string> {
  const given = { kind: 'entra', name: `Entra ${Math.random()}`, email: 'it@birch.example', ...more };
  const answer = await t.call(connectionInvitesApi.create, { params: { client }, body: given }, admin);
  expect(answer.statusCode).toBe(200);
  const { id } = answer.json<ConnectionInvite>();
  const token = `token-${id}`;
  await scoped(t.db, 'system', (tx) =>
    tx
      .updateTable('connection_invites')
      .set({ token_hash: hashOfToken(token) })
      .where('id', '=', id)
      .execute(),
  );
  return token;
}
const begin = (token: string) => t.call(connectionInvitesApi.consent, { body: { token } });
/** The first cookie that a response sets, as a browser sends it. */
const cookiesOf = ({ headers }: { headers: Record<string, unknown> }) => String([headers['set-cookie']].flat()[0]).split(';')[0]!;
const callback = (query: URLSearchParams, cookie: string, address = '198.51.100.9') =>
  t.application.app.inject({
    url: `/api/v1/connect/callback/microsoft?${query}`,
    headers: { cookie, host: 'portal.example', 'x-forwarded-for': address },
  });

describe('applications for consent', () => {
  test('accept changes by the provider’s Host alone, and never return their secret', async () => {
    expect(await offers()).toBe(false);
    expect((await save(1, {}, partnerHost)).statusCode).toBe(403);
    expect((await save(1, {}, admin)).statusCode).toBe(403);
    expect((await save(client)).statusCode).toBe(404);
    for (const [field, value] of [
      ['clientID', 'x'],
      ['secret', 'short'],
      ['login', 'a b'],
    ])
      expect((await save(1, { [field!]: value })).statusCode).toBe(400);
    const saved = await save(1);
    expect(saved.json()).toMatchObject({
      organisationID: 1,
      clientID: login.application.clientId,
      connections: 0,
      redirectURI: `${publicUrl}/api/v1/connect/callback/microsoft`,
    });
    const all = await list();
    expect(JSON.stringify(all)).not.toContain(login.application.secret);
    expect(all.owners.map(({ organisationID }) => organisationID)).toEqual(expect.arrayContaining([1, partner]));
    expect(all.owners.map(({ organisationID }) => organisationID)).not.toContain(client);
    expect(await offers()).toBe(true);
  });

  test('prefer the partner’s own for its clients', async () => {
    const clientID = '0d6b2c51-8f3e-4a97-b1c4-7e2a9f5d3b60';
    expect((await save(partner, { clientID })).statusCode).toBe(200);
    const { url } = (await begin(await invite())).json<{ url: string }>();
    expect(new URL(url).searchParams.get('client_id')).toBe(clientID);
    const removed = await t.call(vendorApplicationsApi.remove, { params: { organisation: partner } }, host);
    expect(removed.statusCode).toBe(200);
    const { url: after } = (await begin(await invite())).json<{ url: string }>();
    expect(new URL(after).searchParams.get('client_id')).toBe(login.application.clientId);
  });

  test('pass a new secret to their connections, and leave paused ones paused', async () => {
    const vault = createVault(t.db, t.keys);
    const [stopped, paused, own] = await scoped(t.db, 'system', async (tx) => {
      const { rows } = await sql<{
        id: number;
      }>`insert into connections (organisation_id, kind, name, account, settings, secrets, state, consented_by)
        select ${client}, 'entra', n, 'x', ${JSON.stringify({ client: login.application.clientId, login: login.url })}, ''::bytea, s, c
        from (values ('a', 'stopped', 'admin'), ('b', 'paused', 'admin'), ('c', 'stopped', null)) v (n, s, c) returning id`.execute(
        tx,
      );
      return rows.map(({ id }) => id);
    });
    const secret = 'another~Secret.Of.The.Application.02';
    expect((await save(1, { secret })).json<VendorApplication>().connections).toBe(2);
    const rows = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('connections')
        .select(['id', 'state', 'secrets'])
        .where('organisation_id', '=', client)
        .orderBy('id')
        .execute(),
    );
    expect(rows.map(({ id, state }) => [id, state])).toEqual([
      [stopped, 'active'],
      [paused, 'paused'],
      [own, 'stopped'],
    ]);
    for (const { id, secrets } of rows.slice(0, 2))
      expect(await vault.open({ id, organisationId: client, secrets })).toEqual({ secret });
    expect(rows[2]!.secrets).toHaveLength(0);
    const replaced = await t.call(
      connectionsApi.replaceSecrets,
      { params: { client, connection: stopped! }, body: { values: { secret } } },
      admin,
    );
    expect([replaced.statusCode, replaced.json().error]).toEqual([409, expect.stringContaining('works by consent')]);
    await scoped(t.db, 'system', (tx) => sql`delete from connections`.execute(tx));
    await save(1);
  });

  test('leave audit entries of their owner, without their secret', async () => {
    const entries = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').selectAll().where('action', 'like', 'vendorApplication.%').orderBy('id').execute(),
    );
    expect(entries.map(({ action, organisation_id: owner }) => [action, owner]).slice(0, 3)).toEqual([
      ['vendorApplication.saved', 1],
      ['vendorApplication.saved', partner],
      ['vendorApplication.removed', partner],
    ]);
    expect(JSON.stringify(entries)).not.toContain(login.application.secret);
  });

  test('have one form of their ID and sign-in, however they are spelled', async () => {
    const clientID = login.application.clientId.toUpperCase();
    const spellings = ['LOGIN.Example', 'https://login.example', 'login.example:443', 'HTTPS://login.example/'];
    for (const spelling of spellings)
      expect((await save(1, { clientID, login: spelling })).json()).toMatchObject({
        clientID: login.application.clientId,
        login: 'login.example',
      });
    expect((await save(1, { login: login.url.toUpperCase() })).json()).toMatchObject({ login: login.url });
    expect((await save(1, { login: 'login.example:99999' })).statusCode).toBe(400);
    await save(1);
  });
});

describe('a consent over HTTP', () => {
  test('binds the sign-in to a cookie of this browser and ends on the result page', async () => {
    const token = await invite();
    const begun = await begin(token);
    const cookie = String(begun.headers['set-cookie']);
    expect(cookie).toMatch(/^__Host-consent-[\da-f]{16}=[\w-]{43}; Path=\/; Max-Age=1800; HttpOnly; SameSite=Lax; Secure$/);
    const browser = new Browser();
    const back = await browser.pick(begun.json<{ url: string }>().url, 'admin@reef.example');
    const other = cookiesOf(await begin(await invite()));
    expect(other.split('=')[0]).not.toBe(cookie.split('=')[0]);
    for (const [query, sent] of [
      [back, ''],
      [back, other],
      [new URLSearchParams(), `${cookiesOf(begun)}; ${other}`],
    ] as const) {
      const refused = await callback(query, sent);
      expect([refused.headers.location, refused.headers['set-cookie']]).toEqual(['/connect/result?outcome=expired', undefined]);
    }
    const granting = await callback(back, `${other}; ${cookiesOf(begun)}`);
    expect(granting.statusCode).toBe(302);
    const grant = new URL(String(granting.headers.location));
    expect([grant.origin, grant.pathname]).toEqual([login.url, `/${tenants.reef}/v2.0/adminconsent`]);
    expect(Object.fromEntries(grant.searchParams)).toMatchObject({
      scope: 'https://graph.microsoft.com/.default',
      redirect_uri: `${publicUrl}/api/v1/connect/callback/microsoft`,
    });
    expect(granting.headers['set-cookie']).toEqual([
      expect.stringContaining('Max-Age=1800'),
      expect.stringMatching(`^${cookie.split('=')[0]}=; .*Max-Age=0`),
    ]);
    const twice = await callback(back, cookiesOf(begun));
    expect([twice.headers.location, twice.headers['set-cookie']]).toEqual(['/connect/result?outcome=expired', undefined]);
    const declined = await browser.decide(grant.href, 'cancel');
    const ended = await callback(declined, cookiesOf(granting));
    expect(ended.headers.location).toBe('/connect/result?outcome=cancelled');
    expect(String(ended.headers['set-cookie'])).toMatch(new RegExp(`^${cookiesOf(granting).split('=')[0]}=; .*Max-Age=0`));
  });

  test('shows the permissions of the kind, and the named tenant', async () => {
    const opened = await t.call(connectionInvitesApi.open, { body: { token: await invite({ tenant: tenants.reef }) } });
    expect(opened.json()).toMatchObject({
      consent: {
        tenant: tenants.reef,
        permissions: expect.arrayContaining([expect.objectContaining({ name: 'AuditLog.Read.All' })]),
      },
    });
    const okta = await t.call(connectionInvitesApi.open, { body: { token: await invite({ kind: 'okta' }) } });
    expect(okta.json()).toMatchObject({ consent: null });
    const refused = await t.call(
      connectionInvitesApi.create,
      { params: { client }, body: { kind: 'okta', name: 'Okta', email: 'it@birch.example', tenant: tenants.reef } },
      admin,
    );
    expect(refused.statusCode).toBe(400);
  });

  test('refuses other kinds and unknown links', async () => {
    expect((await begin(await invite({ kind: 'okta' }))).statusCode).toBe(409);
    expect((await begin('nonsense')).statusCode).toBe(404);
  });

  test('limits the callbacks of an address', async () => {
    const ends = await Promise.all(
      Array.from({ length: 25 }, () => callback(new URLSearchParams({ state: 'x' }), '', '198.51.100.77')),
    );
    expect(ends.filter(({ headers }) => headers.location === '/connect/result?outcome=tooMany').length).toBeGreaterThan(0);
    expect((await callback(new URLSearchParams({ state: 'x' }), '', '203.0.113.7')).headers.location).toContain('expired');
  });
});
