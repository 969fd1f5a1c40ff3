/** Responses at the other vendors: containment by endpoint protection, and accounts of directories. */
import { startVendor } from '@parapet/world/vendors/all.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type VendorActionsFixture, vendorActionsFixture } from '../../../test/vendorActions.fixture.ts';

const kinds = ['crowdstrike', 'sentinelone', 'entra', 'okta', 'google'] as const;
type Kind = (typeof kinds)[number];
const vendors = new Map<Kind, Vendor>();
let t: VendorActionsFixture;

beforeAll(async () => {
  for (const kind of kinds) vendors.set(kind, await startVendor[kind]!());
  t = await vendorActionsFixture([...vendors.values()]);
});
afterAll(async () => {
  await t.close();
  for (const vendor of vendors.values()) await vendor.close();
});

const begin = async (...connected: Kind[]) => {
  const client = await t.aClient();
  for (const kind of connected) await t.connect(client, vendors.get(kind)!);
  const by = await t.analyst();
  type Action = Parameters<typeof t.requestResponse>[1]['action'];
  const requestResponse = async (action: Action, target: string) => {
    const row = await t.requestResponse(by, { clientOrganizationID: client, action, target });
    await t.work(row.id);
    return { ...row, ...(await t.get(row.id, by)) };
  };
  return { by, requestResponse };
};
const targetsOf = (kind: Kind) => vendors.get(kind)!.targets!;

describe.each([
  ['crowdstrike', 'contained', 'normal'],
  ['sentinelone', 'disconnected', 'connected'],
] as const)('%s', (kind, isolated, free) => {
  test('contains a device and releases it, once each, even when the process dies', async () => {
    const targets = targetsOf(kind);
    const { requestResponse } = await begin(kind);
    t.kills.push('after');
    const first = await requestResponse('isolate', targets.example);
    expect(first).toMatchObject({ state: 'verified', via: 'vendor', detail: expect.stringContaining(isolated) });
    expect(targets.stateOf(targets.example)).toBe(isolated);
    expect(await requestResponse('unisolate', targets.example)).toMatchObject({ state: 'verified' });
    expect(targets.stateOf(targets.example)).toBe(free);
    expect(targets.started()).toHaveLength(2);
  });

  test('waits while the vendor’s state shows no effect', async () => {
    const targets = targetsOf(kind);
    const { by, requestResponse } = await begin(kind);
    targets.set('slow');
    const { id, state } = await requestResponse('isolate', targets.example);
    expect(state).toBe('sent');
    targets.set('done');
    await t.work(id);
    expect(await t.get(id, by)).toMatchObject({ state: 'verified' });
    await requestResponse('unisolate', targets.example);
  });
});

describe.each([
  ['entra', 'disabled', 'enabled'],
  ['okta', 'SUSPENDED', 'ACTIVE'],
  ['google', 'suspended', 'active'],
] as const)('%s', (kind, blocked, active) => {
  test('blocks an account and unblocks it, with the flag of its alerts', async () => {
    const targets = targetsOf(kind);
    const { requestResponse } = await begin(kind);
    expect(await requestResponse('blockUser', targets.example.toUpperCase())).toMatchObject({ state: 'verified', via: 'vendor' });
    expect(targets.stateOf(targets.example)).toBe(blocked);
    expect(await t.flagsOf(targets.example)).toHaveLength(1);
    expect(await requestResponse('unblockUser', targets.example)).toMatchObject({ state: 'verified' });
    expect(targets.stateOf(targets.example)).toBe(active);
    expect(await t.flagsOf(targets.example)).toEqual([]);
  });

  test('fails with the vendor’s words for an account that it does not know', async () => {
    const { requestResponse } = await begin(kind);
    const row = await requestResponse('blockUser', 'nemo@alder.example');
    expect(row).toMatchObject({
      state: 'failed',
      vendors: [{ state: 'unknown' }],
      detail: expect.stringMatching(/not (found|exist)/i),
    });
  });
});

describe('an account', () => {
  test.each(['entra', 'okta'] as const)('loses its sessions, and with a second person its factors, at %s', async (kind) => {
    const targets = targetsOf(kind);
    const { by, requestResponse } = await begin(kind);
    const before = targets.started().length;
    expect(await requestResponse('revokeSessions', targets.example)).toMatchObject({ state: 'verified', via: 'vendor' });
    const reset = await requestResponse('resetFactors', targets.example);
    expect(reset).toMatchObject({ state: 'requested', approvalsNeeded: 1 });
    expect(targets.started()).toHaveLength(before + 1);
    await t.approve(await t.analyst(), reset.id);
    await t.work(reset.id);
    expect(await t.get(reset.id, by)).toMatchObject({ state: 'verified', detail: expect.stringMatching(/0 of its/) });
  });

  test('becomes blocked at each directory that knows it', async () => {
    const { requestResponse } = await begin('okta', 'google', 'entra');
    const account = targetsOf('okta').example;
    const row = await requestResponse('blockUser', account);
    expect(row).toMatchObject({
      state: 'verified',
      vendors: [{ state: 'verified' }, { state: 'verified' }, { state: 'verified' }],
    });
    expect(await requestResponse('unblockUser', account)).toMatchObject({ state: 'verified' });
  });

  test('stays a manual task when its name is that of a host’s account', async () => {
    const { requestResponse } = await begin('okta');
    expect(await requestResponse('blockUser', 'mara.lindt')).toMatchObject({ state: 'approved', via: 'manual' });
  });
});
