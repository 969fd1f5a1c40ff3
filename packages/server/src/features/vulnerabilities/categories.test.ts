/** Category figures from the database; scores.test.ts covers the formulas. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { expect, test } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import { seedAlerts } from '../../../test/seed.ts';
import { addDevice } from '../../../test/vulnerabilities.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import { findCategoryInputs } from './categories.store.ts';

const t = useTestApp();

const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);
const inputsOf = (organisationId: number) => {
  const scope = { organisationIds: [organisationId] };
  return scoped(t.db, scope, (tx) => findCategoryInputs(tx, scope, Date.now(), () => true), { readOnly: true });
};

test('measures coverage, open ports, patching and device scores of one organisation', async () => {
  const id = await t.organisation();
  const other = await t.organisation();
  const listening = [
    { protocol: 'tcp', address: '0.0.0.0', port: 23, process: 'telnetd' },
    { protocol: 'tcp', address: '::', port: 23, process: 'telnetd' },
    { protocol: 'tcp', address: '127.0.0.1', port: 6379, process: 'redis' },
    { protocol: 'tcp', address: '0.0.0.0', port: 443, process: 'nginx' },
  ];
  const device = await addDevice(t, id, [], { listening });
  await addDevice(t, id, [], { type: 'workstation' });
  await addDevice(t, id, undefined, { type: 'networkDevice' });
  const theirs = await addDevice(t, other, [], { listening });
  const day = (days: number) => new Date(Date.now() - days * dayMs);
  const finding = (
    organisation_id: number,
    device_id: string,
    cve: string,
    severity: string,
    seen: number,
    fixed?: number,
    ecosystem = 'Debian:12',
  ) => ({
    organisation_id,
    device_id,
    source: 'agent' as const,
    cve,
    ecosystem,
    package: 'p',
    installed_version: '1',
    fixed_version: null,
    severity,
    cvss: null,
    priority: severity === 'critical' ? 70 : 20,
    first_seen_at: day(seen),
    fixed_at: fixed === undefined ? null : day(fixed),
    accepted_until: null,
    accepted_by: null,
  });
  await system(async (tx) => {
    await tx.insertInto('known_exploited').values({ cve: 'CVE-2024-50003', added_at: null, due_at: null }).execute();
    await tx
      .insertInto('scans')
      .values(
        [
          [id, device, 3],
          [other, theirs, 0],
        ].map(([organisation_id, device_id, languages]) => ({
          organisation_id: organisation_id as number,
          device_id: device_id as string,
          source: 'agent' as const,
          scanned_at: new Date(),
          packages: 5,
          languages: languages as number,
        })),
      )
      .execute();
    await tx
      .insertInto('findings')
      .values([
        finding(id, device, 'CVE-2024-50001', 'critical', 10),
        finding(id, device, 'CVE-2024-50002', 'critical', 20),
        finding(id, device, 'CVE-2024-50003', 'low', 20),
        finding(id, device, 'CVE-2024-50004', 'high', 60, 40),
        finding(id, device, 'CVE-2024-50005', 'high', 400, 100),
        finding(id, device, 'CVE-2024-50006', 'low', 1, undefined, 'npm'),
        finding(other, theirs, 'CVE-2024-50001', 'critical', 300),
      ])
      .execute();
  });
  expect(await inputsOf(id)).toMatchObject({
    devices: 3,
    endpoints: 2,
    reporting: 2,
    listening: { devices: 2, risky: 1 },
    // Counts 50001, 50002, 50003 (exploited: 14 days), 50004 and 50006; 50005 was fixed too long ago.
    patching: { total: 5, inTime: 3 },
    deviceScores: { devices: 1, mean: 30 },
    languageScores: { devices: 1, mean: 80 },
    lists: 0,
  });
  expect(await inputsOf(other)).toMatchObject({ patching: { total: 1, inTime: 0 }, languageScores: undefined });
});

test('counts alerts by rule category and rules with live sources', async () => {
  const id = await t.organisation();
  const device = await addDevice(t, id, undefined);
  const rules = await system((tx) => tx.selectFrom('rules').selectAll().execute());
  const dns = rules.find(({ facts }) => /\bdns\b/.test(facts.logSource))!;
  const phishing = rules.find(({ facts }) => facts.techniques.some((technique) => technique.startsWith('T1566')))!;
  expect([dns, phishing]).toEqual([expect.anything(), expect.anything()]);
  expect(await inputsOf(id)).toMatchObject({ dns: { liveRules: 0, alerts: [] }, phishing: { liveRules: 0, alerts: [] } });
  await system(async (tx) => {
    await tx
      .insertInto('device_sources')
      .values({ organisation_id: id, device_id: device, log_source: dns.facts.logSource, last_at: new Date() })
      .execute();
  });
  await seedAlerts(
    t.db,
    id,
    Array.from({ length: 7 }, (_, at) => ({ at: Date.now() - (at + 1) * 3_600_000, rule: phishing })),
  );
  const inputs = await inputsOf(id);
  expect(inputs.dns.liveRules).toBeGreaterThan(0);
  expect(inputs.dns.alerts).toEqual([]);
  expect(inputs.phishing.alerts).toEqual([{ criticality: phishing.criticality, count: 7 }]);
  // A rule that fired counts as live whatever its source.
  expect(inputs.phishing.liveRules).toBeGreaterThan(0);
});

test('counts listed addresses and files of cases once, at their worst', async () => {
  const id = await t.organisation();
  const now = new Date();
  await system(async (tx) => {
    const list = await tx
      .insertInto('intelligence_lists')
      .values({ name: 'Listed', format: 'csv', count: 3, imported_at: now })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('indicators')
      .values([
        { list_id: list.id, kind: 'ip', value: '203.0.113.7', reputation: 'Malicious' },
        { list_id: list.id, kind: 'ip', value: '203.0.113.8', reputation: 'Suspicious' },
        { list_id: list.id, kind: 'hash', value: 'a'.repeat(64), reputation: 'Malicious' },
      ])
      .execute();
    for (let i = 0; i < 2; i++) {
      const found = await tx
        .insertInto('cases')
        .values({
          organisation_id: id,
          title: 'Case',
          criticality: 3,
          created_at: now,
          first_alert_at: now,
          last_alert_at: now,
        } as never)
        .returning('id')
        .executeTakeFirstOrThrow();
      const at = { organisation_id: id, case_id: found.id, first_at: now, last_at: now };
      await tx
        .insertInto('case_artifacts')
        .values([
          { ...at, kind: 'destinationIp', value: '203.0.113.7' },
          { ...at, kind: 'sourceIp', value: '203.0.113.8' },
          { ...at, kind: 'hash', value: 'a'.repeat(64) },
          { ...at, kind: 'destinationIp', value: '203.0.113.9' },
        ])
        .execute();
    }
  });
  expect(await inputsOf(id)).toMatchObject({
    lists: 1,
    addresses: { malicious: 1, suspicious: 1 },
    files: { malicious: 1, suspicious: 0 },
  });
});
