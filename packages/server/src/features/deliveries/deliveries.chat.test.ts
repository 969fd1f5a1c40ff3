/** Presses at a simulated Slack, through the portal's own address, with a worker that sends the messages. */
import { accountApi } from '@parapet/contract/account.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { deliveriesApi as api } from '@parapet/contract/deliveries.ts';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import type { Peer } from '@parapet/world/peers/peer.ts';
import { pressRequest, type SlackPress, slackSigningSecret } from '@parapet/world/peers/slack.presses.ts';
import { replyPath, startSlack } from '@parapet/world/peers/slack.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { everything } from '../../../test/deliveries.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import { queueDeliveries } from '../../domain/causes.ts';

let t: TestApp;
let slack: Peer;
let partner: number;
let client: number;
let admin: TestUser;
let analyst: TestUser;
let reader: TestUser;
let target: number;
let path: string;

const ok = async <E extends Endpoint>(endpoint: E, input: InputOf<E>, user: TestUser) => {
  const answer = await t.call(endpoint, input, user);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};

beforeAll(async () => {
  slack = await startSlack();
  t = await testApp({ CONNECTION_ORIGINS: slack.url, PORTAL_ROLES: 'api,ingest,worker' });
  partner = await t.organisation({ isPartner: true, name: 'Quay' });
  client = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  reader = await t.user({ organisationId: partner, role: 'Manager' });
  const made = { params: { client: partner }, body: { kind: 'slack', name: 'Watch', values: slack.values } };
  target = (await ok(api.createTarget, made, admin)).target.id;
  const params = { client: partner, target };
  const { address, secret } = await ok(api.openCallbacks, { params, body: { secret: slackSigningSecret } }, admin);
  expect(secret).toBeNull();
  path = new URL(address).pathname;
  await ok(api.createRule, { params: { client: partner }, body: { ...everything(target), events: ['case.opened'] } }, admin);
});
afterAll(async () => {
  await t.close();
  await slack.close();
});

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
const send = (given: SlackPress) => post(pressRequest(given));
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

async function linked(user: TestUser, account: string): Promise<void> {
  const message = await opened();
  await send(press(idIn(message), { account, name: account.toLowerCase() }));
  await ok(accountApi.linkChat, { body: { token: tokenIn(lastReply().text) } }, user);
  expect(await caseOf(message.id)).toEqual(untouched);
}

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

  test('does nothing for a person without the right, outside the tenant, deleted or unlinked', async () => {
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
    await send(press(idIn(message), { account: 'U0EMIL', responseUrl: 'https://127.0.0.1:9/steal' }));
    expect(slack.requests()).toBe(before);
    expect(await caseOf(message.id)).toMatchObject({ acknowledged_channel: 'slack' });
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
  });

  test('outlives a change of the other secrets of its target', async () => {
    const values = { url: `${slack.values.url}` };
    await ok(api.replaceSecrets, { params: { client: partner, target }, body: { values } }, admin);
    const message = await opened();
    expect(buttonsOf(message)).toHaveLength(3);
  });
});
