/** Responses that a client's vendors execute: done only when the vendor's state confirms it, and never twice. */
import { connectionsApi } from '@parapet/contract/connections.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { startDefender } from '@parapet/world/vendors/defender.ts';
import type { Vendor, VendorTargets } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type VendorActionsFixture, vendorActionsFixture } from '../../../test/vendorActions.fixture.ts';
import { scoped } from '../../core/db/scope.ts';

let defender: Vendor;
let targets: VendorTargets;
let t: VendorActionsFixture;

beforeAll(async () => {
  defender = await startDefender();
  targets = defender.targets!;
  t = await vendorActionsFixture([defender]);
});
afterAll(async () => {
  await t.close();
  await defender.close();
});
beforeEach(() => targets.set('done'));

/** A client with a connection of its own; the vendor's devices are free again. */
const begin = async () => {
  const client = await t.aClient();
  const connection = await t.connect(client, defender);
  const by = await t.analyst();
  return { client, connection, by };
};
const requestResponse = (
  client: number,
  by: Parameters<typeof t.requestResponse>[0],
  action: 'isolate' | 'unisolate' = 'isolate',
) => t.requestResponse(by, { clientOrganizationID: client, action, target: targets.example });
const release = async (client: number, by: Parameters<typeof t.requestResponse>[0]) => {
  const { id } = await requestResponse(client, by, 'unisolate');
  await t.work(id);
};
const startedSince = (before: number) => targets.started().slice(before);

describe('an isolation at a vendor', () => {
  test('becomes verified only once the vendor’s state shows it, and sets and drops the flag', async () => {
    const { client, by } = await begin();
    const before = targets.started().length;
    targets.set('slow');
    const row = await requestResponse(client, by);
    expect(row).toMatchObject({ state: 'sent', via: 'vendor', isManual: false, isByVendor: true });
    await t.work(row.id, 5);
    const pending = await t.get(row.id, by);
    expect(pending).toMatchObject({ state: 'sent', vendors: [{ state: 'sent', detail: expect.stringContaining('InProgress') }] });
    expect(pending.steps.map(({ state }) => state)).toEqual(['requested', 'approved', 'sent', 'note']);
    expect(await t.flagsOf(targets.example)).toEqual([]);
    targets.set('done');
    await t.work(row.id);
    expect(await t.get(row.id, by)).toMatchObject({ state: 'verified', detail: expect.stringContaining('Isolate Succeeded') });
    expect(await t.flagsOf(targets.example)).toHaveLength(1);
    expect(targets.stateOf(targets.example)).toBe('Isolated');
    await release(client, by);
    expect(await t.get(row.id, by)).toMatchObject({ state: 'released' });
    expect(await t.flagsOf(targets.example)).toEqual([]);
    expect(startedSince(before)).toEqual([`Isolate ${targets.example}`, `Unisolate ${targets.example}`]);
  });

  test.each(['before', 'after'] as const)('acts once when the process dies %s the request', async (kill) => {
    const { client, by } = await begin();
    const before = targets.started().length;
    t.kills.push(kill);
    const { id } = await requestResponse(client, by);
    await t.work(id);
    expect(await t.get(id, by)).toMatchObject({ state: 'verified' });
    expect(startedSince(before)).toEqual([`Isolate ${targets.example}`]);
    await release(client, by);
  });

  test('fails with the vendor’s words, once it gave up or refused', async () => {
    const { client, by } = await begin();
    targets.set('failed');
    const first = await requestResponse(client, by);
    await t.work(first.id);
    expect(await t.get(first.id, by)).toMatchObject({ state: 'failed', detail: expect.stringContaining('Isolate Failed') });
    defender.refuse(true);
    defender.expireTokens();
    const second = await requestResponse(client, by);
    await t.work(second.id);
    expect(await t.get(second.id, by)).toMatchObject({ state: 'failed', detail: expect.stringContaining('AADSTS7000215') });
    defender.refuse(false);
  });

  test('waits through outages and limits', async () => {
    const { client, by } = await begin();
    const before = targets.started().length;
    defender.disturb({ kind: 'outage' }, { kind: 'throttle', seconds: 90 }, { kind: 'reset' });
    const { id } = await requestResponse(client, by);
    const requestedAt = t.clock.now();
    await t.work(id);
    expect(await t.get(id, by)).toMatchObject({ state: 'verified' });
    expect(t.clock.now() - requestedAt).toBeGreaterThan(90_000);
    expect(startedSince(before)).toHaveLength(1);
    await release(client, by);
  });

  test('waits while a restored portal is paused', async () => {
    const { client, by } = await begin();
    const before = targets.started().length;
    const pause = (isPaused: boolean) =>
      scoped(t.t.db, 'system', async (tx) => {
        if (isPaused) await tx.insertInto('restorations').values({ restored_to: new Date() }).execute();
        else await tx.updateTable('restorations').set({ released_at: new Date() }).execute();
      });
    await pause(true);
    const { id } = await requestResponse(client, by);
    await t.work(id, 3);
    expect(startedSince(before)).toEqual([]);
    await pause(false);
    await t.work(id);
    expect(await t.get(id, by)).toMatchObject({ state: 'verified' });
    await release(client, by);
  });

  test('undoes itself by its opposite while the vendor is at it, one after the other', async () => {
    const { client, by } = await begin();
    const before = targets.started().length;
    targets.set('slow');
    const { id } = await requestResponse(client, by);
    await t.work(id, 2);
    const undone = (await t.undo(by, id)).json();
    expect(undone).toMatchObject({ action: 'unisolate', state: 'sent', via: 'vendor' });
    targets.set('done');
    await t.work(id);
    await t.work(undone.id);
    expect(await t.get(undone.id, by)).toMatchObject({ state: 'verified' });
    expect(targets.stateOf(targets.example)).toBe('Connected');
    expect(startedSince(before)).toEqual([`Isolate ${targets.example}`, `Unisolate ${targets.example}`]);
  });

  test('needs the same approvals as with an agent', async () => {
    const { client, by } = await begin();
    const server = 'alder-srv-01.alder.example';
    const row = await t.requestResponse(by, { clientOrganizationID: client, action: 'isolate', target: server });
    expect(row).toMatchObject({ state: 'requested', approvalsNeeded: 1, via: 'vendor' });
    await t.work(row.id, 1);
    expect(await t.tasks(row.id)).toEqual([]);
    expect((await t.approve(await t.analyst(), row.id)).json()).toMatchObject({ state: 'sent', via: 'vendor' });
    await t.work(row.id);
    expect(await t.get(row.id, by)).toMatchObject({ state: 'verified' });
    expect(targets.stateOf(server)).toBe('Isolated');
  });

  test('becomes manual without a connection that may respond, and uses no other client’s vendor', async () => {
    const [client, other] = [await t.aClient(), await t.aClient()];
    const by = await t.analyst();
    const connection = await t.connect(client, defender, { mayAct: false });
    expect(await requestResponse(client, by)).toMatchObject({ state: 'approved', via: 'manual' });
    const device = await t.aDevice(other);
    const elsewhere = { clientOrganizationID: other, action: 'isolate', target: device.name } as const;
    expect(await t.requestResponse(by, elsewhere)).toMatchObject({ state: 'approved', via: 'manual' });
    const params = { client, connection };
    expect((await t.t.call(connectionsApi.allowResponses, { params, body: { mayAct: true } }, t.admin)).statusCode).toBe(200);
    const allowed = { clientOrganizationID: client, action: 'isolate', target: 'alder-w11-02.alder.example' } as const;
    const row = await t.requestResponse(by, allowed);
    expect(row).toMatchObject({ state: 'sent', via: 'vendor' });
    await t.work(row.id);
    expect(await t.audit('connection.responsesChanged')).toMatchObject([{ before: { mayAct: false }, after: { mayAct: true } }]);
  });

  test('fails without a request once its connection was paused or removed', async () => {
    const { client, connection, by } = await begin();
    const before = targets.started().length;
    const { id } = await requestResponse(client, by);
    const params = { client, connection };
    await t.t.call(connectionsApi.pause, { params, body: { isPaused: true } }, t.admin);
    await t.work(id);
    expect(await t.get(id, by)).toMatchObject({ state: 'failed', detail: expect.stringContaining('Nothing was sent') });
    expect(startedSince(before)).toEqual([]);
  });

  // Last: the clock moves by a day, past the expiry of what the portal requests now.
  test('expires when the vendor never confirms it, and is completed when it does later', async () => {
    const { client, by } = await begin();
    targets.set('slow');
    const { id } = await requestResponse(client, by);
    await t.work(id, 4);
    t.clock.moveTo(t.clock.now() + 25 * hourMs);
    await t.later(t.clock.now() - Date.now()).expire();
    expect(await t.get(id, by)).toMatchObject({
      state: 'expired',
      detail: expect.stringMatching(/^Not confirmed by its vendor within 24 hours\..*Waiting until/),
      vendors: [{ state: 'expired' }],
    });
    targets.set('done');
    await t.work(id);
    expect(await t.get(id, by)).toMatchObject({ state: 'verified' });
    await release(client, by);
  });
});
