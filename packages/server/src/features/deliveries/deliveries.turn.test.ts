import { targetKindOf } from '@parapet/connectors/out/all.ts';
import { hourMs, secondMs } from '@parapet/contract/rules/duration.ts';
import type { Peer } from '@parapet/world/peers/peer.ts';
import { startSlack } from '@parapet/world/peers/slack.ts';
import { startWebhook } from '@parapet/world/peers/webhook.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture, everything, leaseMs } from '../../../test/deliveries.fixture.ts';
import { emailFailing } from './deliveries.failing.ts';
import { retryMs } from './deliveries.turn.ts';

let hook: Peer;
let slack: Peer;
let t: DeliveriesFixture;
let client: number;
let target: number;

beforeAll(async () => {
  [hook, slack] = [await startWebhook(), await startSlack()];
  t = await deliveriesFixture([hook, slack]);
});
afterAll(async () => {
  await t.close();
  await Promise.all([hook.close(), slack.close()]);
});
beforeEach(async () => {
  client = await t.organisation();
  ({ id: target } = await t.target(client, hook));
  await t.rule(client, everything(target));
});

/** Queues a case; returns its id. */
const open = async (): Promise<number> => {
  const objectId = await t.case(client);
  await t.queue(client, { event: 'case.opened', objectId });
  return objectId;
};
const states = async () => (await t.rows(target)).map(({ state }) => state);
const arrived = () => hook.received.map(({ headers }) => headers['webhook-id']);

/** Takes a turn with `work` between each request and its record. */
async function afterSending(work: () => Promise<unknown>): Promise<void> {
  t.deps.kindOf = (id) => {
    const kind = targetKindOf(id)!;
    const send: typeof kind.send = async (...given) => {
      const outcome = await kind.send(...given);
      await work();
      return outcome;
    };
    return { ...kind, send };
  };
  await t.turn(target).catch(() => {});
  t.deps.kindOf = targetKindOf;
}

describe('a turn', () => {
  test('sends deliveries in order and records what the other side confirmed', async () => {
    const ids = [await open(), await open(), await open()];
    hook.received.length = 0;
    await t.turn(target);
    expect(await states()).toEqual(['accepted', 'accepted', 'accepted']);
    expect(hook.received.map(({ body }) => JSON.parse(body).data.id)).toEqual(ids);
    const [row] = await t.rows(target);
    expect(row).toMatchObject({ attempts: 1, answer_status: 200, answer: '{"received":true}' });
    expect(await t.targetRow(target)).toMatchObject({ failures: 0, error: null, leased_until: null });
  });

  test('queues one event once, however often its cause is repeated', async () => {
    const objectId = await open();
    await t.queue(client, { event: 'case.opened', objectId });
    expect(await states()).toEqual(['queued']);
  });

  test('keeps the order while the first one fails, and repeats it with the same id', async () => {
    await open();
    await open();
    hook.received.length = 0;
    hook.disturb({ kind: 'outage' });
    await t.turn(target);
    expect(await states()).toEqual(['failed', 'queued']);
    expect((await t.rows(target))[0]?.words).toBe('The webhook returned 503.');
    await t.turn(target);
    expect(hook.received).toHaveLength(1);
    t.forward(retryMs(1, 0.5) + 1);
    await t.turn(target);
    expect(await states()).toEqual(['accepted', 'accepted']);
    const [first, second] = (await t.rows(target)).map((row) => row.message_id);
    expect(arrived()).toEqual([first, first, second]);
  });

  test('waits as long as the other side asks', async () => {
    await open();
    hook.disturb({ kind: 'throttle', seconds: 90 });
    await t.turn(target);
    const [row] = await t.rows(target);
    expect(row!.next_at.getTime() - t.clock.now()).toBe(94_500);
    t.forward(95 * secondMs);
    await t.turn(target);
    expect(await states()).toEqual(['accepted']);
  });

  test('words a wrong address, gives up a message that will never be accepted, and goes on', async () => {
    const { id } = await t.target(client, slack, { url: `${slack.url}/services/T00/B00/unknown` });
    const { id: refused } = await t.target(client, { kind: 'pagerduty', values: { routingKey: 'x'.repeat(32), api: slack.url } });
    await t.rule(client, everything(id));
    await t.rule(client, everything(refused));
    await open();
    await t.turn(id);
    expect((await t.rows(id))[0]).toMatchObject({ state: 'failed', words: 'Slack returned 404: no_service' });
    await t.turn(refused);
    expect((await t.rows(refused))[0]).toMatchObject({ state: 'failed', words: 'PagerDuty returned 404: no_service' });
    await open();
    hook.disturb({ kind: 'status', status: 422 });
    await t.turn(target);
    expect(await states()).toEqual(['givenUp', 'accepted']);
  });

  test('gives up after 72 hours with the last words, and replays with the same id', async () => {
    await open();
    hook.disturb({ kind: 'outage' });
    await t.turn(target);
    t.forward(73 * hourMs);
    await t.turn(target);
    const [row] = await t.rows(target);
    expect(row).toMatchObject({ state: 'givenUp', words: 'Not accepted within 72 hours. The webhook returned 503.' });
  });

  test('shows a delivery as sent, not as accepted, after a crash, and sends it again with the same id', async () => {
    await open();
    hook.received.length = 0;
    await afterSending(async () => {
      // The process dies after the request left: nothing after it runs.
      throw Object.assign(new Error('killed'), { code: '57P01' });
    });
    expect(await states()).toEqual(['sent']);
    await t.turn(target);
    expect(await states()).toEqual(['sent']);
    t.forward(leaseMs + 1);
    await t.turn(target);
    expect((await t.rows(target))[0]).toMatchObject({ state: 'accepted', attempts: 2 });
    expect(new Set(arrived()).size).toBe(1);
    expect(hook.received).toHaveLength(2);
  });

  test('records an acceptance although the target was paused during the request, and sends nothing more', async () => {
    await open();
    await open();
    await afterSending(() => t.update(target, 'is_paused = true'));
    expect(await states()).toEqual(['accepted', 'queued']);
    expect(await t.targetRow(target)).toMatchObject({ leased_until: null });
  });
});

describe('emailFailing', () => {
  test('emails administrators once an outage, after an hour', async () => {
    const mails: { name?: string; to: string[]; facts?: (readonly [string, string])[] }[] = [];
    const outbox = { queue: async (_tx: unknown, mail: (typeof mails)[number]) => void mails.push(mail) };
    const run = () => emailFailing({ ...t.deps, outbox: outbox as never, administratorsOf: async () => ['admin@x.example'] });
    const ours = () => mails.filter(({ name }) => name?.startsWith(`delivery-target-${target}-`));
    await open();
    hook.disturb({ kind: 'outage' }, { kind: 'outage' });
    await t.turn(target);
    await run();
    expect(ours()).toEqual([]);
    t.forward(hourMs + 1);
    await t.turn(target);
    await run();
    expect(ours()).toMatchObject([{ to: ['admin@x.example'] }]);
    expect(ours()[0]!.facts).toContainEqual(['Newest failure', 'The webhook returned 503.']);
    expect(ours()[0]!.facts).toContainEqual(['Unsent', '1 delivery waits; 0 were given up']);
    await run();
    // The same name: the outbox queues it once.
    expect(new Set(ours().map(({ name }) => name)).size).toBe(1);
    t.forward(hourMs);
    await t.turn(target);
    const sent = ours().length;
    await run();
    expect(ours()).toHaveLength(sent);
  });
});

describe('an answer', () => {
  test('counts by its status when it has no end, and is read to 16 KB only', async () => {
    await open();
    hook.disturb({ kind: 'endless' });
    await t.turn(target);
    const [row] = await t.rows(target);
    expect(row).toMatchObject({ state: 'accepted', answer_status: 200 });
    expect(row!.answer!.length).toBeLessThanOrEqual(16_000);
  });

  test('fails when it redirects to a private address, which is not followed', async () => {
    await open();
    hook.disturb({ kind: 'redirect', to: 'http://169.254.169.254/latest/meta-data' });
    await t.turn(target);
    expect((await t.rows(target))[0]).toMatchObject({
      state: 'failed',
      answer_status: 302,
      words: 'The webhook redirects elsewhere. Redirects are not followed.',
    });
  });

  test('fails in words when the address is private, without a request', async () => {
    const { id } = await t.target(client, hook, { url: 'https://10.0.0.7/hooks' });
    await t.rule(client, everything(id));
    await open();
    await t.turn(id);
    expect((await t.rows(id))[0]).toMatchObject({
      state: 'failed',
      answer_status: null,
      words: '10.0.0.7 isn’t a public https address, so the portal doesn’t connect to it.',
    });
  });

  test('fails in words when the connection closes without it', async () => {
    const { id } = await t.target(client, hook, { url: `${slack.url}/x` });
    await t.rule(client, everything(id));
    await open();
    slack.disturb({ kind: 'reset' });
    await t.turn(id);
    expect((await t.rows(id))[0]?.words).toMatch(/can’t be reached: the connection was closed\./);
  });
});

describe('retryMs', () => {
  test('doubles from five seconds up to an hour, with jitter of a half', () => {
    expect([1, 2, 3].map((attempts) => retryMs(attempts, 1))).toEqual([5 * secondMs, 10 * secondMs, 20 * secondMs]);
    expect(retryMs(1, 0)).toBe(2_500);
    expect(retryMs(60, 1)).toBe(hourMs);
  });
});
