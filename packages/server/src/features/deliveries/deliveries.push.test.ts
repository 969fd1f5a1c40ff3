/** Notifications from an event in the database to what a simulated browser decrypts, and what becomes of refusals. */
import { createECDH } from 'node:crypto';
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { decryptPush, type PushService, type SimulatedBrowser, startPush, vapidFault } from '@parapet/world/peers/push.ts';
import type { Insertable } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture, everything } from '../../../test/deliveries.fixture.ts';
import { insertRow } from '../../core/db/rows.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { replaceShifts } from './deliveries.oncall.store.ts';
import { createBrowsers } from './deliveries.push.accounts.ts';
import { insertBrowser } from './deliveries.push.store.ts';
import { notificationOf } from './deliveries.push.ts';

let service: PushService;
let t: DeliveriesFixture;
let partner: number;
let client: number;
let other: number;

beforeAll(async () => {
  service = await startPush();
  t = await deliveriesFixture([service]);
});
afterAll(async () => {
  await t.close();
  await service.close();
});
beforeEach(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Alder' });
  other = await t.organisation({ isPartner: true });
});

let number = 0;
const person = (organisation: number, role = 'Partner Analyst', more: Partial<Insertable<Tables['users']>> = {}) => {
  const row = {
    organisation_id: organisation,
    email: `push${++number}@quay.example`,
    first_name: 'Ada',
    last_name: 'Quay',
    role,
  };
  return scoped(t.db, 'system', (tx) => insertRow(tx, 'users', { ...row, ...more } as Insertable<Tables['users']>));
};

/** A browser of a person, stored as the portal stores it. */
async function browserOf(userId: number, organisationId = partner, given = service.subscribe(t.push.pushKeys.publicKey)) {
  const { endpoint, p256dh, auth } = given;
  const id = 1_000 + ++number;
  const subscription = await t.push.pushVault.seal(organisationId, id, { endpoint, p256dh, auth });
  const more = { endpointHash: Buffer.from(endpoint), service: new URL(endpoint).host, userAgent: 'Test', at: new Date() };
  await scoped(t.db, 'system', (tx) => insertBrowser(tx, { id, organisationId, userId, subscription, ...more }));
  return { ...given, id };
}
const stored = (id: number) =>
  scoped(t.db, 'system', (tx) => tx.selectFrom('push_subscriptions').selectAll().where('id', '=', id).executeTakeFirst());

/** A target of everyone with a rule for all events. */
async function target(people = 'all', owner = partner): Promise<number> {
  const { id } = await t.target(owner, { kind: 'browser', values: { people } });
  await t.rule(owner, everything(id));
  return id;
}
/** Opens a case; returns its id. */
async function opened(title = 'Beacon', criticality = 4, of = client): Promise<number> {
  const objectId = await t.case(of, { title, criticality });
  await t.queue(of, { event: 'case.opened', objectId });
  return objectId;
}
const last = async (id: number) => (await t.rows(id)).at(-1)!;
/** Messages that a browser got, decrypted. */
const messagesOf = ({ endpoint, read }: SimulatedBrowser): Record<string, string>[] =>
  service.received
    .filter(({ path }) => path === new URL(endpoint).pathname)
    .map(({ body }) => JSON.parse(read(Buffer.from(body, 'base64'))));

describe('decryptPush', () => {
  test('reads the example of RFC 8291', () => {
    const own = createECDH('prime256v1');
    own.setPrivateKey('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url');
    const body =
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';
    const text = decryptPush(Buffer.from(body, 'base64url'), own, Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url'));
    expect(text).toBe('When I grow up, I want to be a watermelon');
  });
});

describe('notificationOf and its delivery', () => {
  test('reaches the browsers of all people, signed, encrypted for each and with a path of the portal', async () => {
    const [one, two] = [await browserOf(await person(partner)), await browserOf(await person(partner))];
    const id = await target();
    const caseId = await opened('Beacon on SRV-01');
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'accepted', accepted_id: '2 browsers', answer_status: 201, words: null });
    const row = await last(id);
    const sent = {
      id: row.message_id,
      title: `Case opened: #${caseId} Beacon on SRV-01`,
      body: 'Alder · high',
      path: `/apps/case/${caseId}`,
    };
    expect([messagesOf(one), messagesOf(two)]).toEqual([[sent], [sent]]);
    expect(JSON.parse(row.request!)).toEqual(sent);
    const { headers, body } = service.received.at(-1)!;
    expect(headers).toMatchObject({ ttl: '86400', urgency: 'high', topic: row.message_id.replaceAll('-', '') });
    expect(() => one.read(Buffer.from(body, 'base64')) + two.read(Buffer.from(body, 'base64'))).toThrow();
    const authorization = String(headers.authorization);
    expect(vapidFault(authorization, service.url, Date.now(), t.push.pushKeys.publicKey)).toBeUndefined();
    expect(vapidFault(authorization, 'https://push.example', Date.now())).toBe('The audience is another one.');
    const forged = authorization.replace(/.(?=[\w-]{80}, k=)/, (letter) => (letter === 'A' ? 'B' : 'A'));
    expect(vapidFault(forged, service.url, Date.now())).toBe('The signature is not valid.');
  });

  test('puts hostile text on one plain line, and sends a path in place of an address', () => {
    const title = `<img src=x>\u0007\n‮${'x'.repeat(400)}`;
    const url = 'https://portal.example//evil.example/apps/case/1?tab=notes';
    const message = { id: 'a', event: 'case.opened', title, client: '<b>Alder</b>', severity: null, url } as unknown;
    const shown = JSON.parse(notificationOf(message as Parameters<typeof notificationOf>[0]));
    expect(shown.title).toMatch(/^<img src=x> /);
    expect(shown.title.length).toBeLessThanOrEqual(161);
    expect(shown).toMatchObject({ body: '<b>Alder</b>', path: '//evil.example/apps/case/1?tab=notes' });
  });
});

describe('notifications', () => {
  test('reach those who may read, and none of another organisation, scope or role', async () => {
    const reader = await browserOf(await person(partner));
    const others = [
      await browserOf(await person(other), other),
      await browserOf(await person(client, 'Administrator'), client),
      // Managers of a partner see its own organisation alone.
      await browserOf(await person(partner, 'Manager')),
      await browserOf(await person(partner, '')),
      await browserOf(await person(partner, 'Analyst', { is_deleted: true })),
    ];
    const id = await target();
    await opened();
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'accepted', accepted_id: '1 browser' });
    expect(messagesOf(reader)).toHaveLength(1);
    expect(others.flatMap(messagesOf)).toEqual([]);
  });

  test('reach a client’s people by its own target', async () => {
    const own = await browserOf(await person(client, 'Other'), client);
    const id = await target('all', client);
    await opened();
    await t.turn(id);
    expect(messagesOf(own)).toHaveLength(1);
  });

  test('reach the person on call alone, and are given up in words without a browser', async () => {
    const [called, idle] = [await person(partner), await person(partner)];
    const [own, others] = [await browserOf(called), await browserOf(idle)];
    const id = await target('1');
    await opened();
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'failed', words: expect.stringContaining('No person is on call now') });
    const shift = { place: 1, days: [1, 2, 3, 4, 5, 6, 7], from: 0, to: 1440 };
    await scoped(t.db, 'system', (tx) => replaceShifts(tx, 'system', partner, 'UTC', [{ ...shift, userId: called }]));
    t.forward(6 * minuteMs);
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'accepted', accepted_id: '1 browser' });
    expect([messagesOf(own).length, messagesOf(others).length]).toEqual([1, 0]);
    await scoped(t.db, 'system', (tx) => tx.deleteFrom('push_subscriptions').where('id', '=', own.id).execute());
    await opened();
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'givenUp', words: expect.stringContaining('No person who should get this') });
  });
});

describe('a push service', () => {
  test.each(['end', 'forget'] as const)(
    'removes a browser that it refuses for good (%s), and the delivery goes on',
    async (how) => {
      const [gone, stays] = [await browserOf(await person(partner)), await browserOf(await person(partner))];
      if (how === 'end') service.end(gone.endpoint);
      else
        await scoped(t.db, 'system', async (tx) => {
          const secrets = { endpoint: `${service.url}/push/unknown`, p256dh: gone.p256dh, auth: gone.auth };
          const subscription = await t.push.pushVault.seal(partner, gone.id, secrets);
          await tx.updateTable('push_subscriptions').set({ subscription }).where('id', '=', gone.id).execute();
        });
      const id = await target();
      await opened();
      await t.turn(id);
      expect(await last(id)).toMatchObject({ state: 'accepted', accepted_id: '1 browser' });
      expect((await last(id)).answer).toContain(how === 'end' ? 'returned 410' : 'returned 404');
      expect([await stored(gone.id), messagesOf(stays).length]).toEqual([undefined, 1]);
    },
  );

  test('delays its own browser while it throttles or fails, and repeats no other', async () => {
    const [one, two] = [await browserOf(await person(partner)), await browserOf(await person(partner))];
    const id = await target();
    service.disturb({ kind: 'throttle', seconds: 120 });
    await opened();
    await t.turn(id);
    const waiting = await last(id);
    expect(waiting).toMatchObject({ state: 'failed', words: expect.stringMatching(/returned 429.*Accepted for 1 browser\.$/) });
    expect(waiting.next_at.getTime() - t.clock.now()).toBeGreaterThanOrEqual(120_000);
    t.forward(3 * minuteMs);
    service.disturb({ kind: 'outage' });
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'failed', words: expect.stringContaining('returned 503') });
    t.forward(minuteMs);
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'accepted', accepted_id: '2 browsers' });
    // One receipt for each browser, after three requests to one of them.
    const accepted = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('push_receipts').select('subscription_id as id').orderBy('id').execute(),
    );
    expect(accepted.filter((row) => [one.id, two.id].includes(row.id))).toHaveLength(2);
  });

  test('gets nothing twice after a crash between its answers and the end of the attempt', async () => {
    const both = [await browserOf(await person(partner)), await browserOf(await person(partner))];
    const id = await target();
    await opened();
    await t.turn(id);
    const crashed = { state: 'sent', accepted_at: null, accepted_id: null } as const;
    await scoped(t.db, 'system', (tx) => tx.updateTable('deliveries').set(crashed).where('target_id', '=', id).execute());
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'accepted', accepted_id: '2 browsers', attempts: 2 });
    expect(both.map((browser) => messagesOf(browser).length)).toEqual([1, 1]);
  });

  test('holds no delivery back for long once another browser got it', async () => {
    // Its subscription belongs to another sender: refused with 403.
    const bad = await browserOf(await person(partner), partner, service.subscribe('of another sender'));
    const good = await browserOf(await person(partner));
    const before = { failures: 5, error: 'No.' };
    await scoped(t.db, 'system', (tx) => tx.updateTable('push_subscriptions').set(before).where('id', '=', bad.id).execute());
    const id = await target();
    await opened();
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'failed', words: expect.stringContaining('Accepted for 1 browser.') });
    t.forward(minuteMs);
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'accepted', accepted_id: '1 of 2 browsers' });
    expect(await stored(bad.id)).toMatchObject({ failures: 7, error: expect.stringContaining('403') });
    expect(messagesOf(good)).toHaveLength(1);
    expect(await stored(good.id)).toMatchObject({ failures: 0, error: null, accepted_at: expect.any(Date) });
  });

  test.each([
    [200, 'givenUp', 'confirms nothing'],
    [413, 'givenUp', 'returned 413'],
    [403, 'failed', 'returned 403'],
  ])('leaves a delivery that it answers with %i as %s', async (status, state, words) => {
    await browserOf(await person(partner));
    const id = await target();
    service.disturb({ kind: 'status', status });
    await opened();
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state, words: expect.stringContaining(words), accepted_at: null });
  });

  test('gets nothing at an address that is not public', async () => {
    await browserOf(await person(partner), partner, { ...service.subscribe(), endpoint: 'https://127.0.0.1:1/push' });
    const id = await target();
    await opened();
    await t.turn(id);
    expect(await last(id)).toMatchObject({ state: 'givenUp', words: expect.stringContaining('isn’t a public https address') });
  });
});

describe('createBrowsers', () => {
  const actorOf = (userId: number, organisationId: number) =>
    ({
      ...{ userId, organisationId, role: 'Partner Analyst', isPartner: true, organisationIds: [organisationId] },
      ...{ sessionId: '', displayName: 'Ada', email: '', provenAt: 0, secondFactorAt: 0, hasPassword: true },
      ...{ hasSecondFactor: true, address: '' },
    }) as Parameters<ReturnType<typeof createBrowsers>['browsers']>[0];
  const browsers = () => createBrowsers({ ...t.deps, ...t.push } as Parameters<typeof createBrowsers>[0]);

  test('adds and removes a person’s own browsers, at most twenty, and gives an address to one person', async () => {
    const [ada, bo] = [actorOf(await person(partner), partner), actorOf(await person(partner), partner)];
    const { endpoint, p256dh, auth } = service.subscribe();
    const added = await browsers().addBrowser(ada, { endpoint, p256dh, auth }, 'Firefox');
    expect((await browsers().browsers(ada)).results).toEqual([added]);
    expect(JSON.stringify(added)).not.toContain(endpoint);
    await expect(browsers().removeBrowser(bo, added.id)).rejects.toMatchObject({ status: 404 });
    await browsers().addBrowser(bo, { endpoint, p256dh, auth }, 'Firefox');
    expect((await browsers().browsers(ada)).results).toEqual([]);
    const [own] = (await browsers().browsers(bo)).results;
    await browsers().removeBrowser(bo, own!.id);
    expect((await browsers().browsers(bo)).total).toBe(0);
    for (let count = 0; count < 20; count++)
      await browsers().addBrowser(ada, { endpoint: `${service.url}/push/of-ada-${count}`, p256dh, auth }, 'Firefox');
    await expect(browsers().addBrowser(ada, { endpoint: `${service.url}/push/more`, p256dh, auth }, 'Firefox')).rejects.toThrow(
      /20 browsers/,
    );
    expect((await browsers().browsers(ada)).total).toBe(20);
  });

  test('refuses a key that is not on the curve', async () => {
    const ada = actorOf(await person(partner), partner);
    const given = { endpoint: `${service.url}/push/x`, p256dh: `BA${'A'.repeat(85)}`, auth: 'A'.repeat(22) };
    await expect(browsers().addBrowser(ada, given, '')).rejects.toMatchObject({ status: 400 });
  });
});
