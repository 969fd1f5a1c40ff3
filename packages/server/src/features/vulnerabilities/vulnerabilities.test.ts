import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type Finding, vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { runAs } from '../../../test/database.ts';
import { addDevice, osv, sendFile, setPackages } from '../../../test/vulnerabilities.fixture.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { createAdvisoriesService } from './advisories.service.ts';
import { createMatchingService } from './matching.service.ts';
import { createVulnerabilitiesService } from './vulnerabilities.service.ts';

const t = useTestApp();
let host: TestUser;
let partner: number;
const clock = movableClock(Date.now());
let matching: ReturnType<typeof createMatchingService>;
let service: ReturnType<typeof createVulnerabilitiesService>;

beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true });
  host = await t.user({ organisationId: 1, role: 'Host' });
  partner = await t.organisation({ isPartner: true, parentId: 1 });
  matching = createMatchingService({ db: t.db, clock, log: silentLog });
  service = createVulnerabilitiesService({
    db: t.db,
    clock,
    matching,
    advisories: createAdvisoriesService({ db: t.db, clock }),
    isLoaded: () => true,
    alertRetentionMonths: 12,
  });
});

async function ok<E extends Endpoint>(endpoint: E, input: InputOf<E>, user: TestUser): Promise<AnswerOf<E>> {
  const answer = await t.call(endpoint, input, user);
  expect([answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([200, '']);
  return answer.json();
}
const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);

async function aClient() {
  const id = await t.organisation({ parentId: partner });
  return {
    id,
    admin: await t.user({ organisationId: id, role: 'Administrator' }),
    analyst: await t.user({ organisationId: id, role: 'Analyst' }),
  };
}
const importing = async (kind: 'osv' | 'epss' | 'kev', content: unknown) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const answer = await sendFile(t, `/advisories/${kind}`, text, host, kind === 'epss' ? 'text/csv' : 'application/json');
  expect([answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([200, '']);
  return answer.json() as AnswerOf<typeof vulnerabilitiesApi.importAdvisories>;
};
const findings = async (client: number, user: TestUser, query: Record<string, unknown> = {}): Promise<Finding[]> =>
  (await ok(vulnerabilitiesApi.list, { params: { client }, query: query as never }, user)).results as Finding[];

let next = 0;
/** A unique name. */
const pkg = (name: string) => `${name}-${++next}`;
const cveId = () => `CVE-2024-${10_000 + ++next}`;

describe('matching', () => {
  test('finds installed versions before the fix and closes findings after it', async () => {
    const { id, admin } = await aClient();
    const [name, cve] = [pkg('openssl'), cveId()];
    const device = await addDevice(t, id, [
      { name: 'libssl3', version: '3.0.11-1~deb12u1', source: name },
      { name: 'other', version: '1.0' },
    ]);
    await importing(
      'osv',
      osv(cve, name, '3.0.11-1~deb12u2', {
        severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      }),
    );
    await matching.run();
    const [found, ...others] = await findings(id, admin);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      cve,
      package: name,
      ecosystem: 'Debian:12',
      installedVersion: '3.0.11-1~deb12u1',
      fixedVersion: '3.0.11-1~deb12u2',
      severity: 'critical',
      cvss: 9.8,
      deviceUuid: device,
      clientOrganizationID: id,
      state: 'open',
      source: 'agent',
      fixedAt: null,
      daysToFix: null,
    });
    clock.moveTo(clock.now() + 3 * dayMs);
    await setPackages(t, id, device, [{ name: 'libssl3', version: '3.0.11-1~deb12u2', source: name }], new Date(clock.now()));
    await matching.run();
    expect(await findings(id, admin)).toEqual([]);
    const [fixed] = await findings(id, admin, { state: 'fixed' });
    expect(fixed).toMatchObject({ cve, state: 'fixed', daysToFix: 3 });
    // The returning finding is a new one with a reason.
    clock.moveTo(clock.now() + dayMs);
    await setPackages(t, id, device, [{ name: 'libssl3', version: '3.0.9-1', source: name }], new Date(clock.now()));
    await matching.run();
    const [again] = await findings(id, admin);
    expect(again!.id).not.toBe(fixed!.id);
    expect(again!.firstSeenAt > fixed!.fixedAt!).toBe(true);
    expect(again!.reasons.at(-1)).toMatch(/^Was fixed until \d{4}-\d{2}-\d{2} and returned$/);
  });

  test('matches again after an import: withdrawals fix findings, EPSS and known exploited change priorities', async () => {
    const { id, admin } = await aClient();
    const [name, cve] = [pkg('sudo'), cveId()];
    await addDevice(t, id, [{ name, version: '1.9.5p1-1' }], { type: 'workstation' });
    await matching.run();
    expect(await findings(id, admin)).toEqual([]);
    await importing('osv', osv(cve, name, '1.9.5p2-1', { database_specific: { severity: 'HIGH' } }));
    await matching.run();
    const [first] = await findings(id, admin);
    expect(first).toMatchObject({ cve, severity: 'high', cvss: null, epss: null, isKnownExploited: false, priority: 24 });
    await importing(
      'epss',
      `#model_version:v2025.03.14,score_date:2026-11-20T00:00:00+0000\ncve,epss,percentile\n${cve},0.81,0.99\n`,
    );
    await importing('kev', {
      vulnerabilities: [{ cveID: cve, vulnerabilityName: 'Sudo', dateAdded: '2026-01-02', dueDate: '2026-02-02' }],
    });
    await matching.run();
    const [second] = await findings(id, admin, { exploited: 'true' });
    // 30 exploited + 25 × 0.9 + 24.
    expect(second).toMatchObject({ id: first!.id, epss: 0.81, isKnownExploited: true, priority: 77 });
    expect(second!.reasons.join()).toContain('known exploited');
    await importing('osv', osv(cve, name, '1.9.5p2-1', { modified: '2026-11-10T00:00:00Z', withdrawn: '2026-11-09T00:00:00Z' }));
    await matching.run();
    expect(await findings(id, admin)).toEqual([]);
  });

  test('keeps the newer of two records', async () => {
    const { id, admin } = await aClient();
    const [name, cve] = [pkg('bash'), cveId()];
    await addDevice(t, id, [{ name, version: '5.0' }]);
    await importing('osv', osv(cve, name, '5.1', { modified: '2026-11-10T00:00:00Z' }));
    await importing('osv', osv(cve, name, '4.0', { modified: '2026-11-01T00:00:00Z' }));
    await matching.run();
    expect((await findings(id, admin)).map((each) => each.fixedVersion)).toEqual(['5.1']);
  });

  test('matches ecosystems separately by release, name and order', async () => {
    const { id, admin } = await aClient();
    const [a, b] = [pkg('pkg'), pkg('Flask_Thing')];
    await addDevice(t, id, [
      { name: a, version: '1.9', ecosystem: 'Debian:12' },
      { name: a, version: '1.9', ecosystem: 'Ubuntu:22.04:LTS' },
      { name: a, version: '1.9.0', ecosystem: 'npm', source: '' },
      { name: b.toUpperCase(), version: '1.0rc1', ecosystem: 'PyPI', source: '' },
    ]);
    const cves = [cveId(), cveId(), cveId(), cveId()] as const;
    await importing('osv', [
      osv(cves[0], a, '1.10', {}, 'Debian:11'),
      osv(cves[1], a, '1.10', {}, 'Ubuntu:22.04:LTS'),
      osv(cves[2], a, '1.10.0', {}, 'npm'),
      osv(cves[3], b.replaceAll('_', '-'), '1.0', {}, 'PyPI'),
    ]);
    await matching.run();
    const found = await findings(id, admin);
    expect(found.map(({ cve, ecosystem }) => `${cve} ${ecosystem}`).sort()).toEqual(
      [`${cves[1]} Ubuntu:22.04`, `${cves[2]} npm`, `${cves[3]} PyPI`].sort(),
    );
  });

  test('splits a distribution’s advisory by CVE and merges it with others of the same', async () => {
    const { id, admin } = await aClient();
    const name = pkg('curl');
    const [one, two] = [cveId(), cveId()];
    await addDevice(t, id, [{ name, version: '7.88.1-10' }]);
    await importing('osv', [
      osv(`DSA-${next}-1`, name, '7.88.1-10+deb12u4', { upstream: [one, two] }),
      osv(`DEBIAN-${one}`, name, '7.88.1-10+deb12u5', { upstream: [one], summary: 'SOCKS5 heap buffer overflow' }),
    ]);
    await matching.run();
    const found = (await findings(id, admin)).sort((a, b) => (a.cve < b.cve ? -1 : 1));
    expect(found.map(({ cve, fixedVersion }) => [cve, fixedVersion])).toEqual([
      [one, '7.88.1-10+deb12u5'],
      [two, '7.88.1-10+deb12u4'],
    ]);
    expect(found[0]!.aliases).toContain(`DEBIAN-${one}`);
  });

  test('continues after a failing device and retries it', async () => {
    const one = await aClient();
    const two = await aClient();
    const [name, cve] = [pkg('tar'), cveId()];
    const broken = await addDevice(t, one.id, [{ name, version: '1' }]);
    await addDevice(t, two.id, [{ name, version: '1' }]);
    await importing('osv', osv(cve, name, '2'));
    await runAs(t.database.ownerUrl, `alter table findings add constraint in_the_way check (device_id <> '${broken}')`);
    await matching.run();
    expect(await findings(one.id, one.admin)).toEqual([]);
    expect(await findings(two.id, two.admin)).toHaveLength(1);
    await runAs(t.database.ownerUrl, 'alter table findings drop constraint in_the_way');
    await matching.run();
    expect(await findings(one.id, one.admin)).toHaveLength(1);
  });
});

describe('accepting', () => {
  async function aFinding() {
    const client = await aClient();
    const [name, cve] = [pkg('vim'), cveId()];
    const device = await addDevice(t, client.id, [{ name, version: '1' }]);
    await importing('osv', osv(cve, name, '2'));
    await matching.run();
    const [finding] = await findings(client.id, client.admin);
    return { ...client, device, name, finding: finding! };
  }
  const until = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

  test('hides an accepted finding until its end', async () => {
    const { id, admin, finding } = await aFinding();
    const input = {
      params: { client: id, finding: finding.id },
      body: { isAccepted: true, reason: 'Not reachable', until: until(30) },
    };
    const accepted = await ok(vulnerabilitiesApi.accept, input, admin);
    expect(accepted).toMatchObject({ state: 'accepted', acceptReason: 'Not reachable', acceptedBy: 'Test Administrator' });
    expect(await findings(id, admin)).toEqual([]);
    expect(await findings(id, admin, { state: 'accepted' })).toHaveLength(1);
    expect(await findings(id, admin, { state: 'open,accepted,fixed' })).toHaveLength(1);
    await system((tx) =>
      tx
        .updateTable('findings')
        .set({ accepted_until: new Date(Date.now() - 1) })
        .where('id', '=', finding.id)
        .execute(),
    );
    expect((await findings(id, admin))[0]).toMatchObject({
      state: 'open',
      acceptReason: '',
      acceptedBy: '',
      acceptedUntil: null,
    });
    const audit = await system((tx) =>
      tx
        .selectFrom('audit')
        .select(['action', 'after'])
        .where('organisation_id', '=', id)
        .where('target', '=', String(finding.id))
        .execute(),
    );
    expect(audit).toEqual([{ action: 'finding.accepted', after: { acceptedUntil: input.body.until, reason: 'Not reachable' } }]);
  });

  test('revokes an acceptance, which otherwise continues for a returning finding', async () => {
    const { id, admin, finding, device, name } = await aFinding();
    const params = { client: id, finding: finding.id };
    await ok(vulnerabilitiesApi.accept, { params, body: { isAccepted: true, reason: 'Later', until: until(300) } }, admin);
    await setPackages(t, id, device, [], new Date(Date.now() + 5_000));
    await matching.run();
    await setPackages(t, id, device, [{ name, version: '1' }], new Date(Date.now() + 10_000));
    await matching.run();
    const [again] = await findings(id, admin, { state: 'accepted' });
    expect(again).toMatchObject({ acceptReason: 'Later' });
    await ok(vulnerabilitiesApi.accept, { params: { client: id, finding: again!.id }, body: { isAccepted: false } }, admin);
    expect((await findings(id, admin)).map((each) => each.id)).toEqual([again!.id]);
  });

  test('rejects missing reason or end, more than a year, past ends, fixed findings and other users', async () => {
    const { id, admin, analyst, finding } = await aFinding();
    const other = await aClient();
    const request = async (body: object, user = admin, client = id) =>
      (await t.call(vulnerabilitiesApi.accept, { params: { client, finding: finding.id }, body: body as never }, user))
        .statusCode;
    const good = { isAccepted: true, reason: 'Why', until: until(10) };
    expect(await request({ ...good, reason: ' ' })).toBe(400);
    expect(await request({ isAccepted: true, reason: 'Why' })).toBe(400);
    expect(await request({ ...good, until: until(367) })).toBe(400);
    expect(await request({ ...good, until: until(-1) })).toBe(400);
    expect(await request(good, analyst)).toBe(403);
    expect(await request(good, other.admin)).toBe(403);
    // Another organisation’s finding under the caller’s client.
    expect(await request(good, other.admin, other.id)).toBe(404);
    expect((await findings(id, admin))[0]!.state).toBe('open');
    await system((tx) => tx.updateTable('findings').set({ fixed_at: new Date() }).where('id', '=', finding.id).execute());
    expect(await request(good)).toBe(409);
  });
});

describe('reading', () => {
  test('filters and pages findings and devices, worst first', async () => {
    const { id, admin } = await aClient();
    const [a, b] = [pkg('alpha'), pkg('beta')];
    const [one, two] = [cveId(), cveId()];
    const first = await addDevice(t, id, [{ name: a, version: '1' }], { name: `web-${next}` });
    const second = await addDevice(
      t,
      id,
      [
        { name: a, version: '1' },
        { name: b, version: '1' },
      ],
      { name: `db-${next}` },
    );
    const third = await addDevice(t, id, undefined, { type: 'networkDevice' });
    await importing('osv', [
      osv(one, a, null, { database_specific: { severity: 'LOW' }, aliases: [`GHSA-aaaa-bbbb-${next}`] }),
      osv(two, b, '2', { database_specific: { severity: 'CRITICAL' }, summary: 'Runs 100%_ of anything' }),
    ]);
    await matching.run();
    const all = await findings(id, admin);
    expect(all.map(({ cve }) => cve)).toEqual([two, one, one]);
    expect((await findings(id, admin, { severity: 'low' })).map(({ cve }) => cve)).toEqual([one, one]);
    expect((await findings(id, admin, { text: `ghsa-AAAA-bbbb-${next}` })).length).toBe(2);
    expect((await findings(id, admin, { text: '100%_' })).map(({ cve }) => cve)).toEqual([two]);
    expect((await findings(id, admin, { text: 'no_such' })).length).toBe(0);
    expect((await findings(id, admin, { device: first })).map(({ deviceUuid }) => deviceUuid)).toEqual([first]);
    expect(await findings(id, admin, { device: third })).toEqual([]);
    expect(await findings(id, admin, { exploited: 'false' })).toHaveLength(3);
    const page = await ok(vulnerabilitiesApi.list, { params: { client: id }, query: { page: 2, pageSize: 2 } }, admin);
    expect([page.total, page.results.length]).toEqual([3, 1]);
    const devices = await ok(vulnerabilitiesApi.devices, { params: { client: id }, query: {} }, admin);
    expect(devices.total).toBe(3);
    expect(
      devices.results.map(({ deviceUuid, critical, low, scannedAt }) => [deviceUuid, critical, low, scannedAt !== null]),
    ).toEqual([
      [second, 1, 1, true],
      [first, 0, 1, true],
      [third, 0, 0, false],
    ]);
    const customer = await ok(vulnerabilitiesApi.customer, { params: { client: id }, query: { score: '' } }, admin);
    expect(customer).toMatchObject({ online: 3, scanned: 2, monitored: 3, open: 3, knownExploited: 0 });
    expect(customer.score).toBeGreaterThan(0);
  });

  test('counts a duplicate as its device', async () => {
    const { id, admin } = await aClient();
    const [name, cve] = [pkg('nano'), cveId()];
    const duplicate = await addDevice(t, id, [{ name, version: '1' }]);
    const device = await addDevice(t, id, undefined, { name: `kept-${next}` });
    await importing('osv', osv(cve, name, '2'));
    await matching.run();
    await system((tx) =>
      tx.updateTable('devices').set({ merged_into: device, merged_at: new Date() }).where('id', '=', duplicate).execute(),
    );
    expect(await findings(id, admin)).toMatchObject([{ deviceUuid: device, deviceName: `kept-${next}` }]);
    expect(await findings(id, admin, { device })).toHaveLength(1);
    const { results } = await ok(vulnerabilitiesApi.devices, { params: { client: id }, query: {} }, admin);
    expect(results).toMatchObject([{ deviceUuid: device, priority: expect.any(Number) }]);
    expect(results[0]!.scannedAt).not.toBeNull();
  });

  test('returns -1 and the missing data of every category without measurements', async () => {
    const { id, admin } = await aClient();
    const customer = await ok(vulnerabilitiesApi.customer, { params: { client: id } }, admin);
    expect(customer).toMatchObject({ score: -1, online: 0, scanned: 0, monitored: 0, open: 0, meanDaysToFix: null });
    expect(customer.categories).toHaveLength(10);
    for (const { score, basis } of customer.categories)
      expect([score, basis]).toEqual([null, expect.stringMatching(/^Not measured: /)]);
  });

  test('hides other organisations’ findings in the API and in the database', async () => {
    const one = await aClient();
    const two = await aClient();
    const [name, cve] = [pkg('less'), cveId()];
    await addDevice(t, one.id, [{ name, version: '1' }]);
    await importing('osv', osv(cve, name, '2'));
    await matching.run();
    const [finding] = await findings(one.id, one.admin);
    expect(await findings(two.id, two.admin)).toEqual([]);
    for (const call of [vulnerabilitiesApi.list, vulnerabilitiesApi.devices, vulnerabilitiesApi.customer] as const)
      expect((await t.call(call, { params: { client: one.id }, query: {} } as never, two.admin)).statusCode).toBe(403);
    const partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
    expect((await findings(0, partnerAdmin)).some((each) => each.id === finding!.id)).toBe(true);
    // Row-level security alone separates tenants.
    const seen = await scoped(t.db, { organisationIds: [two.id] }, async (tx) => ({
      findings: await tx.selectFrom('findings').select('id').execute(),
      scans: await tx.selectFrom('scans').select('device_id').execute(),
      changed: Number(
        (await tx.updateTable('findings').set({ title: 'x' }).where('id', '=', finding!.id).executeTakeFirst()).numUpdatedRows,
      ),
      advisories: (await tx.selectFrom('advisories').select('id').where('cve', '=', cve).execute()).length,
      written: Number(
        (await tx.updateTable('advisories').set({ title: 'x' }).where('cve', '=', cve).executeTakeFirst()).numUpdatedRows,
      ),
    }));
    expect(seen).toEqual({ findings: [], scans: [], changed: 0, advisories: 1, written: 0 });
  });
});

test('deletes old fixed findings by each organisation’s retention', async () => {
  const { id } = await aClient();
  const other = await aClient();
  await system((tx) => tx.updateTable('organisations').set({ alert_retention_months: 2 }).where('id', '=', id).execute());
  for (const organisationId of [id, other.id]) {
    const device = await addDevice(t, organisationId, undefined);
    for (const months of [1, 3, 13])
      await system((tx) =>
        tx
          .insertInto('findings')
          .values({
            organisation_id: organisationId,
            device_id: device,
            source: 'agent',
            cve: `CVE-2020-000${months}`,
            package: 'p',
            installed_version: '1',
            severity: 'low',
            priority: 1,
            first_seen_at: new Date(0),
            fixed_at: new Date(clock.now() - months * 31 * dayMs),
          } as never)
          .execute(),
      );
  }
  await service.dropOld();
  const left = async (organisationId: number) =>
    (
      await system((tx) =>
        tx.selectFrom('findings').select('cve').where('organisation_id', '=', organisationId).orderBy('cve').execute(),
      )
    ).map(({ cve }) => cve);
  expect(await left(id)).toEqual(['CVE-2020-0001']);
  expect(await left(other.id)).toEqual(['CVE-2020-0001', 'CVE-2020-0003']);
});

test('stores each finding once for concurrent scans of a device', async () => {
  const { id, admin } = await aClient();
  const [name, cve] = [pkg('race'), cveId()];
  await addDevice(t, id, [{ name, version: '1' }]);
  await importing('osv', osv(cve, name, '2'));
  await Promise.all([matching.run(), matching.run(), matching.run()]);
  expect(await findings(id, admin)).toHaveLength(1);
});

test('lists clients worst first, each matching its own list', async () => {
  const [calm, exploited, critical] = [await aClient(), await aClient(), await aClient()];
  const analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  const weakness = async (client: number, severity: string, isExploited: boolean) => {
    const [name, cve] = [pkg('lib'), cveId()];
    await addDevice(t, client, [{ name, version: '1.0', source: name }]);
    const score =
      severity === 'critical' ? 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' : 'CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N';
    await importing('osv', osv(cve, name, '2.0', { severity: [{ type: 'CVSS_V3', score }] }));
    if (isExploited)
      await importing('kev', { vulnerabilities: [{ cveID: cve, vulnerabilityName: cve, dateAdded: '2026-01-02' }] });
  };
  await weakness(critical.id, 'critical', false);
  await weakness(exploited.id, 'low', true);
  await matching.run();
  const { results } = await ok(vulnerabilitiesApi.clients, {}, analyst);
  const ofThese = results.filter((row) => [calm.id, exploited.id, critical.id].includes(row.clientOrganizationID));
  expect(ofThese.map((row) => row.clientOrganizationID)).toEqual([exploited.id, critical.id, calm.id]);
  expect(ofThese[0]).toMatchObject({ open: 1, knownExploited: 1, critical: 0, monitored: 1, scanned: 1 });
  expect(ofThese[1]).toMatchObject({ open: 1, knownExploited: 0, critical: 1 });
  expect(ofThese[2]).toMatchObject({ open: 0, priority: 0, monitored: 0 });
  for (const row of ofThese) expect(await findings(row.clientOrganizationID, analyst)).toHaveLength(row.open);
  expect((await t.call(vulnerabilitiesApi.clients, {}, calm.admin)).statusCode).toBe(403);
});
