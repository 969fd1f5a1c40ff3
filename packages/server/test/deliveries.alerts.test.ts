/** New alerts as causes of deliveries: once each, with their case, for the rules that choose them. */
import type { DeliveryRuleInput } from '@parapet/contract/deliveries.ts';
import { deliveryData, maxAlertEventsLength } from '@parapet/contract/deliveryEvents.ts';
import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { startWebhook } from '@parapet/world/peers/webhook.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { createCorrelationService } from '../src/features/correlation/correlation.service.ts';
import { countPreview } from '../src/features/deliveries/deliveries.preview.store.ts';
import { type TestApp, testApp } from './app.ts';
import { correlationFixture } from './correlation.fixture.ts';
import { type DeliveriesFixture, deliveriesFixture, everything } from './deliveries.fixture.ts';
import { type SeedRule, seedRule } from './seed.ts';

let t: TestApp;
let d: DeliveriesFixture;
let hook: Awaited<ReturnType<typeof startWebhook>>;
let correlation: ReturnType<typeof createCorrelationService>;
let { raised, casesOf } = {} as ReturnType<typeof correlationFixture>;
let severe: SeedRule;
let low: SeedRule;
let partner: number;
let client: number;
const start = Date.now() - 10 * minuteMs;

beforeAll(async () => {
  hook = await startWebhook();
  t = await testApp();
  d = await deliveriesFixture([hook], { given: t.database });
  ({ raised, casesOf } = correlationFixture(t));
  correlation = createCorrelationService({ db: t.db, log: silentLog });
  severe = await seedRule(
    t.db,
    { title: 'Ransomware behaviour', criticality: 4 },
    { tactics: ['impact'], techniques: ['T1486'] },
  );
  low = await seedRule(t.db, { title: 'Odd program', criticality: 2 }, { tactics: ['execution'] });
});
afterAll(async () => {
  await t.close();
  await hook.close();
});
beforeEach(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Alder' });
});

const targetOf = async (owner: number, rule: Partial<DeliveryRuleInput> = {}): Promise<number> => {
  const { id } = await d.target(owner, hook);
  await d.rule(owner, { ...everything(id), events: ['alert.raised'], ...rule });
  return id;
};
const pair = () =>
  raised(client, [
    { at: start, rule: severe, device: 'WS-12', user: 'ana', document: { message: 'vssadmin', padding: 'x' } },
    { at: start + minuteMs, rule: low, device: 'WS-99' },
  ]);

test('sends each new alert once, with its case, rule and events', async () => {
  const target = await targetOf(partner);
  const [first, second] = await pair();
  await correlation.run(client);
  const [record] = await casesOf(client);
  await correlation.run(client);
  d.clock.moveTo(Date.now() + 1_000);
  await d.worker().drain();
  const bodies = hook.received.slice(-2).map(({ body }) => JSON.parse(body));
  expect(bodies).toMatchObject([
    {
      type: 'alert.raised',
      data: {
        ...{ id: first!.id, organisation: client, client: 'Alder', title: 'Ransomware behaviour', severity: 'high' },
        ...{ device: 'WS-12', user: 'ana', techniques: ['T1486'], tactics: ['impact'], case: record!.id },
        ...{ at: new Date(start).toISOString(), events: [{ message: 'vssadmin', padding: 'x' }] },
        url: `https://portal.example/apps/alert/${first!.id}`,
      },
    },
    { type: 'alert.raised', data: { id: second!.id, severity: 'low', case: null } },
  ]);
  for (const { data } of bodies) deliveryData['alert.raised'].parse(data);
  expect((await d.rows(target)).map(({ state }) => state)).toEqual(['accepted', 'accepted']);
});

test('keeps to the severity and client of a rule, and to its choice of events', async () => {
  const high = await targetOf(partner, { minSeverity: 'high', withEvents: false });
  const sibling = await targetOf(partner, { clientId: await t.organisation({ parentId: partner }) });
  const foreign = await targetOf(await t.organisation({ isPartner: true }));
  const malicious = await targetOf(partner, { verdicts: ['Malicious'] });
  const [first] = await pair();
  await correlation.run(client);
  const rows = await d.rows(high);
  expect(rows.map(({ object_id }) => object_id)).toEqual([first!.id]);
  expect(rows[0]!.facts).not.toHaveProperty('events');
  expect([await d.rows(sibling), await d.rows(foreign)]).toEqual([[], []]);
  // Verdicts concern cases.
  expect(await d.rows(malicious)).toHaveLength(2);
});

test('leaves events out that are too long together', async () => {
  const target = await targetOf(client);
  await raised(client, [{ at: start, rule: severe, device: 'WS-1', document: { text: 'x'.repeat(maxAlertEventsLength) } }]);
  await correlation.run(client);
  expect((await d.rows(target))[0]!.facts).toMatchObject({ events: [] });
});

test('leaves out suppressed alerts, and those that only change their case', async () => {
  const target = await targetOf(client);
  const { id: owner } = await t.user({ organisationId: client, role: 'Analyst' });
  const suppression = {
    ...{ kind: 'suppression' as const, organisation_id: client, rule_id: null, device_name: 'WS-99', user_name: null },
    ...{ reason: 'known', owner_user_id: owner, owner_name: 'x' },
    ...{ created_at: new Date(start - hourMs), ends_at: new Date(Date.now() + hourMs) },
  };
  await scoped(t.db, 'system', (tx) => tx.insertInto('exceptions').values(suppression).execute());
  const [first] = await pair();
  const [again] = await raised(client, [{ at: start, rule: severe, device: 'WS-13', user: 'ben' }]);
  await scoped(t.db, 'system', (tx) =>
    tx.updateTable('correlation_queue').set({ is_again: true }).where('alert_id', '=', again!.id).execute(),
  );
  await correlation.run(client);
  expect((await d.rows(target)).map(({ object_id }) => object_id)).toEqual([first!.id]);
});

test('counts the same in the preview of a rule', async () => {
  const target = await targetOf(partner);
  await pair();
  await correlation.run(client);
  const preview = (rule: Partial<DeliveryRuleInput>) =>
    scoped(t.db, 'system', (tx) =>
      countPreview(tx, 'system', partner, { ...everything(target), events: ['alert.raised'], ...rule }, Date.now()),
    );
  expect((await preview({})).results).toEqual([{ event: 'alert.raised', count: 2 }]);
  expect((await preview({ minSeverity: 'high' })).results).toEqual([{ event: 'alert.raised', count: 1 }]);
});
