import { accountApi } from '@parapet/contract/account.ts';
import { connectionsApi } from '@parapet/contract/connections.ts';
import { startOkta } from '@parapet/world/vendors/okta.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { listConnections } from './connections.store.ts';

let t: TestApp;
let okta: Vendor;
let partner: number;
let client: number;
let sibling: number;
let admin: TestUser;
let manager: TestUser;
let analyst: TestUser;
let partnerAdmin: TestUser;
let stranger: TestUser;
let number = 0;

beforeAll(async () => {
  okta = await startOkta();
  t = await testApp({ CONNECTION_ORIGINS: okta.url });
  partner = await t.organisation({ isPartner: true });
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
  await okta.close();
});

const add = (organisationId = client, user = admin, more: Partial<{ name: string; values: Record<string, string> }> = {}) => {
  const body = { kind: 'okta', name: `Okta ${++number}`, values: okta.values, ...more };
  return t.call(connectionsApi.create, { params: { client: organisationId }, body }, user);
};
const addOne = async (organisationId = client, user = admin): Promise<number> => (await add(organisationId, user)).json().id;
const list = async (user: TestUser, organisationId: number) =>
  (await t.call(connectionsApi.list, { params: { client: organisationId } }, user)).json().results as {
    id: number;
    state: string;
  }[];
const stateOf = async (id: number) => (await list(admin, client)).find((each) => each.id === id)?.state;
const auditOf = (id: number) =>
  scoped(t.db, 'system', async (tx) =>
    (
      await tx
        .selectFrom('audit')
        .select('action')
        .where('target', '=', String(id))
        .where('action', 'like', 'connection.%')
        .orderBy('id')
        .execute()
    ).map(({ action }) => action),
  );

describe('connections', () => {
  test('describes each kind with its fields and instructions', async () => {
    const { results } = (await t.call(connectionsApi.kinds, {}, manager)).json();
    expect(results.map(({ id }: { id: string }) => id)).toContain('okta');
    for (const { fields, steps, example } of results) {
      expect(fields.length).toBeGreaterThan(0);
      expect(steps.length).toBeGreaterThan(1);
      expect(example).toBeNull();
    }
  });

  test('adds, lists, pauses, resumes and removes a connection, audited', async () => {
    const answer = await add();
    expect(answer.statusCode).toBe(200);
    const { id } = answer.json();
    const host = new URL(okta.url).host;
    expect(answer.json()).toMatchObject({ state: 'waiting', account: host, source: `Okta (${host})`, eventsLastDay: 0 });
    await t.call(connectionsApi.pause, { params: { client, connection: id }, body: { isPaused: true } }, admin);
    expect(await stateOf(id)).toBe('paused');
    await t.call(connectionsApi.pause, { params: { client, connection: id }, body: { isPaused: false } }, admin);
    expect(await stateOf(id)).toBe('waiting');
    const removed = await t.call(connectionsApi.remove, { params: { client, connection: id } }, admin);
    expect(removed.statusCode).toBe(200);
    expect(await stateOf(id)).toBeUndefined();
    expect(await auditOf(id)).toEqual(['connection.created', 'connection.paused', 'connection.resumed', 'connection.removed']);
  });

  test('makes a connection due on request, but not while its vendor limits requests or it is paused', async () => {
    const id = await addOne();
    const params = { client, connection: id };
    const read = () => t.call(connectionsApi.read, { params }, admin);
    const set = (values: { next_at: Date; limited_until?: Date | null }) =>
      scoped(t.db, 'system', (tx) => tx.updateTable('connections').set(values).where('id', '=', id).execute());
    const later = new Date(Date.now() + 600_000);
    await set({ next_at: later });
    expect((await read()).statusCode).toBe(200);
    const row = () =>
      scoped(t.db, 'system', (tx) =>
        tx.selectFrom('connections').select('next_at').where('id', '=', id).executeTakeFirstOrThrow(),
      );
    expect((await row()).next_at.getTime()).toBeLessThan(later.getTime());
    expect(await auditOf(id)).toEqual(['connection.created', 'connection.readRequested']);
    await set({ next_at: later, limited_until: later });
    const limited = await read();
    expect([limited.statusCode, limited.json().error]).toEqual([409, expect.stringContaining('limits requests')]);
    await t.call(connectionsApi.pause, { params, body: { isPaused: true } }, admin);
    const paused = await read();
    expect([paused.statusCode, paused.json().error]).toEqual([409, expect.stringContaining('is paused. Resume it first')]);
  });

  test('lets a key add a connection, but not allow it to execute responses', async () => {
    const created = await t.call(accountApi.createApiKey, { body: { name: 'Shipper', scopes: ['ingest'] } }, admin);
    const key = { token: created.json<{ key: string }>().key };
    const body = { kind: 'okta', name: 'By a key', values: okta.values };
    const added = await t.call(connectionsApi.create, { params: { client }, body }, key);
    expect(added.statusCode).toBe(200);
    const acting = await t.call(connectionsApi.create, { params: { client }, body: { ...body, mayAct: true } }, key);
    const params = { client, connection: added.json<{ id: number }>().id };
    const allowing = await t.call(connectionsApi.allowResponses, { params, body: { mayAct: true } }, key);
    for (const refused of [acting, allowing])
      expect([refused.statusCode, refused.json().error]).toEqual([403, expect.stringContaining('not an API key')]);
  });

  test('tries values and stored connections at the vendor', async () => {
    okta.publish(1, Date.now() - 60_000);
    const tried = await t.call(connectionsApi.test, { params: { client }, body: { kind: 'okta', values: okta.values } }, admin);
    expect(tried.json()).toMatchObject({ total: 1, results: [{ what: 'System Log', canRead: true }] });
    const id = await addOne();
    const stored = await t.call(connectionsApi.testStored, { params: { client, connection: id } }, admin);
    expect(stored.json()).toEqual(tried.json());
  });

  test('words the vendor’s refusal', async () => {
    const values = { ...okta.values, token: 'x'.repeat(30) };
    const answer = await t.call(connectionsApi.test, { params: { client }, body: { kind: 'okta', values } }, admin);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toBe('Okta returned 401: Invalid token provided');
  });

  test('replaces secrets only after the vendor accepted them', async () => {
    const id = await addOne();
    const change = (token: string) =>
      t.call(connectionsApi.replaceSecrets, { params: { client, connection: id }, body: { values: { token } } }, admin);
    expect((await change('x'.repeat(30))).statusCode).toBe(400);
    expect((await change(okta.values.token!)).statusCode).toBe(200);
    expect(await auditOf(id)).toEqual(['connection.created', 'connection.secretsReplaced']);
  });

  test('stores secrets sealed and returns none', async () => {
    const id = await addOne();
    const answer = await t.call(connectionsApi.list, { params: { client } }, admin);
    expect(answer.body).not.toContain(okta.values.token);
    const row = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    );
    expect(JSON.stringify(row.settings)).not.toContain(okta.values.token);
    expect(row.secrets.includes(okta.values.token!)).toBe(false);
  });

  test('lists the connections of all clients for a partner under 0', async () => {
    const id = await addOne(sibling, partnerAdmin);
    expect((await list(partnerAdmin, 0)).map((each) => each.id)).toContain(id);
    expect((await list(admin, client)).map((each) => each.id)).not.toContain(id);
  });
});

describe('refusals', () => {
  test('returns 400 at the field for values of another form', async () => {
    const answer = await add(client, admin, { values: { domain: 'https://user:pass@host/path', token: 'short' } });
    expect(answer.statusCode).toBe(400);
    expect(Object.keys(answer.json().errors)).toEqual(['values.domain', 'values.token']);
    expect((await add(client, admin, { values: { ...okta.values, more: 'x' } })).statusCode).toBe(400);
  });

  test.each(['127.0.0.1:1', 'http://127.0.0.1:1', 'http://169.254.169.254', '[::1]', 'localhost:80', 'http://example.com'])(
    'does not connect to %s',
    async (domain) => {
      const body = { kind: 'okta', values: { ...okta.values, domain } };
      const answer = await t.call(connectionsApi.test, { params: { client }, body }, admin);
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error).toMatch(/isn’t a public https address|Enter a domain/);
    },
  );

  test('returns 409 for a taken name in any case', async () => {
    await add(client, admin, { name: 'Taken' });
    expect((await add(client, admin, { name: 'taken' })).statusCode).toBe(409);
  });

  test('returns 404 for an unknown kind', async () => {
    const body = { kind: 'nothing', name: 'x', values: {} };
    expect((await t.call(connectionsApi.create, { params: { client }, body }, admin)).statusCode).toBe(404);
  });

  test('returns 401 to anonymous callers and 403 without the permission', async () => {
    expect((await t.call(connectionsApi.list, { params: { client } })).statusCode).toBe(401);
    expect((await add(client, manager)).statusCode).toBe(403);
    expect((await add(client, analyst)).statusCode).toBe(403);
    expect((await t.call(connectionsApi.list, { params: { client } }, analyst)).statusCode).toBe(200);
  });

  test('returns 403 outside the scope, and treats another tenant’s connection as missing', async () => {
    const id = await addOne();
    expect((await add(client, stranger)).statusCode).toBe(403);
    const own = stranger.organisationId;
    expect((await t.call(connectionsApi.remove, { params: { client: own, connection: id } }, stranger)).statusCode).toBe(404);
    expect(
      (await t.call(connectionsApi.testStored, { params: { client: sibling, connection: id } }, partnerAdmin)).statusCode,
    ).toBe(404);
    expect(await stateOf(id)).toBe('waiting');
  });
});

test('enforces row-level security when a store omits its scope', async () => {
  await addOne();
  const scope = { organisationIds: [stranger.organisationId] };
  expect(await scoped(t.db, scope, (tx) => listConnections(tx, 'system', Date.now()))).toEqual([]);
});
