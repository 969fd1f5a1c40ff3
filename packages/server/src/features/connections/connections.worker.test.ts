import { RefusedError } from '@parapet/connectors/errors.ts';
import { okta as oktaConnector } from '@parapet/connectors/okta.ts';
import { sentinelone as sentineloneConnector } from '@parapet/connectors/sentinelone.ts';
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { oktaEvent, startOkta } from '@parapet/world/vendors/okta.ts';
import { startSentinelone } from '@parapet/world/vendors/sentinelone.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ConnectionsFixture, connectionsFixture, leaseMs } from '../../../test/connections.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import { NotPublic } from '../../core/outbound.ts';
import { stateAt } from '../../domain/deviceState.ts';
import { createVendorHttp } from './connections.http.ts';
import { sourceOf } from './connections.names.ts';
import { createQuietSaves, type Quiet } from './connections.quiet.ts';
import { retryMs } from './connections.turn.ts';
import { listDue } from './connections.work.store.ts';

let okta: Awaited<ReturnType<typeof startOkta>>;
let sentinelone: Awaited<ReturnType<typeof startSentinelone>>;
let t: ConnectionsFixture;
beforeAll(async () => {
  okta = await startOkta();
  sentinelone = await startSentinelone();
  t = await connectionsFixture([okta, sentinelone]);
});
afterAll(async () => {
  await t.close();
  await okta.close();
  await sentinelone.close();
});

const due = () => scoped(t.db, 'system', (tx) => listDue(tx, new Date(t.clock.now()), 100));

describe('the worker', () => {
  test('takes one connection of each organisation before a second of any', async () => {
    const [busy, small] = [await t.organisation(), await t.organisation()];
    for (let count = 0; count < 3; count++) await t.connect(busy, okta);
    await t.connect(small, okta);
    t.clock.moveTo(Date.now() + minuteMs);
    expect((await due()).map(({ organisationId }) => organisationId)).toEqual([busy, small, busy, busy]);
  });

  test('pulls whatever is due, and detects what the events show', async () => {
    const organisationId = await t.organisation();
    const id = await t.connect(organisationId, okta);
    const more = { eventType: 'system.idp.lifecycle.create', displayMessage: 'Create identity provider' };
    okta.add(t.clock.now(), oktaEvent(1, t.clock.now() - minuteMs, more));
    await t.worker().run();
    expect(await due()).toEqual([]);
    const host = new URL(okta.url).host;
    expect(await t.alerts(organisationId)).toEqual([
      { title: 'Identity Provider Added to Okta', device: `Okta (${host})`, user: 'jonas.weber@alder.example' },
    ]);
    expect(await t.row(id)).toMatchObject({ failures: 0, leased_until: null });
  });

  test('leaves out paused connections and those of deactivated organisations', async () => {
    const organisationId = await t.organisation();
    const id = await t.connect(organisationId, okta);
    t.clock.moveTo(t.clock.now() + minuteMs);
    const isDue = async () => (await due()).some((each) => each.id === id);
    expect(await isDue()).toBe(true);
    const deactivate = (at: Date | null) =>
      scoped(t.db, 'system', (tx) =>
        tx.updateTable('organisations').set({ deactivated_at: at }).where('id', '=', organisationId).execute(),
      );
    await deactivate(new Date());
    expect(await isDue()).toBe(false);
    await deactivate(null);
    await t.pause(id);
    expect(await isDue()).toBe(false);
  });

  test('leases some at once, each once, and gives back what it had not begun when it closes', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 20; count++) ids.push(await t.connect(await t.organisation(), okta));
    t.clock.moveTo(t.clock.now() + minuteMs);
    const worker = t.worker();
    const running = worker.run();
    await vi.waitFor(async () => expect((await Promise.all(ids.map(t.row))).some((row) => row.pulled_at)).toBe(true), 10_000);
    await worker.close();
    await running;
    const rows = await Promise.all(ids.map(t.row));
    expect(rows.filter((row) => row.leased_until)).toEqual([]);
    await t.worker().run();
    for (const row of await Promise.all(ids.map(t.row)))
      expect(row).toMatchObject({ failures: 0, error: null, leased_until: null });
    expect(await due()).toEqual([]);
  });

  test('stores pulls without news together, but not over a change, and one that can’t be stored fails no other', async () => {
    const save = createQuietSaves(t.db);
    const all: Quiet[] = [];
    const now = new Date(t.clock.now());
    const ids: number[] = [];
    for (const { waitMs = minuteMs, isChanged } of [{}, {}, { waitMs: Number.NaN }, { isChanged: true }]) {
      const organisationId = await t.organisation();
      const id = await t.connect(organisationId, okta);
      ids.push(id);
      const version = (await t.row(id)).version + (isChanged ? 1 : 0);
      const next = {
        nextAt: new Date(now.getTime() + waitMs),
        leasedUntil: now,
        lastEventAt: null,
        warning: null,
        stored: 0,
      } as const;
      all.push({ ...next, id, organisationId, version, now, cursor: `cursor of ${id}`, lagMs: 1 });
    }
    expect(await Promise.all(all.map((each) => save(each).catch(() => 'failed')))).toEqual([true, true, 'failed', false]);
    const rows = await Promise.all(ids.map(t.row));
    expect(rows.map(({ cursor }) => cursor)).toEqual([`cursor of ${ids[0]}`, `cursor of ${ids[1]}`, null, null]);
  });

  test('takes over a connection only after the lease of a killed process', async () => {
    const organisationId = await t.organisation();
    const id = await t.connect(organisationId, okta);
    okta.publish(1, t.clock.now());
    t.clock.moveTo(t.clock.now() + minuteMs);
    t.kills.push('before');
    await t.turn(id);
    expect((await t.row(id)).leased_until).not.toBeNull();
    await t.worker().run();
    expect((await t.row(id)).cursor).toBeNull();
    t.clock.moveTo(t.clock.now() + leaseMs + 1);
    await t.worker().run();
    expect((await t.row(id)).cursor).not.toBeNull();
  });

  test('stops a connection whose secrets cannot be opened', async () => {
    const organisationId = await t.organisation();
    const id = await t.connect(organisationId, okta);
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('connections')
        .set({ secrets: Buffer.from('torn') })
        .where('id', '=', id)
        .execute(),
    );
    await t.turn(id);
    expect(await t.row(id)).toMatchObject({ state: 'stopped', error: expect.stringContaining('Replace them') });
  });

  test('shows the data source of a stopped connection as silent, unless another one reads the account', async () => {
    const organisationId = await t.organisation();
    const [id, second] = [await t.connect(organisationId, okta), await t.connect(organisationId, okta)];
    const name = sourceOf(oktaConnector, (await t.row(id)).account);
    const device = {
      organisation_id: organisationId,
      name,
      device_type: 'Unknown',
      last_event_at: new Date(t.clock.now() - minuteMs),
    };
    await scoped(t.db, 'system', (tx) => tx.insertInto('devices').values(device).execute());
    const state = () =>
      scoped(t.db, 'system', async (tx) => {
        const found = tx.selectFrom('devices as d').select(stateAt(new Date(t.clock.now())).as('state'));
        return (await found.where('d.name', '=', name).where('d.organisation_id', '=', organisationId).executeTakeFirst())?.state;
      });
    okta.refuse(true);
    await t.turn(id);
    expect(await state()).toBe('reporting');
    await t.turn(second);
    expect(await state()).toBe('silent');
    okta.refuse(false);
    const silences = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('device_silences').select(['told_at', 'ended_at']).where('organisation_id', '=', organisationId).execute(),
    );
    expect(silences).toEqual([{ told_at: expect.any(Date), ended_at: null }]);
  });

  test('shows endpoint protection without events of its own as silent, until its devices can be listed again', async () => {
    const organisationId = await t.organisation();
    const id = await t.connect(organisationId, sentinelone);
    await t.turn(id);
    const source = async () => {
      const name = sourceOf(sentineloneConnector, (await t.row(id)).account);
      const found = scoped(t.db, 'system', (tx) => tx.selectFrom('devices').selectAll().where('name', '=', name).execute());
      return (await found).find(({ organisation_id }) => organisation_id === organisationId);
    };
    expect(await source()).toBeUndefined();
    sentinelone.refuse(true);
    await t.turn(id);
    expect((await t.row(id)).state).toBe('stopped');
    expect(await source()).toMatchObject({ silent_since: expect.any(Date), device_type: 'cloudApp' });
    sentinelone.refuse(false);
    t.clock.moveTo(t.clock.now() + minuteMs);
    await scoped(t.db, 'system', (tx) => tx.updateTable('connections').set({ state: 'active' }).where('id', '=', id).execute());
    await t.turn(id);
    const { last_event_at, silent_since } = (await source())!;
    expect(last_event_at!.getTime()).toBeGreaterThan(silent_since!.getTime());
  });

  test('tries a consent of some minutes again, and stops an older one', async () => {
    const organisationId = await t.organisation();
    const id = await t.connect(organisationId, okta);
    const set = (consented_at: Date, more = {}) =>
      scoped(t.db, 'system', (tx) =>
        tx
          .updateTable('connections')
          .set({ consented_at, consented_by: 'admin@reef.example', ...more })
          .where('id', '=', id)
          .execute(),
      );
    okta.refuse(true);
    await set(new Date(t.clock.now() - minuteMs));
    await t.turn(id);
    expect(await t.row(id)).toMatchObject({ state: 'active', failures: 1, error: expect.stringContaining('401') });
    await set(new Date(t.clock.now() - 10 * minuteMs), { pulled_at: new Date(t.clock.now() - 5 * minuteMs) });
    await t.turn(id);
    okta.refuse(false);
    expect(await t.row(id)).toMatchObject({ state: 'stopped' });
  });

  test('keeps what is readable, unreadable records as unprocessed input, and shows a warning of the connector', async () => {
    const organisationId = await t.organisation();
    const id = await t.connect(organisationId, okta);
    const { open } = oktaConnector;
    const warning = 'A message names a file that can’t be read.';
    const spy = vi.spyOn(oktaConnector, 'open').mockImplementation((...given) => ({
      ...open(...given),
      pull: async () => {
        const events = ['{"message":"a"}', '{"message'].map((raw) => ({ id: undefined, raw, at: undefined }));
        return { events, nextCursor: '{}', hasMore: false, lag: 0, warning };
      },
    }));
    await t.turn(id);
    spy.mockRestore();
    expect(await t.row(id)).toMatchObject({ state: 'active', failures: 0, error: warning, cursor: '{}' });
    const dead = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('dead_letters').select(['reason', 'raw']).where('organisation_id', '=', organisationId).execute(),
    );
    expect(dead).toEqual([{ reason: 'not-json', raw: '{"message' }]);
  });

  test('stores nothing of a pull during which the connection was paused', async () => {
    const organisationId = await t.organisation();
    const id = await t.connect(organisationId, okta);
    okta.publish(5, t.clock.now());
    t.beforeStore(() => t.pause(id));
    await t.turn(id);
    expect(await t.stored(organisationId)).toEqual([]);
    expect(await t.row(id)).toMatchObject({ state: 'paused', cursor: null });
  });
});

describe('retryMs', () => {
  test('doubles up to half an hour, with jitter of a half', () => {
    expect([0, 1, 2].map((failures) => retryMs(failures, 1))).toEqual([15_000, 30_000, 60_000]);
    expect(retryMs(0, 0)).toBe(7_500);
    expect(retryMs(50, 1)).toBe(30 * minuteMs);
  });
});

describe('createVendorHttp', () => {
  test('words a refused address, and passes other errors on', async () => {
    const wrapped = Object.assign(new TypeError('fetch failed'), { cause: new NotPublic('x is no public address.') });
    const failing = (error: Error) => createVendorHttp({ fetch: () => Promise.reject(error) })('https://x.example/');
    await expect(failing(wrapped)).rejects.toThrow(RefusedError);
    await expect(failing(new NotPublic('x'))).rejects.toThrow('x.example isn’t a public https address');
    await expect(failing(new TypeError('fetch failed'))).rejects.toThrow('fetch failed');
  });
});
