import { deliveriesApi as api, type DeliveryRuleInput } from '@parapet/contract/deliveries.ts';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import type { Peer } from '@parapet/world/peers/peer.ts';
import { startSlack } from '@parapet/world/peers/slack.ts';
import { startWebhook } from '@parapet/world/peers/webhook.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { everything, verifiedWebhook } from '../../../test/deliveries.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import { queueDeliveries } from '../../domain/causes.ts';
import { listTargets } from './deliveries.store.ts';

let t: TestApp;
let hook: Peer;
let slack: Peer;
let partner: number;
let client: number;
let sibling: number;
let admin: TestUser;
let partnerAdmin: TestUser;
let analyst: TestUser;
let stranger: TestUser;
let number = 0;

beforeAll(async () => {
  [hook, slack] = [await startWebhook(), await startSlack()];
  t = await testApp({ CONNECTION_ORIGINS: `${hook.url},${slack.url}` });
  partner = await t.organisation({ isPartner: true, name: 'Harbor' });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
});
afterAll(async () => {
  await t.close();
  await Promise.all([hook.close(), slack.close()]);
});

const ok = async <E extends Endpoint>(endpoint: E, input: InputOf<E>, user = admin) => {
  const answer = await t.call(endpoint, input, user);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};
const add = (owner = client, user = admin, peer: Peer = hook, more: Record<string, string> = {}) => {
  const body = { kind: peer.kind, name: `Target ${++number}`, values: { ...peer.values, ...more } };
  return t.call(api.createTarget, { params: { client: owner }, body }, user);
};
const addOne = async (...given: Parameters<typeof add>): Promise<{ id: number; secret: string }> => {
  const { target, secret } = (await add(...given)).json();
  return { id: target.id, secret };
};
const targetsOf = async (user: TestUser, owner: number) =>
  (await ok(api.targets, { params: { client: owner } }, user)).results as { id: number; state: string; error: string | null }[];
const auditOf = (id: number) =>
  scoped(t.db, 'system', async (tx) =>
    (
      await tx
        .selectFrom('audit')
        .select('action')
        .where('target', '=', String(id))
        .where('action', 'like', 'delivery%')
        .orderBy('id')
        .execute()
    ).map(({ action }) => action),
  );

describe('targets', () => {
  test('accept every change of people, audited', async () => {
    const { id } = await addOne();
    const params = { client, target: id };
    const name = `Renamed ${id}`;
    const quiet = { zone: 'Europe/Vienna', from: 1320, to: 360 };
    await ok(api.updateTarget, { params, body: { name, isPaused: true, quiet } });
    expect((await targetsOf(admin, client)).find((each) => each.id === id)).toMatchObject({ name, state: 'paused', quiet });
    await ok(api.updateTarget, { params, body: { name, isPaused: false, quiet: null } });
    await ok(api.removeTarget, { params });
    expect((await targetsOf(admin, client)).some((each) => each.id === id)).toBe(false);
    expect(await auditOf(id)).toEqual([
      'deliveryTarget.created',
      'deliveryTarget.paused',
      'deliveryTarget.changed',
      'deliveryTarget.resumed',
      'deliveryTarget.changed',
      'deliveryTarget.removed',
    ]);
  });

  test('return a signing secret once, and rotate it with both valid', async () => {
    const { id, secret } = await addOne();
    const params = { client, target: id };
    await ok(api.test, { params });
    const { secret: next } = await ok(api.replaceSecrets, { params, body: { values: {} } });
    const tested = await ok(api.test, { params });
    expect(tested).toMatchObject({ event: 'test', state: 'accepted', words: null });
    for (const each of [secret, next]) expect(verifiedWebhook(each, hook.received.at(-1)!)).toMatchObject({ type: 'test' });
    const shown = (await targetsOf(admin, client)).find((each) => each.id === id);
    expect(Date.parse((shown as unknown as { previousSecretUntil: string }).previousSecretUntil)).toBeGreaterThan(Date.now());
    expect(JSON.stringify(await targetsOf(admin, client))).not.toContain('whsec_');
  });

  test('store secrets sealed and return them nowhere', async () => {
    const { id } = await addOne(client, admin, slack);
    const row = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('delivery_targets').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    );
    expect(JSON.stringify(row.settings)).not.toContain('/services/');
    expect(row.secrets.toString('latin1')).not.toContain('/services/');
    await ok(api.test, { params: { client, target: id } });
    const list = await ok(api.list, { params: { client, target: id }, query: { page: 1, pageSize: 50 } });
    const one = await ok(api.get, { params: { client, target: id, delivery: list.results[0].id } });
    expect(JSON.stringify([list, one])).not.toContain('/services/');
    expect(one).toMatchObject({ state: 'accepted', answer: 'ok', answerStatus: 200 });
  });

  test('show the other side’s words when a test fails', async () => {
    const { id } = await addOne(client, admin, slack, { url: `${slack.url}/services/T0/B0/gone` });
    expect(await ok(api.test, { params: { client, target: id } })).toMatchObject({
      state: 'givenUp',
      words: 'Slack returned 404: no_service',
    });
    expect((await targetsOf(admin, client)).find((each) => each.id === id)).toMatchObject({
      state: 'failing',
      error: 'Slack returned 404: no_service',
    });
  });

  test('refuse faulty values at their field, and a name that is taken', async () => {
    const faulty = await add(client, admin, hook, { url: 'ftp://x' });
    expect(faulty.statusCode).toBe(400);
    expect(faulty.json().errors['values.url']).toEqual(['Enter an address that begins with https://.']);
    const { id } = await addOne();
    const name = `Target ${number}`;
    const again = await t.call(
      api.createTarget,
      { params: { client }, body: { kind: 'webhook', name, values: hook.values } },
      admin,
    );
    expect(again.statusCode).toBe(409);
    await addOne();
    const body = { name: `Target ${number}`, isPaused: false, quiet: null };
    expect((await t.call(api.updateTarget, { params: { client, target: id }, body }, admin)).statusCode).toBe(409);
  });

  test('refuse the administrators of a client where the kind is a provider’s', async () => {
    const { results } = await ok(api.kinds, {});
    const allowed = (results as { id: string; isAllowed: boolean }[]).filter(({ isAllowed }) => isAllowed).map(({ id }) => id);
    expect(allowed).toEqual(['teams', 'slack', 'webhook']);
    const values = { routingKey: 'a'.repeat(32), api: 'events.pagerduty.com' };
    const body = { kind: 'pagerduty', name: 'Pager', values };
    expect((await t.call(api.createTarget, { params: { client }, body }, admin)).statusCode).toBe(403);
    const { target } = await ok(api.createTarget, { params: { client }, body }, partnerAdmin);
    const pause = { params: { client, target: target.id }, body: { name: 'Pager', isPaused: true, quiet: null } };
    expect((await t.call(api.updateTarget, pause, admin)).statusCode).toBe(403);
    await ok(api.updateTarget, pause, partnerAdmin);
  });

  test('stay hidden from others: no sign-in, wrong role, other tenant', async () => {
    const { id } = await addOne();
    expect((await t.call(api.targets, { params: { client } })).statusCode).toBe(401);
    expect((await t.call(api.targets, { params: { client } }, analyst)).statusCode).toBe(403);
    expect((await t.call(api.targets, { params: { client } }, stranger)).statusCode).toBe(403);
    const own = { params: { client: stranger.organisationId, target: id } };
    expect((await t.call(api.test, own, stranger)).statusCode).toBe(404);
    expect((await targetsOf(partnerAdmin, client)).some((each) => each.id === id)).toBe(true);
    // Without the scope argument, row-level security returns nothing foreign.
    const leaked = await scoped(t.db, { organisationIds: [stranger.organisationId] }, (tx) => listTargets(tx, 'system'));
    expect(leaked).toEqual([]);
  });
});

describe('deliveries', () => {
  test('replay a digest as one, by whichever of its deliveries', async () => {
    const { id } = await addOne();
    await ok(api.createRule, { params: { client }, body: { ...everything(id), digestMinutes: 15 } });
    const at = new Date();
    await scoped(t.db, { organisationIds: [client] }, (tx) =>
      queueDeliveries(
        tx,
        [1, 2].map((objectId) => ({ organisationId: client, event: 'report.ready', objectId, at, facts: { month: '2026-10' } })),
      ),
    );
    const params = { client, target: id };
    const rows = async () => (await ok(api.list, { params, query: { page: 1, pageSize: 50 } })).results;
    const [member, head] = await rows();
    const giveUp = () =>
      scoped(t.db, 'system', async (tx) => {
        await tx.updateTable('deliveries').set({ state: 'givenUp' }).where('target_id', '=', id).execute();
        await tx.updateTable('deliveries').set({ digest_id: head.id }).where('id', '=', member.id).execute();
      });
    await giveUp();
    await ok(api.replay, { params: { ...params, delivery: member.id } });
    expect((await rows()).map(({ state }: { state: string }) => state)).toEqual(['queued', 'queued']);
    await giveUp();
    expect(await ok(api.replayAll, { params })).toEqual({ count: 2 });
    expect((await rows()).map(({ state }: { state: string }) => state)).toEqual(['queued', 'queued']);
  });

  test('replay with the same id, only after they were given up', async () => {
    const { id } = await addOne();
    await ok(api.createRule, { params: { client }, body: everything(id) });
    await scoped(t.db, { organisationIds: [client] }, (tx) =>
      queueDeliveries(tx, [
        { organisationId: client, event: 'report.ready', objectId: 1, at: new Date(), facts: { month: '2026-10' } },
      ]),
    );
    const params = { client, target: id };
    const [row] = (await ok(api.list, { params, query: { page: 1, pageSize: 50 } })).results;
    expect(row).toMatchObject({ state: 'queued', title: 'Report ready: 2026-10', attempts: 0 });
    const replay = { params: { ...params, delivery: row.id } };
    expect((await t.call(api.replay, replay, admin)).statusCode).toBe(409);
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('deliveries').set({ state: 'givenUp', words: 'No.' }).where('id', '=', row.id).execute(),
    );
    const before = await ok(api.get, replay);
    await ok(api.replay, replay);
    expect(await ok(api.get, replay)).toMatchObject({ state: 'queued', messageId: before.messageId });
    expect(await auditOf(id)).toContain('delivery.replayed');
    expect(await ok(api.replayAll, { params })).toEqual({ count: 0 });
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('deliveries').set({ state: 'givenUp' }).where('id', '=', row.id).execute(),
    );
    expect(await ok(api.replayAll, { params })).toEqual({ count: 1 });
    expect(await ok(api.get, replay)).toMatchObject({ state: 'queued', messageId: before.messageId });
  });
});

describe('rules', () => {
  test('refuse a client of others and a verdict at opening, and audit each change', async () => {
    const { id } = await addOne(partner, partnerAdmin);
    const params = { client: partner };
    const body = { ...everything(id), clientId: sibling };
    const { id: rule } = await ok(api.createRule, { params, body }, partnerAdmin);
    const [shown] = (await ok(api.rules, { params }, partnerAdmin)).results;
    expect(shown).toMatchObject({ id: rule, clientId: sibling, clientName: `Organisation ${sibling}` });
    const foreign = { params, body: { ...body, clientId: stranger.organisationId } };
    expect((await t.call(api.createRule, foreign, partnerAdmin)).json().errors.clientId).toHaveLength(1);
    const early = { params, body: { ...body, events: ['case.opened' as const], verdicts: ['Malicious' as const] } };
    expect((await t.call(api.createRule, early, partnerAdmin)).json().errors.verdicts[0]).toMatch(/no verdict when it opens/);
    const status = { params, body: { ...body, afterMinutes: 30 } };
    expect((await t.call(api.createRule, status, partnerAdmin)).json().errors.afterMinutes).toHaveLength(1);
    const change = { params: { ...params, rule }, body: { ...body, isOn: false } };
    await ok(api.updateRule, change, partnerAdmin);
    expect((await t.call(api.updateRule, change, stranger)).statusCode).toBe(403);
    await ok(api.removeRule, { params: { ...params, rule } }, partnerAdmin);
    expect((await auditOf(rule)).filter((action) => action.startsWith('deliveryRule'))).toEqual([
      'deliveryRule.created',
      'deliveryRule.changed',
      'deliveryRule.removed',
    ]);
  });

  test('refuse alerts and digests for a pager, and a digest that waits for an acknowledgement', async () => {
    const params = { client: partner };
    const { id: hook } = await addOne(partner, partnerAdmin);
    const { target: pager } = await ok(
      api.createTarget,
      { params, body: { kind: 'pagerduty', name: 'Pager', values: { routingKey: '0'.repeat(32), api: 'events.pagerduty.com' } } },
      partnerAdmin,
    );
    const errorsOf = async (target: number, rule: Partial<DeliveryRuleInput>) =>
      (
        await t.call(api.createRule, { params, body: { ...everything(target), events: ['case.opened'], ...rule } }, partnerAdmin)
      ).json().errors;
    expect(await errorsOf(pager.id, { events: ['alert.raised'] })).toEqual({
      events: [expect.stringMatching(/not to PagerDuty/)],
    });
    expect(await errorsOf(pager.id, { digestMinutes: 60 })).toEqual({
      digestMinutes: [expect.stringMatching(/each event on its own/)],
    });
    expect(await errorsOf(hook, { digestMinutes: 60, afterMinutes: 30 })).toHaveProperty('digestMinutes');
    const body = { ...everything(hook), digestMinutes: 60 as const };
    const { id: rule } = await ok(api.createRule, { params, body }, partnerAdmin);
    const { withEvents: _events, digestMinutes: _minutes, ...older } = body;
    await ok(api.updateRule, { params: { ...params, rule }, body: older }, partnerAdmin);
    const { results } = await ok(api.rules, { params }, partnerAdmin);
    expect((results as { id: number }[]).find(({ id }) => id === rule)).toMatchObject({ withEvents: true, digestMinutes: 60 });
  });

  test('refuse levels of escalation that never send or belong to others', async () => {
    const { id } = await addOne(partner, partnerAdmin);
    const { id: second } = await addOne(partner, partnerAdmin);
    const { id: foreign } = await addOne(client, admin);
    const params = { client: partner };
    const events = ['case.opened' as const];
    const create = (escalations: { afterMinutes: number; targetId: number }[], more = {}) =>
      t.call(api.createRule, { params, body: { ...everything(id), events, escalations, ...more } }, partnerAdmin);
    const level = { afterMinutes: 15, targetId: second };
    expect((await create([level], { afterMinutes: 15 })).json().errors.escalations[0]).toMatch(/later than the rule/);
    expect((await create([level, level])).json().errors.escalations[0]).toMatch(/same time and target/);
    expect((await create([level], { events: ['report.ready'] })).json().errors.escalations[0]).toMatch(/Choose one of these/);
    expect((await create([{ afterMinutes: 15, targetId: foreign }])).statusCode).toBe(404);
    const created = await create([level]);
    expect(created.statusCode, created.body).toBe(200);
    const rules = (await ok(api.rules, { params }, partnerAdmin)).results;
    expect(rules.find((rule: { id: number }) => rule.id === created.json().id).escalations).toEqual([level]);
    // A page from before the levels sends none.
    const { escalations: _levels, ...former } = { ...everything(id), minSeverity: 'high' as const };
    await ok(api.updateRule, { params: { ...params, rule: created.json().id }, body: former }, partnerAdmin);
    const [remaining] = (await ok(api.rules, { params }, partnerAdmin)).results.filter(
      (rule: { id: number }) => rule.id === created.json().id,
    );
    expect([remaining.minSeverity, remaining.escalations]).toEqual(['high', [level]]);
  });

  test('refuse the target of another tenant', async () => {
    const { id } = await addOne(partner, partnerAdmin);
    const rule = { params: { client }, body: everything(id) };
    expect((await t.call(api.createRule, rule, admin)).statusCode).toBe(404);
    expect((await t.call(api.preview, rule, admin)).statusCode).toBe(404);
  });
});
