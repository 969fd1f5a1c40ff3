/** Input of vendors that the common suite leaves out: clocks that differ, pages that are too large, pages without an end. */
import { gzipSync } from 'node:zlib';
import { okta as oktaConnector } from '@parapet/connectors/okta.ts';
import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { startVendor } from '@parapet/world/vendors/all.ts';
import { oktaEvent, startOkta } from '@parapet/world/vendors/okta.ts';
import { serveVendor, type Vendor } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ConnectionsFixture, connectionsFixture } from '../../../test/connections.fixture.ts';
import { expectOnce } from '../../../test/connections.suite.ts';
import { scoped } from '../../core/db/scope.ts';

const kinds = ['okta', 'm365', 'entra'];
let vendors: Record<string, Vendor>;
let okta: Awaited<ReturnType<typeof startOkta>>;
let t: ConnectionsFixture;
beforeAll(async () => {
  okta = await startOkta();
  const others = await Promise.all(['m365', 'entra'].map((kind) => startVendor[kind]!()));
  vendors = Object.fromEntries([okta, ...others].map((vendor) => [vendor.kind, vendor]));
  t = await connectionsFixture(Object.values(vendors));
});
afterAll(async () => {
  await t.close();
  await Promise.all(Object.values(vendors).map((vendor) => vendor.close()));
});
beforeEach(() => t.pauseAll());

/** Each run is another process, without memory of what was read before. */
async function run(afterMs: number): Promise<void> {
  t.clock.moveTo(t.clock.now() + afterMs);
  await t.worker().run();
}

describe('a vendor whose clock differs', () => {
  test.each(kinds.flatMap((kind) => [-10, 10].map((minutes) => [kind, minutes] as const)))(
    'loses and doubles nothing: %s, %i minutes',
    async (kind, minutes) => {
      const vendor = vendors[kind]!;
      const organisationId = await t.organisation();
      const id = await t.connect(organisationId, vendor);
      const published: string[] = [];
      for (let round = 0; round < 4; round++) {
        published.push(...vendor.publish(5, t.clock.now() + minutes * minuteMs));
        await run(2 * minuteMs);
      }
      // Overlaps read them again, long after they were stored under their arrival.
      for (let round = 0; round < 5; round++) await run(35 * minuteMs);
      await expectOnce(t, organisationId, published);
      expect(await t.row(id)).toMatchObject({ state: 'active', failures: 0, error: null, lag_ms: 0 });
    },
  );
});

describe('a page of 50 MB', () => {
  const large = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, at) => oktaEvent(at + 5_000_000, t.clock.now(), { note: 'x'.repeat(bytes) }));

  test('refuses it in words before it is read, plain or compressed, and reads a smaller one', async () => {
    const page = JSON.stringify(large(50, 1_000_000));
    let answer: { headers?: Record<string, string>; body: string | Buffer } = { body: page };
    const server = await serveVendor(() => answer);
    const other = await connectionsFixture([{ ...okta, ...server, values: { ...okta.values, domain: server.url } }], t.database);
    const organisationId = await t.organisation();
    const id = await other.connect(organisationId, okta, { domain: server.url });
    for (const given of [answer, { headers: { 'content-encoding': 'gzip' }, body: gzipSync(page) }]) {
      answer = given;
      // Up to 32 MiB are unpacked, and freed later; a page that is read whole is held as parts, as one and as text.
      const before = process.memoryUsage();
      await other.turn(id);
      const after = process.memoryUsage();
      expect(await t.row(id)).toMatchObject({
        state: 'active',
        cursor: null,
        error: expect.stringMatching(/^Okta can’t be reached at .*: its answer is too large\.$/),
      });
      expect(after.external + after.arrayBuffers - before.external - before.arrayBuffers).toBeLessThan(90 * 1024 * 1024);
    }
    expect((await t.row(id)).failures).toBe(2);
    const events = large(20, 200_000);
    answer = { body: JSON.stringify(events) };
    await other.turn(id);
    await expectOnce(
      t,
      organisationId,
      events.map(({ uuid }) => uuid),
    );
    expect(await t.row(id)).toMatchObject({ failures: 0, error: null });
    await other.close();
    await server.close();
  });

  test('keeps an event that is too large as unprocessed input, beside the others', async () => {
    const organisationId = await t.organisation();
    const id = await t.connect(organisationId, okta);
    const [whole, huge] = [...large(1, 10), ...large(1, 300_000)];
    okta.add(t.clock.now(), { ...whole!, uuid: 'whole' }, { ...huge!, uuid: 'huge' });
    await t.turn(id);
    expect(await t.stored(organisationId)).toContain('whole');
    const dead = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('dead_letters').select('reason').where('organisation_id', '=', organisationId).execute(),
    );
    expect(dead).toEqual([{ reason: 'too-large' }]);
  });
});

test('gives a vendor whose pages never end a bounded turn, shown as a backlog, and others theirs', async () => {
  const organisationId = await t.organisation();
  const id = await t.connect(organisationId, okta);
  const neighbour = await t.connect(organisationId, vendors.entra!);
  let pages = 0;
  const { open } = oktaConnector;
  const spy = vi.spyOn(oktaConnector, 'open').mockImplementation((...given) => ({
    ...open(...given),
    pull: async ({ to }) => {
      const { uuid, ...event } = oktaEvent(++pages, to - hourMs);
      const events = [{ id: uuid, raw: JSON.stringify({ uuid, ...event }), at: to - hourMs }];
      return { events, nextCursor: JSON.stringify({ after: pages }), hasMore: true, lag: hourMs };
    },
  }));
  await t.turn(id);
  spy.mockRestore();
  expect(pages).toBe(20);
  const row = await t.row(id);
  expect(row).toMatchObject({ state: 'active', error: null, lag_ms: hourMs, leased_until: null, cursor: '{"after":20}' });
  expect(row.next_at.getTime()).toBeLessThanOrEqual(t.clock.now());
  await t.turn(neighbour);
  expect((await t.row(neighbour)).pulled_at).not.toBeNull();
});
