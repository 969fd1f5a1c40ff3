/** Vulnerabilities as causes of deliveries: once per change of a scan, in parts, and none that another scan reports already. */
import { deliveryData } from '@parapet/contract/deliveryEvents.ts';
import { startWebhook } from '@parapet/world/peers/webhook.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { type DeliveriesFixture, deliveriesFixture, everything } from '../../../test/deliveries.fixture.ts';
import { addDevice, sendFile } from '../../../test/vulnerabilities.fixture.ts';

let t: TestApp;
let d: DeliveriesFixture;
let hook: Awaited<ReturnType<typeof startWebhook>>;
let admin: TestUser;
let client: number;
let other: number;
let target: number;
let foreign: number;

beforeAll(async () => {
  hook = await startWebhook();
  t = await testApp();
  d = await deliveriesFixture([hook], { given: t.database });
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Alder' });
  other = await t.organisation({ isPartner: true });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  target = (await d.target(partner, hook)).id;
  foreign = (await d.target(other, hook)).id;
  await d.rule(partner, everything(target));
  await d.rule(other, everything(foreign));
});
afterAll(async () => {
  await t.close();
  await hook.close();
});

const scan = async (device: string, ...vulnerabilities: [cve: string, severity: string][]) => {
  const rows = vulnerabilities.map(([VulnerabilityID, Severity]) => ({
    ...{ VulnerabilityID, PkgName: 'openssl', InstalledVersion: '3.0.1', FixedVersion: '3.0.2', Severity },
    Title: 'Buffer <b>overrun</b>\u0007',
  }));
  const content = JSON.stringify({ ArtifactName: 'x', Results: [{ Type: 'npm', Vulnerabilities: rows }] });
  const answer = await sendFile(t, `/vulnerabilities/${client}/scan/${device}`, content, admin);
  expect(answer.statusCode, answer.body).toBe(200);
};
/** Bodies that arrived since the last call. */
let seen = 0;
const arrived = async () => {
  d.clock.moveTo(Date.now() + 1_000);
  await d.worker().drain();
  const bodies = hook.received.slice(seen).map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });
  seen = hook.received.length;
  for (const { type, data } of bodies) deliveryData[type as keyof typeof deliveryData].parse(data);
  return bodies;
};
const cvesOf = ({ data }: { data: Record<string, unknown> }) => (data.vulnerabilities as { cve: string }[]).map(({ cve }) => cve);

test('sends what a scan found, the worst first, and what is fixed since', async () => {
  const device = await addDevice(t, client, undefined);
  await scan(device, ['CVE-2026-1001', 'LOW'], ['CVE-2026-1002', 'CRITICAL']);
  const [found, ...none] = await arrived();
  expect(none).toEqual([]);
  expect(found).toMatchObject({
    type: 'vulnerability.found',
    data: { organisation: client, client: 'Alder', deviceId: device, source: 'trivy', count: 2 },
  });
  expect(cvesOf(found!)).toEqual(['CVE-2026-1002', 'CVE-2026-1001']);
  expect(JSON.stringify(found)).not.toContain('\\u0007');
  await scan(device, ['CVE-2026-1001', 'LOW'], ['CVE-2026-1002', 'CRITICAL']);
  expect(await arrived()).toEqual([]);
  await scan(device, ['CVE-2026-1003', 'HIGH'], ['CVE-2026-1001', 'LOW']);
  const changed = await arrived();
  expect(changed.map((body) => [body.type, cvesOf(body)])).toEqual([
    ['vulnerability.found', ['CVE-2026-1003']],
    ['vulnerability.fixed', ['CVE-2026-1002']],
  ]);
  expect(await d.rows(foreign)).toEqual([]);
});

test('sends many in parts, and counts them all in each', async () => {
  const device = await addDevice(t, client, undefined);
  const many = Array.from({ length: 120 }, (_, number): [string, string] => [`CVE-2026-${2000 + number}`, 'HIGH']);
  await scan(device, ...many);
  const parts = await arrived();
  expect(parts.map(({ data }) => [data.count, (data.vulnerabilities as []).length])).toEqual([
    [120, 50],
    [120, 50],
    [120, 20],
  ]);
  expect(new Set(parts.flatMap(cvesOf)).size).toBe(120);
});
