/** Presses at a simulated Slack, through the portal's own address, with a worker that sends the messages. */
import { randomUUID } from 'node:crypto';
import type { Press } from '@parapet/connectors/out/target.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { deliveriesApi as api } from '@parapet/contract/deliveries.ts';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { usersApi } from '@parapet/contract/users.ts';
import type { Peer } from '@parapet/world/peers/peer.ts';
import { pressRequest, type SlackPress, slackSigningSecret } from '@parapet/world/peers/slack.presses.ts';
import { replyPath, startSlack } from '@parapet/world/peers/slack.ts';
import type { Insertable } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { everything } from '../../../test/deliveries.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import type { Log } from '../../core/log.ts';
import { queueDeliveries } from '../../domain/causes.ts';
import { type ChatDeps, createChat } from './deliveries.chat.ts';

let t: TestApp;
let slack: Peer;
let partner: number;
let client: number;
let admin: TestUser;
let analyst: TestUser;
let reader: TestUser;
let target: number;
let path: string;
/** Of another owner, with a secret of its own. */
let atProvider: { target: number; path: string };
let providerAnalyst: TestUser;
const otherSecret = 'signing secret of another app';

const ok = async <E extends Endpoint>(endpoint: E, input: InputOf<E>, user: TestUser) => {
  const answer = await t.call(endpoint, input, user);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};

beforeAll(async () => {
  slack = await startSlack();
  t = await testApp({ CONNECTION_ORIGINS: slack.url, PORTAL_ROLES: 'api,ingest,worker' });
  await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
  partner = await t.organisation({ isPartner: true, name: 'Quay' });
  client = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  reader = await t.user({ organisationId: partner, role: 'Manager' });
  ({ target, path } = await openedTarget(partner, admin, 'Watch'));
  const providerAdmin = await t.user({ organisationId: 1, role: 'Administrator' });
  providerAnalyst = await t.user({ organisationId: 1, role: 'Analyst' });
  atProvider = await openedTarget(1, providerAdmin, 'Provider', otherSecret);
  await ok(api.createRule, { params: { client: partner }, body: { ...everything(target), events: ['case.opened'] } }, admin);
});
afterAll(async () => {
  await t.close();
  await slack.close();
});

/** A target at the simulated Slack, with its address for presses. */
async function openedTarget(owner: number, by: TestUser, name: string, secret = slackSigningSecret) {
  const made = { params: { client: owner }, body: { kind: 'slack', name, values: slack.values } };
  const { id } = (await ok(api.createTarget, made, by)).target;
  const opened = await ok(api.openCallbacks, { params: { client: owner, target: id }, body: { secret } }, by);
  expect(opened.secret).toBeNull();
  return { target: id as number, path: new URL(opened.address).pathname };
}

/** Opens a case, and returns it with the message that Slack got. */
async function opened(): Promise<{ id: number; blocks: { type: string; elements?: Button[] }[] }> {
  const at = new Date();
  const id = await scoped(t.db, 'system', async (tx) => {
    const values = { organisation_id: client, title: 'Beacon', criticality: 4, first_alert_at: at, last_alert_at: at };
    const made = await tx.insertInto('cases').values(values).returning('id').executeTakeFirstOrThrow();
    await queueDeliveries(tx, [{ organisationId: client, event: 'case.opened', objectId: made.id, at }]);
    return made.id;
  });
  const find = () => slack.received.find(({ body }) => body.includes(`#${id} Beacon`));
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  return { id, blocks: JSON.parse(find()!.body).blocks };
}

interface Button {
  action_id: string;
  value?: string;
  url?: string;
}
const buttonsOf = ({ blocks }: { blocks: { type: string; elements?: Button[] }[] }): Button[] =>
  blocks.find(({ type }) => type === 'actions')!.elements!;
const idIn = (message: Parameters<typeof buttonsOf>[0]): string => buttonsOf(message)[0]!.value!;

let number = 0;
const press = (value: string, more: Partial<SlackPress> = {}): SlackPress => ({
  action: 'acknowledge',
  value,
  account: 'U0ANNA',
  name: 'anna',
  responseUrl: `${slack.url}${replyPath}`,
  // Signatures of one second are the same for the same body.
  at: Date.now() + ++number * 1_000,
  ...more,
});
const post = ({ headers, body }: ReturnType<typeof pressRequest>, to = path) =>
  t.application.app.inject({ method: 'POST', url: to, headers, payload: body });
const replies = () => slack.received.filter((each) => each.path === replyPath).length;
/** Sends a press, and waits for its reply. */
async function send(given: SlackPress, to = path, secret = slackSigningSecret) {
  const before = replies();
  const response = await post(pressRequest(given, secret), to);
  await expect.poll(replies, { timeout: 10_000 }).toBe(before + 1);
  return response;
}
const lastReply = () => JSON.parse(slack.received.findLast((each) => each.path === replyPath)!.body);
const tokenIn = (text: string): string => /token=([\w.-]+)/.exec(text)![1]!;
const caseOf = (id: number) =>
  scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('cases')
      .select(['acknowledged_by', 'acknowledged_channel', 'analyst_user_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
  );
const untouched = { acknowledged_by: null, acknowledged_channel: null, analyst_user_id: null };

async function linked(user: TestUser, account: string, to = path, secret = slackSigningSecret): Promise<void> {
  const message = await opened();
  const value = to === path ? idIn(message) : await messageAt(atProvider.target, message.id);
  await send(press(value, { account, name: account.toLowerCase() }), to, secret);
  await ok(accountApi.linkChat, { body: { token: tokenIn(lastReply().text) } }, user);
  expect(await caseOf(message.id)).toEqual(untouched);
}

/** Id of a message about a case that a target got, as if a rule had sent it. */
const messageAt = (targetId: number, caseId: number): Promise<string> =>
  scoped(t.db, 'system', async (tx) => {
    const sent = tx.selectFrom('deliveries').selectAll().where('object_id', '=', caseId).where('target_id', '=', target);
    const { id: _id, message_id: _messageId, message, facts, ...row } = await sent.executeTakeFirstOrThrow();
    const { organisation_id } = await tx
      .selectFrom('delivery_targets')
      .select('organisation_id')
      .where('id', '=', targetId)
      .executeTakeFirstOrThrow();
    const values = { ...row, organisation_id, target_id: targetId, key: randomUUID(), state: 'accepted' as const };
    const json = { message: JSON.stringify(message), facts: JSON.stringify(facts) };
    const made = tx.insertInto('deliveries').values({ ...values, ...json } as Insertable<Tables['deliveries']>);
    return (await made.returning('message_id').executeTakeFirstOrThrow()).message_id;
  });
const addressesOf = (caseId: number) =>
  scoped(t.db, 'system', async (tx) => {
    const rows = tx.selectFrom('audit').select('address').where('target', '=', String(caseId)).where('action', 'like', 'case.%');
    return (await rows.execute()).map(({ address }) => address);
  });

describe('a press in Slack', () => {
  test('links an account once, and then acknowledges as its person', async () => {
    const message = await opened();
    expect(buttonsOf(message).map(({ action_id: id }) => id)).toEqual(['acknowledge', 'assign', 'open']);
    expect((await send(press(idIn(message)))).statusCode).toBe(200);
    expect(lastReply()).toMatchObject({ response_type: 'ephemeral', replace_original: false });
    expect(await caseOf(message.id)).toEqual(untouched);
    const account = await ok(accountApi.linkChat, { body: { token: tokenIn(lastReply().text) } }, analyst);
    expect(account).toMatchObject({ product: 'Slack', name: 'anna', workspace: 'T00DEMO00' });
    expect((await send(press(idIn(message)))).statusCode).toBe(200);
    expect(await caseOf(message.id)).toEqual({
      acknowledged_by: analyst.id,
      acknowledged_channel: 'slack',
      analyst_user_id: null,
    });
    expect(lastReply()).toMatchObject({ replace_original: true });
    expect(JSON.stringify(lastReply().blocks)).toContain('Acknowledged by <@U0ANNA>');
    expect(buttonsOf(lastReply()).map(({ action_id: id }) => id)).toEqual(['open']);
    expect(await addressesOf(message.id)).toEqual(['slack']);
    const detail = await ok(casesApi.detail, { params: { id: message.id, clientOrgId: client } }, analyst);
    expect(detail.caseGeneralInfo.acknowledgement).toMatchObject({ by: 'Test Partner Analyst', channel: 'slack' });
  });

  test('assigns the case to its person', async () => {
    await linked(analyst, 'U0BERT');
    const message = await opened();
    await send(press(idIn(message), { account: 'U0BERT', action: 'assign' }));
    expect(await caseOf(message.id)).toEqual({
      acknowledged_by: analyst.id,
      acknowledged_channel: 'slack',
      analyst_user_id: analyst.id,
    });
  });

  test('names the person who acknowledged before, as the owner of the target may know them', async () => {
    await linked(analyst, 'U0FINN');
    for (const [by, shown] of [
      [admin, 'Test Administrator'],
      [providerAnalyst, 'SOC'],
    ] as const) {
      const message = await opened();
      await ok(casesApi.acknowledge, { body: { incidentID: message.id } }, by);
      await send(press(idIn(message), { account: 'U0FINN' }));
      const { blocks } = lastReply();
      expect(JSON.stringify(blocks)).toMatch(new RegExp(`Acknowledged before by [^"]*${shown}`));
      expect(JSON.stringify(blocks)).not.toContain('<@');
      expect((await caseOf(message.id)).acknowledged_by).toBe(by.id);
    }
  });

  test('acts with the role of now', async () => {
    const changing = await t.user({ organisationId: partner, role: 'Partner Analyst' });
    await linked(changing, 'U0GINA');
    const message = await opened();
    const setRole = (role: string) =>
      scoped(t.db, 'system', (tx) => tx.updateTable('users').set({ role }).where('id', '=', changing.id).execute());
    await setRole('Manager');
    await send(press(idIn(message), { account: 'U0GINA' }));
    expect(lastReply().text).toMatch(/may not do this/);
    expect(await caseOf(message.id)).toEqual(untouched);
    await setRole('Partner Analyst');
    await send(press(idIn(message), { account: 'U0GINA' }));
    expect((await caseOf(message.id)).acknowledged_by).toBe(changing.id);
  });

  test('does nothing for a case outside the tenant of its person', async () => {
    const moving = await t.user({ organisationId: partner, role: 'Partner Analyst' });
    await linked(moving, 'U0HUGO');
    const message = await opened();
    const elsewhere = await t.organisation({ isPartner: true });
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('users').set({ organisation_id: elsewhere }).where('id', '=', moving.id).execute(),
    );
    await send(press(idIn(message), { account: 'U0HUGO' }));
    expect(lastReply()).toMatchObject({ response_type: 'ephemeral', text: expect.stringContaining(String(message.id)) });
    expect(await caseOf(message.id)).toEqual(untouched);
  });

  test('forged at a target of another owner with its own secret acts for no linked person', async () => {
    await linked(analyst, 'U0IDA');
    const message = await opened();
    const value = await messageAt(atProvider.target, message.id);
    await send(press(value, { account: 'U0IDA' }), atProvider.path, otherSecret);
    expect(lastReply().text).toContain('Link your account');
    expect(await caseOf(message.id)).toEqual(untouched);
    // The same account in the same workspace, for another owner: neither link replaces the other.
    await linked(providerAnalyst, 'U0IDA', atProvider.path, otherSecret);
    await send(press(idIn(message), { account: 'U0IDA' }));
    expect((await caseOf(message.id)).acknowledged_by).toBe(analyst.id);
  });

  test('needs a target of a partner', async () => {
    const clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
    const made = { params: { client }, body: { kind: 'slack', name: 'Own', values: slack.values } };
    const { id, hasCallbacks } = (await ok(api.createTarget, made, clientAdmin)).target;
    expect(hasCallbacks).toBe(false);
    const given = { params: { client, target: id }, body: { secret: otherSecret } };
    const refused = await t.call(api.openCallbacks, given, clientAdmin);
    expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining('target of a partner')]);
  });

  test('comes to the address of another target where both share an app, with the secret of both', async () => {
    await linked(analyst, 'U0JANA');
    const [shared, other] = [
      await openedTarget(partner, admin, 'Shared'),
      await openedTarget(partner, admin, 'Of another app', otherSecret),
    ];
    const message = await opened();
    const [atShared, atOther] = [await messageAt(shared.target, message.id), await messageAt(other.target, message.id)];
    await send(press(atOther, { account: 'U0JANA' }));
    expect(lastReply().text).toContain('too old');
    expect(await caseOf(message.id)).toEqual(untouched);
    await send(press(atShared, { account: 'U0JANA' }));
    expect((await caseOf(message.id)).acknowledged_by).toBe(analyst.id);
    for (const id of [shared.target, other.target])
      await ok(api.removeTarget, { params: { client: partner, target: id } }, admin);
  });

  test('does nothing for a person without the right, deleted or unlinked', async () => {
    await linked(reader, 'U0READER');
    const message = await opened();
    await send(press(idIn(message), { account: 'U0READER' }));
    expect(lastReply().text).toMatch(/may not do this/);
    await linked(analyst, 'U0CLEO');
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('users').set({ is_deleted: true }).where('id', '=', analyst.id).execute(),
    );
    await send(press(idIn(message), { account: 'U0CLEO' }));
    expect(lastReply().text).toContain('Link your account');
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('users').set({ is_deleted: false }).where('id', '=', analyst.id).execute(),
    );
    const { results } = await ok(accountApi.chatAccounts, {}, analyst);
    const { id } = results.find(({ name }: { name: string }) => name === 'u0cleo');
    expect((await t.call(accountApi.unlinkChat, { params: { id } }, reader)).statusCode).toBe(404);
    await ok(accountApi.unlinkChat, { params: { id } }, analyst);
    await send(press(idIn(message), { account: 'U0CLEO' }));
    expect(lastReply().text).toContain('Link your account');
    expect(await caseOf(message.id)).toEqual(untouched);
  });

  test('counts once: a repeated, old, early, forged or misdirected request is refused', async () => {
    await linked(analyst, 'U0DORA');
    const message = await opened();
    const value = idIn(message);
    const given = pressRequest(press(value, { account: 'U0DORA', action: 'open', value: undefined as never }));
    expect((await post(given)).statusCode).toBe(200);
    expect((await post(given)).statusCode).toBe(409);
    const now = Date.now();
    const statusOf = async (request: ReturnType<typeof pressRequest>, to?: string) => (await post(request, to)).statusCode;
    expect(await statusOf(pressRequest(press(value, { account: 'U0DORA', at: now - 301_000 })))).toBe(401);
    expect(await statusOf(pressRequest(press(value, { account: 'U0DORA', at: now + 305_000 })))).toBe(401);
    expect(await statusOf(pressRequest(press(value, { account: 'U0DORA' }), 'another secret'))).toBe(401);
    const { headers, body } = pressRequest(press(value, { account: 'U0DORA' }));
    expect(await statusOf({ headers, body: `${body}&x=1` })).toBe(401);
    expect(await statusOf({ headers: { 'content-type': headers['content-type']! }, body })).toBe(401);
    expect(await statusOf({ headers, body }, '/callback/AAAAAAAAAAAAAAAAAAAAAAAA')).toBe(404);
    expect(await caseOf(message.id)).toEqual(untouched);
  });

  test('stays with the messages of its target, and replies nowhere else', async () => {
    await linked(analyst, 'U0EMIL');
    const message = await opened();
    await send(press('00000000-0000-4000-8000-000000000000', { account: 'U0EMIL' }));
    expect(lastReply().text).toContain('too old');
    const before = slack.requests();
    await post(pressRequest(press(idIn(message), { account: 'U0EMIL', responseUrl: 'https://127.0.0.1:9/steal' })));
    expect(slack.requests()).toBe(before);
    expect(await caseOf(message.id)).toMatchObject({ acknowledged_channel: 'slack' });
  });
});

describe('a reply', () => {
  test('keeps no press waiting, and is logged when it fails', async () => {
    const { promise: held, reject } = Promise.withResolvers<void>();
    const warned: unknown[] = [];
    const log = { warn: (about: unknown) => void warned.push(about) } as unknown as Log;
    const chat = createChat({ db: t.db, clock: { now: Date.now }, log } as ChatDeps);
    const place = { target: { id: 7, organisationId: partner, kind: 'slack' }, callbacks: { reply: () => held } };
    const unknown = { action: 'acknowledge', messageId: randomUUID(), workspace: 'T1', account: 'U1' };
    await chat.pressed(place as unknown as Parameters<typeof chat.pressed>[0], unknown as Press);
    expect(warned).toEqual([]);
    reject(new Error('Timed out'));
    await chat.close();
    expect(warned).toEqual([{ err: new Error('Timed out'), target: 7 }]);
  });
});

describe('a link of an account', () => {
  test('refuses people of other organisations, and another account with the same signature', async () => {
    const message = await opened();
    await send(press(idIn(message), { account: 'U0NEW' }));
    const token = tokenIn(lastReply().text);
    const stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
    expect((await t.call(accountApi.linkChat, { body: { token } }, stranger)).statusCode).toBe(403);
    const [text, signature] = token.split('.') as [string, string];
    const forged = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(text, 'base64url').toString()), account: 'U0OTHER' }),
    ).toString('base64url');
    expect((await t.call(accountApi.linkChat, { body: { token: `${forged}.${signature}` } }, admin)).statusCode).toBe(409);
    await ok(accountApi.linkChat, { body: { token } }, admin);
    const again = await t.call(accountApi.linkChat, { body: { token } }, analyst);
    expect([again.statusCode, again.body]).toEqual([409, expect.stringContaining('another person')]);
    await ok(accountApi.linkChat, { body: { token } }, admin);
  });

  test('ends with the access of its person', async () => {
    const leaving = await t.user({ organisationId: partner, role: 'Partner Analyst' });
    await linked(leaving, 'U0KARL');
    await ok(usersApi.remove, { params: { id: leaving.id } }, admin);
    const left = () =>
      scoped(t.db, 'system', (tx) => tx.selectFrom('chat_accounts').select('id').where('user_id', '=', leaving.id).execute());
    expect(await left()).toEqual([]);
  });

  test('outlives a change of the other secrets of its target', async () => {
    const values = { url: `${slack.values.url}` };
    await ok(api.replaceSecrets, { params: { client: partner, target }, body: { values } }, admin);
    const message = await opened();
    expect(buttonsOf(message)).toHaveLength(3);
  });
});
