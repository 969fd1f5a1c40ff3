/** Notifications through the API, with a worker that sends them to a simulated push service. */
import { accountApi } from '@parapet/contract/account.ts';
import { brandApi } from '@parapet/contract/brand.ts';
import { deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { type PushService, startPush } from '@parapet/world/peers/push.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { queueDeliveries } from '../src/domain/causes.ts';
import { revokeAccessOf } from '../src/features/auth/auth.store.ts';
import { openPushKeys } from '../src/features/deliveries/deliveries.push.keys.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { everything } from './deliveries.fixture.ts';
import { keysOf } from './keys.ts';

let service: PushService;
let t: TestApp;
let partner: number;
let client: number;
let admin: TestUser;
let analyst: TestUser;
beforeAll(async () => {
  service = await startPush();
  t = await testApp({ CONNECTION_ORIGINS: service.url, PORTAL_ROLES: 'api,ingest,worker' });
  await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
  partner = await t.organisation({ isPartner: true, name: 'Quay' });
  client = await t.organisation({ parentId: partner, name: 'Alder' });
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
});
afterAll(async () => {
  await t.close();
  await service.close();
});

const ok = async <E extends Endpoint>(endpoint: E, input: InputOf<E>, user: TestUser) => {
  const answer = await t.call(endpoint, input, user);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};
async function turnOn(user: TestUser) {
  const { publicKey } = await ok(accountApi.browsers, {}, user);
  const { endpoint, p256dh, auth, read } = service.subscribe(publicKey);
  const added = await ok(accountApi.addBrowser, { body: { endpoint, p256dh, auth } }, user);
  return { ...added, endpoint, read };
}
const browsersOf = async (user: TestUser) => (await ok(accountApi.browsers, {}, user)).results;

test('sends a case to the browser that a person turned on, and shows both sides the confirmation', async () => {
  const browser = await turnOn(analyst);
  const body = { kind: 'browser', name: 'Browsers', values: { people: 'all' } };
  const { target } = await ok(deliveriesApi.createTarget, { params: { client: partner }, body }, admin);
  await ok(
    deliveriesApi.createRule,
    { params: { client: partner }, body: { ...everything(target.id), events: ['case.opened'] } },
    admin,
  );
  const at = new Date();
  const caseId = await scoped(t.db, 'system', async (tx) => {
    const values = { organisation_id: client, title: 'Beacon', criticality: 4, first_alert_at: at, last_alert_at: at };
    const made = await tx.insertInto('cases').values(values).returning('id').executeTakeFirstOrThrow();
    await queueDeliveries(tx, [{ organisationId: client, event: 'case.opened', objectId: made.id, at }]);
    return made.id;
  });
  await expect.poll(() => service.received.length, { timeout: 20_000 }).toBe(1);
  const { path, body: bytes } = service.received[0]!;
  expect(path).toBe(new URL(browser.endpoint).pathname);
  expect(JSON.parse(browser.read(Buffer.from(bytes, 'base64')))).toMatchObject({
    title: `Case opened: #${caseId} Beacon`,
    body: 'Alder · high',
    path: `/apps/case/${caseId}`,
  });
  const ofTarget = { client: partner, target: target.id };
  const list = async () => (await ok(deliveriesApi.list, { params: ofTarget, query: {} }, admin)).results;
  await expect.poll(async () => (await list())[0].state, { timeout: 20_000 }).toBe('accepted');
  const [row] = await list();
  const shown = await ok(deliveriesApi.get, { params: { ...ofTarget, delivery: row.id } }, admin);
  expect(shown).toMatchObject({ acceptedId: '1 browser', answerStatus: 201, answer: `${new URL(service.url).host}: 201` });
  expect(JSON.stringify(shown)).not.toMatch(/\/push\/|@/);
  expect(await browsersOf(analyst)).toMatchObject([{ id: browser.id, error: null, acceptedAt: expect.any(String) }]);
  expect(await browsersOf(admin)).toEqual([]);
  const tested = await ok(deliveriesApi.test, { params: ofTarget }, admin);
  expect(tested).toMatchObject({ state: 'accepted', acceptedId: '1 browser' });
});

test('refuses the kind to a client’s administrator', async () => {
  const own = await t.user({ organisationId: client, role: 'Administrator' });
  const body = { kind: 'browser', name: 'Own', values: { people: 'all' } };
  expect((await t.call(deliveriesApi.createTarget, { params: { client }, body }, own)).statusCode).toBe(403);
});

test('ends notifications with the person’s access, and leaves those of others', async () => {
  const person = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  const [own, others] = [await turnOn(person), await turnOn(admin)];
  const refused = await t.call(accountApi.removeBrowser, { params: { id: own.id } }, admin);
  expect(refused.statusCode).toBe(404);
  await ok(usersApi.remove, { params: { id: person.id } }, admin);
  const left = await scoped(t.db, 'system', (tx) => tx.selectFrom('push_subscriptions').select('id').execute());
  expect(left.map(({ id }) => id)).toContain(others.id);
  expect(left.map(({ id }) => id)).not.toContain(own.id);
  const actions = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .select('action')
      .where('action', 'like', 'user.browser%')
      .where('actor_user_id', '=', person.id)
      .execute(),
  );
  expect(actions).toEqual([{ action: 'user.browserAdded' }]);
});

test('ends notifications with a reset password', async () => {
  const person = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  await turnOn(person);
  await scoped(t.db, 'system', (tx) => revokeAccessOf(tx, person.id));
  const left = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('push_subscriptions').select('id').where('user_id', '=', person.id).execute(),
  );
  expect(left).toEqual([]);
});

test('keeps the key pair, and stores no address or key of a browser readably', async () => {
  const { publicKey } = await ok(accountApi.browsers, {}, admin);
  expect((await openPushKeys(await keysOf(t.db))).publicKey).toBe(publicKey);
  const rows = await scoped(t.db, 'system', (tx) => tx.selectFrom('push_subscriptions').selectAll().execute());
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ subscription }) => subscription.toString('latin1')).join()).not.toContain('/push/');
});

test('serves a manifest in the brand of the host', async () => {
  const answer = await t.call(brandApi.manifest, {});
  expect(answer.json()).toMatchObject({ start_url: '/', scope: '/', display: 'standalone', icons: [{ src: '/favicon.svg' }] });
  expect(answer.json().name).toBe(answer.json().short_name);
});
