/** Rules that send their events together: one message, and one state for all of them. */
import type { DeliveryRuleInput } from '@parapet/contract/deliveries.ts';
import { deliveryData } from '@parapet/contract/deliveryEvents.ts';
import { dayMs, hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import type { Peer } from '@parapet/world/peers/peer.ts';
import { startWebhook } from '@parapet/world/peers/webhook.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture, everything } from '../../../test/deliveries.fixture.ts';
import { scoped } from '../../core/db/scope.ts';

let hook: Peer;
let t: DeliveriesFixture;
let partner: number;
let client: number;
/** A full hour, well in the past. */
const hour = Math.floor(Date.now() / hourMs) * hourMs - dayMs;

beforeAll(async () => {
  hook = await startWebhook();
  t = await deliveriesFixture([hook]);
});
afterAll(async () => {
  await t.close();
  await hook.close();
});
beforeEach(async () => {
  t.clock.moveTo(hour + 10 * minuteMs);
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Alder' });
  hook.received.length = 0;
});

const targetOf = async (rule: Partial<DeliveryRuleInput> = {}): Promise<number> => {
  const { id } = await t.target(partner, hook);
  await t.rule(partner, { ...everything(id), digestMinutes: 60, ...rule });
  return id;
};
const open = async (title: string, organisation = client): Promise<number> => {
  const objectId = await t.case(organisation, { title });
  await t.queue(organisation, { event: 'case.opened', objectId });
  return objectId;
};
const received = () => hook.received.map(({ body }) => JSON.parse(body));
const statesOf = async (target: number) => (await t.rows(target)).map(({ state }) => state);

test('waits for the full hour, and sends one message with the events of it', async () => {
  const target = await targetOf();
  const first = await open('Password guessing');
  const other = await t.organisation({ parentId: partner, name: 'Birch' });
  const second = await open('Beacon', other);
  t.clock.moveTo(hour + 59 * minuteMs);
  await t.turn(target);
  expect(received()).toEqual([]);
  t.clock.moveTo(hour + hourMs);
  await t.turn(target);
  const [body, ...none] = received();
  expect(none).toEqual([]);
  expect(body).toMatchObject({
    type: 'digest.events',
    data: {
      organisation: partner,
      client: '2 clients',
      count: 2,
      events: [
        { id: first, client: 'Alder' },
        { id: second, client: 'Birch' },
      ],
    },
  });
  deliveryData['digest.events'].parse(body.data);
  expect(await statesOf(target)).toEqual(['accepted', 'accepted']);
});

test('sends a single event as itself', async () => {
  const target = await targetOf();
  const id = await open('Alone');
  t.clock.moveTo(hour + hourMs);
  await t.turn(target);
  expect(received()).toMatchObject([{ type: 'case.opened', data: { id } }]);
});

test.each([
  [15, 10 * minuteMs, 15 * minuteMs],
  [240, 0, undefined],
] as const)('queues every %i minutes', async (digestMinutes, after, due) => {
  const target = await targetOf({ digestMinutes });
  t.clock.moveTo(hour + after);
  await open('A case');
  const [row] = await t.rows(target);
  const at = row!.queue_at.getTime();
  expect(at % (digestMinutes * minuteMs)).toBe(0);
  expect(at).toBeGreaterThan(hour + after);
  expect(at - hour - after).toBeLessThanOrEqual(digestMinutes * minuteMs);
  if (due) expect(at).toBe(hour + due);
});

test('queues daily ones for 06:00 UTC', async () => {
  const target = await targetOf({ digestMinutes: 1440 });
  await open('A case');
  const at = (await t.rows(target))[0]!.queue_at;
  expect(at.toISOString()).toMatch(/T06:00:00.000Z$/);
  expect(at.getTime() - t.clock.now()).toBeLessThanOrEqual(dayMs);
});

test('sends at once where another rule of the target does so', async () => {
  const target = await targetOf();
  await t.rule(partner, { ...everything(target), events: ['case.opened'] });
  const id = await open('At once');
  await t.turn(target);
  expect(received()).toMatchObject([{ type: 'case.opened', data: { id } }]);
});

describe('a failing digest', () => {
  test('repeats the same message, which later events do not join', async () => {
    const target = await targetOf();
    await open('First');
    await open('Second');
    t.clock.moveTo(hour + hourMs);
    hook.disturb({ kind: 'status', status: 503 });
    await t.turn(target);
    expect(await statesOf(target)).toEqual(['failed', 'failed']);
    const late = await open('Late');
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('deliveries')
        .set({ queue_at: new Date(hour + hourMs) })
        .where('object_id', '=', late)
        .execute(),
    );
    t.clock.moveTo(hour + 3 * hourMs);
    await t.turn(target);
    const bodies = received();
    expect(bodies).toMatchObject([
      { type: 'digest.events', data: { count: 2 } },
      { type: 'digest.events', data: { count: 2 } },
      { type: 'case.opened', data: { id: late } },
    ]);
    expect(bodies[1]).toEqual(bodies[0]);
    expect(await statesOf(target)).toEqual(['accepted', 'accepted', 'accepted']);
  });

  test('ends as a whole, and repeats as a whole', async () => {
    const target = await targetOf();
    await open('First');
    await open('Second');
    t.clock.moveTo(hour + hourMs);
    hook.disturb({ kind: 'status', status: 400 });
    await t.turn(target);
    expect(await statesOf(target)).toEqual(['givenUp', 'givenUp']);
    const [head] = await t.rows(target);
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('deliveries')
        .set({ state: 'queued', next_at: new Date(t.clock.now()) })
        .where('id', '=', head!.id)
        .execute(),
    );
    await t.turn(target);
    expect(await statesOf(target)).toEqual(['accepted', 'accepted']);
    expect(received().at(-1)).toMatchObject({ type: 'digest.events', data: { count: 2 } });
  });
});

test('goes on without a client that left', async () => {
  const target = await targetOf();
  const gone = await t.organisation({ parentId: partner, name: 'Birch' });
  await open('Of a former client', gone);
  const [first, second] = [await open('First'), await open('Second')];
  await scoped(t.db, 'system', (tx) =>
    tx.updateTable('organisations').set({ deactivated_at: new Date() }).where('id', '=', gone).execute(),
  );
  t.clock.moveTo(hour + hourMs);
  await t.turn(target);
  expect(await statesOf(target)).toEqual(['notNeeded', 'accepted', 'accepted']);
  expect(received()).toMatchObject([
    { type: 'digest.events', data: { client: 'Alder', events: [{ id: first }, { id: second }] } },
  ]);
});
