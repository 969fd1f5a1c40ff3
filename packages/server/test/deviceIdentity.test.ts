/** One device that the agent, endpoint protection and its directory know by several names: rules, counts, and a person's last word. */
import { type DeviceDetail, devicesApi } from '@parapet/contract/devices.ts';
import { riskApi } from '@parapet/contract/risk.ts';
import { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { startCrowdstrike } from '@parapet/world/vendors/crowdstrike.ts';
import { startDefender } from '@parapet/world/vendors/defender.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '../src/core/log.ts';
import { createIdentityService } from '../src/features/devices/identity.service.ts';
import { inventoryOf } from './agents.fixture.ts';
import { type VendorActionsFixture, vendorActionsFixture } from './vendorActions.fixture.ts';
import { addDevice } from './vulnerabilities.fixture.ts';

const day = new Date().toISOString();

let f: VendorActionsFixture;
let falcon: Vendor;
let defender: Vendor;
let identity: ReturnType<typeof createIdentityService>;
let client: number;
/** Of the agent: the machine that CrowdStrike lists without its domain. */
let agentDevice: string;

beforeAll(async () => {
  [falcon, defender] = await Promise.all([startCrowdstrike(), startDefender()]);
  f = await vendorActionsFixture([falcon, defender]);
  client = f.client;
  identity = createIdentityService({ db: f.t.db, clock: f.clock, log: silentLog });
  const { system, ...rest } = inventoryOf();
  const inventory = { ...rest, system: { ...system, serial: ' pf3xk701' } };
  agentDevice = await addDevice(f.t, client, [], { name: 'birch-w11-01.birch.example', type: 'workstation' });
  await f.system((tx) =>
    tx
      .updateTable('agents')
      .set({
        inventory: JSON.stringify(inventory) as never,
      })
      .where('device_id', '=', agentDevice)
      .execute(),
  );
});
afterAll(async () => {
  await f.t.close();
  await Promise.all([falcon.close(), defender.close()]);
});

const detail = async (name: string): Promise<DeviceDetail> => {
  const answer = await f.t.call(devicesApi.get, { params: { client, name } }, f.admin);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};
const merge = (target: string, duplicate: string, isMerged: boolean, user = f.admin) =>
  f.t.call(devicesApi.merge, { body: { target, duplicates: [duplicate], isMerged } }, user);
/** Workstations by the risk score (§9), devices by the vulnerability page. */
const countsOf = async () => {
  const risk = (await f.t.call(riskApi.details, { params: { client, start: '2026-01-01T00:00:00Z', end: day } }, f.admin)).json();
  const { monitored } = (await f.t.call(vulnerabilitiesApi.customer, { params: { client }, query: {} }, f.admin)).json();
  return { workstations: risk.monitoredDevices.totalWorkstations as number, monitored: monitored as number };
};

test('counts a device once that the agent and endpoint protection list under two names', async () => {
  await f.connect(client, falcon);
  const before = await countsOf();
  await identity.matchOne(client);
  const after = await countsOf();
  expect(after).toEqual({ monitored: before.monitored - 1, workstations: before.workstations - 1 });
  const device = await detail('birch-w11-01.birch.example');
  expect(device.aliases).toMatchObject([
    { name: 'BIRCH-W11-01', rule: 'serial', value: 'pf3xk701', mergedAt: expect.any(String) },
  ]);
  expect((await detail('BIRCH-W11-01')).uuid).toBe(agentDevice);
  // Repeating it changes nothing.
  await identity.match();
  expect(await countsOf()).toEqual(after);
  const entry = await f.system((tx) =>
    tx
      .selectFrom('audit')
      .select(['actor_user_id', 'after'])
      .where('action', '=', 'devices.merged')
      .orderBy('id', 'desc')
      .executeTakeFirst(),
  );
  expect(entry).toMatchObject({
    actor_user_id: null,
    after: { device: 'birch-w11-01.birch.example', rule: 'serial', value: 'pf3xk701' },
  });
});

test('leaves apart what a person separated, and merges it again once a person does', async () => {
  const [alias] = (await detail('birch-w11-01.birch.example')).aliases;
  expect((await merge(agentDevice, alias!.uuid, false)).statusCode).toBe(200);
  await identity.match();
  expect((await detail('birch-w11-01.birch.example')).aliases).toEqual([]);
  // Reading the vendor's list again gives no second opinion either.
  const { id } = await f.system((tx) =>
    tx.selectFrom('connections').select('id').where('organisation_id', '=', client).executeTakeFirstOrThrow(),
  );
  await f.readDevices(id);
  await identity.match();
  expect((await detail('birch-w11-01.birch.example')).aliases).toEqual([]);
  await merge(agentDevice, alias!.uuid, true);
  expect((await detail('birch-w11-01.birch.example')).aliases).toMatchObject([{ name: 'BIRCH-W11-01', rule: null, value: null }]);
  const left = await f.system((tx) => tx.selectFrom('device_separations').selectAll().execute());
  expect(left).toEqual([]);
});

test('joins the name with a domain to the host name, and none of another client', async () => {
  const own = await addDevice(f.t, client, undefined, { name: 'ALDER-W11-02', type: 'workstation' });
  const other = await f.aClient();
  const foreign = await addDevice(f.t, other, undefined, { name: 'alder-w11-03', type: 'workstation' });
  await f.connect(client, defender);
  await identity.match();
  expect((await detail('alder-w11-02.alder.example')).uuid).toBe(own);
  const listed = await f.system((tx) =>
    tx
      .selectFrom('devices')
      .select(['organisation_id', 'merged_into'])
      .where('name', 'like', 'alder-w11-03%')
      .orderBy('name')
      .execute(),
  );
  expect(listed).toEqual([
    { organisation_id: other, merged_into: null },
    { organisation_id: client, merged_into: null },
  ]);
  const stranger = await merge(foreign, own, true, f.clientAdmin);
  expect(stranger.statusCode).toBe(404);
});

test('keeps an attacker’s names from taking over a device', async () => {
  // A second domain makes the host name ambiguous, markup is no host name, and an address has none.
  const names = ['birch-dc-01.a.example', 'birch-dc-01.b.example', '<b>birch-dc-01</b>', '10.1.2.3'];
  for (const name of names) await addDevice(f.t, client, undefined, { name });
  await identity.match();
  expect((await detail('BIRCH-DC-01')).aliases).toEqual([]);
});
