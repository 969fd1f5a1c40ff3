/** The common suite of every connector, against its simulated vendor: whatever happens in between, each event is stored once. */
import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { startVendor } from '@parapet/world/vendors/all.ts';
import type { Disturbance, Vendor } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConnectionsFixture, connectionsFixture } from './connections.fixture.ts';

/** Events of the long test, for each connector. */
const many = 2_000;

/** Kinds whose suite `npm test` runs: one reads a log by pages, the other lists content first. The long tests take the others. */
export const shortKinds: readonly string[] = ['okta', 'm365'];

const disturbances: Disturbance[] = [{ kind: 'outage' }, { kind: 'broken' }, { kind: 'throttle', seconds: 2 }, { kind: 'reset' }];

/** Failures of a round of the long test: kills every other round, and the vendor’s at other intervals. */
function disrupt(t: ConnectionsFixture, vendor: Vendor, round: number): void {
  if (round % 2 === 0) t.kills.push(round % 4 === 0 ? 'before' : 'after');
  if (round % 3 === 0) vendor.disturb(disturbances[round % disturbances.length]!);
  if (round % 5 === 4) vendor.expireTokens();
  if (round % 7 === 6) vendor.forgetCursors();
}

export interface Flood {
  organisationId: number;
  id: number;
  /** Number of events. */
  many: number;
  /** Mean number of events of a round. */
  perRound: number;
}

/** Publishes events in rounds and reads them under kills, disturbances and untidy pages. Returns their ids. */
export async function flood(t: ConnectionsFixture, vendor: Vendor, { id, many, perRound }: Flood): Promise<string[]> {
  vendor.mixUp(true);
  const published: string[] = [];
  for (let round = 0; published.length < many; round++) {
    const isLate = round % 3 === 2;
    const count = Math.round(perRound * (0.6 + ((round * 37) % 150) / 187));
    published.push(...vendor.publish(count, t.clock.now() - (isLate ? 6 : 1) * minuteMs));
    disrupt(t, vendor, round);
    await turns(t, id, 2);
  }
  t.kills.length = 0;
  await settle(t, id);
  vendor.mixUp(false);
  return published;
}

async function turns(t: ConnectionsFixture, id: number, count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await t.turn(id);
}

/** Late events may take a quarter of an hour. A turn reads a bounded number of pages: what is left takes more of them. */
export async function settle(t: ConnectionsFixture, id: number): Promise<void> {
  await turns(t, id, 3);
  t.clock.moveTo(t.clock.now() + 15 * minuteMs);
  await turns(t, id, 3);
  while ((await t.row(id)).lag_ms > 0) await t.turn(id);
}

export async function expectOnce(t: ConnectionsFixture, organisationId: number, published: readonly string[]): Promise<void> {
  const stored = await t.stored(organisationId);
  const known = new Set(stored);
  const missing = published.filter((event) => !known.has(event)).length;
  expect({ missing, twice: stored.length - known.size }).toEqual({ missing: 0, twice: 0 });
}

/** Declares the tests of one kind of connector. */
export const connectorSuite = (kind: string) =>
  describe(kind, () => {
    let vendor: Vendor;
    let t: ConnectionsFixture;
    beforeAll(async () => {
      vendor = await startVendor[kind]!();
      t = await connectionsFixture([vendor]);
    });
    afterAll(async () => {
      await t.close();
      await vendor.close();
    });

    /** The vendor’s log is shared; each test looks for its own events. */
    const begin = async () => {
      // A queue gives each message to one connection.
      await t.pauseAll();
      const organisationId = await t.organisation();
      return { organisationId, id: await t.connect(organisationId, vendor) };
    };
    test('stores every event once, with its time, data source and cursor', async () => {
      const { organisationId, id } = await begin();
      const published = vendor.publish(30, t.clock.now() - 10 * minuteMs);
      await t.turn(id);
      await expectOnce(t, organisationId, published);
      await t.turn(id);
      await expectOnce(t, organisationId, published);
      const row = await t.row(id);
      expect(row).toMatchObject({ state: 'active', failures: 0, error: null, lag_ms: 0, leased_until: null });
      expect(Math.abs(t.clock.now() - 10 * minuteMs - row.last_event_at!.getTime())).toBeLessThan(2 * minuteMs);
      expect(row.cursor).not.toBeNull();
    });

    test('reads late events, and several pages in one turn', async () => {
      const { organisationId, id } = await begin();
      const published = vendor.publish(1_500, t.clock.now() - 5 * minuteMs);
      await t.turn(id);
      published.push(...vendor.publish(20, t.clock.now() - 7 * minuteMs));
      await settle(t, id);
      await expectOnce(t, organisationId, published);
    });

    test.each<[string, Disturbance, RegExp]>([
      ['an outage', { kind: 'outage' }, /503/],
      ['broken JSON', { kind: 'broken' }, /not JSON|can’t be read/],
      ['an answer without an end', { kind: 'endless' }, /too large/],
      ['a closed connection', { kind: 'reset' }, /can’t be reached/],
      ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:1/' }, /redirect/i],
    ])('waits and tries again after %s', async (_name, disturbance, text) => {
      const { organisationId, id } = await begin();
      const published = vendor.publish(10, t.clock.now() - 5 * minuteMs);
      vendor.disturb(disturbance);
      await t.turn(id);
      const row = await t.row(id);
      expect(row).toMatchObject({ state: 'active', failures: 1, cursor: null });
      expect(row.error).toMatch(text);
      expect(row.next_at.getTime() - t.clock.now()).toBeGreaterThan(5_000);
      await turns(t, id, 2);
      await expectOnce(t, organisationId, published);
      expect(await t.row(id)).toMatchObject({ failures: 0, error: null });
    });

    test('waits as long as the vendor asks when requests are limited', async () => {
      const { organisationId, id } = await begin();
      const published = vendor.publish(10, t.clock.now() - 5 * minuteMs);
      vendor.disturb({ kind: 'throttle', seconds: 90 });
      await t.turn(id);
      const row = await t.row(id);
      expect(row.failures).toBe(0);
      expect(row.next_at.getTime() - t.clock.now()).toBeGreaterThanOrEqual(90_000);
      expect(row.limited_until).toEqual(row.next_at);
      t.clock.moveTo(t.clock.now() + 80_000);
      await t.worker().run();
      expect(await t.row(id)).toMatchObject({ version: row.version });
      await turns(t, id, 2);
      expect((await t.row(id)).limited_until).toBeNull();
      await expectOnce(t, organisationId, published);
    });

    test('stops when access is refused, raises an alert, and goes on after it is granted', async () => {
      const { organisationId, id } = await begin();
      await t.turn(id);
      vendor.refuse(true);
      const published = vendor.publish(10, t.clock.now() - minuteMs);
      vendor.expireTokens();
      await t.turn(id);
      const row = await t.row(id);
      expect(row).toMatchObject({ state: 'stopped' });
      expect(row.error).toMatch(/returned 4\d\d/);
      expect(await t.alerts(organisationId)).toMatchObject([{ title: 'Connection to a Vendor Stopped' }]);
      t.clock.moveTo(t.clock.now() + hourMs);
      await t.worker().run();
      expect(await t.row(id)).toMatchObject({ version: row.version });
      vendor.refuse(false);
      await t.resume(id);
      await turns(t, id, 2);
      await expectOnce(t, organisationId, published);
    });

    test('reads on after its cursor became unknown', async () => {
      const { organisationId, id } = await begin();
      const published = vendor.publish(30, t.clock.now() - 5 * minuteMs);
      await t.turn(id);
      vendor.forgetCursors();
      published.push(...vendor.publish(30, t.clock.now() - minuteMs));
      await turns(t, id, 2);
      await expectOnce(t, organisationId, published);
    });

    test('goes on with another access token after one expired', async () => {
      const { organisationId, id } = await begin();
      await t.turn(id);
      vendor.expireTokens();
      const published = vendor.publish(10, t.clock.now() - minuteMs);
      await turns(t, id, 2);
      await expectOnce(t, organisationId, published);
      expect(await t.row(id)).toMatchObject({ state: 'active', failures: 0 });
    });

    test('stores an event once when two connections read the same account', async () => {
      const { organisationId, id } = await begin();
      const other = await t.connect(organisationId, vendor);
      const published = vendor.publish(20, t.clock.now() - minuteMs);
      await turns(t, id, 2);
      await turns(t, other, 2);
      await expectOnce(t, organisationId, published);
    });

    test(`loses and doubles none of ${many} events under kills, disturbances and untidy pages`, {
      timeout: 120_000,
    }, async () => {
      const flooded = { ...(await begin()), many, perRound: 170 };
      const published = await flood(t, vendor, flooded);
      await expectOnce(t, flooded.organisationId, published);
    });
  });
