/** File uploads over HTTP: permissions, effects and size limits. */
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { beforeAll, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { addDevice, osv, sendFile, setPackages } from '../../../test/vulnerabilities.fixture.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let host: TestUser;
let admin: TestUser;
let client: number;
let device: string;
beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true });
  host = await t.user({ organisationId: 1, role: 'Host' });
  client = await t.organisation({ parentId: 1 });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  device = await addDevice(t, client, undefined);
});

const findings = async (query: object = {}) =>
  (await t.call(vulnerabilitiesApi.list, { params: { client }, query: query as never }, admin)).json().results as {
    cve: string;
    source: string;
    priority: number;
    fixedVersion: string | null;
  }[];
const scan = (content: unknown, user = admin, of = device) =>
  sendFile(t, `/vulnerabilities/${client}/scan/${of}`, JSON.stringify(content), user);
const cyclone = (...purls: string[]) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: purls.map((purl) => ({ purl })),
});
const trivy = (...cves: string[]) => ({
  ArtifactName: 'x',
  Results: [
    {
      Type: 'npm',
      Vulnerabilities: cves.map((VulnerabilityID) => ({
        VulnerabilityID,
        PkgName: 'a',
        InstalledVersion: '1.0.0',
        Severity: 'HIGH',
      })),
    },
  ],
});

test('replaces the previous result of the same scanner only', async () => {
  expect((await scan(trivy('CVE-2024-10001', 'CVE-2024-10002'))).json()).toEqual({
    tool: 'trivy',
    packages: 1,
    findings: 2,
    added: 2,
    fixed: 0,
    skipped: [],
  });
  const imported = await sendFile(
    t,
    '/advisories/osv',
    JSON.stringify(osv('CVE-2024-10003', 'lodash', '4.17.21', {}, 'npm')),
    host,
  );
  expect(imported.json()).toEqual({ imported: 1, skipped: [], skippedCount: 0 });
  expect((await scan(cyclone('pkg:npm/lodash@4.17.20', 'pkg:npm/b@1.0.0'))).json()).toMatchObject({
    tool: 'cyclonedx',
    packages: 2,
    findings: 1,
    added: 1,
  });
  expect((await scan(trivy('CVE-2024-10002', 'CVE-2024-10004'))).json()).toMatchObject({ findings: 2, added: 1, fixed: 1 });
  expect((await findings()).map(({ cve, source }) => `${cve} ${source}`).sort()).toEqual([
    'CVE-2024-10002 trivy',
    'CVE-2024-10003 cyclonedx',
    'CVE-2024-10004 trivy',
  ]);
  const actions = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .select(['action', 'target', 'organisation_id'])
      .where('action', 'in', ['scan.uploaded', 'advisories.imported'])
      .execute(),
  );
  expect(actions.filter(({ action }) => action === 'scan.uploaded')).toHaveLength(3);
  expect(actions).toContainEqual({ action: 'advisories.imported', target: 'osv', organisation_id: 1 });
});

test('matches an uploaded result again after an import', async () => {
  await scan(cyclone('pkg:npm/minimist@1.2.5'));
  await sendFile(t, '/advisories/osv', JSON.stringify(osv('CVE-2021-44906', 'minimist', '1.2.6', {}, 'npm')), host);
  const { createMatchingService } = await import('./matching.service.ts');
  const { silentLog } = await import('../../core/log.ts');
  await createMatchingService({ db: t.db, clock: systemClock, log: silentLog }).run();
  expect((await findings({ text: 'CVE-2021-44906' })).map(({ source, fixedVersion }) => [source, fixedVersion])).toEqual([
    ['cyclonedx', '1.2.6'],
  ]);
});

test('shows and counts a finding of several scanners once, from the next source when the first drops it', async () => {
  const shared = await addDevice(t, client, [{ name: 'openssl', version: '3.0.1', ecosystem: 'Debian:12' }]);
  const cve = 'CVE-2024-40001';
  await sendFile(t, '/advisories/osv', JSON.stringify(osv(cve, 'openssl', '3.0.2')), host);
  const { createMatchingService } = await import('./matching.service.ts');
  const { silentLog } = await import('../../core/log.ts');
  const match = () => createMatchingService({ db: t.db, clock: systemClock, log: silentLog }).run();
  const seen = async () => (await findings({ text: cve })).map(({ source }) => source);
  const open = async () => (await t.call(vulnerabilitiesApi.customer, { params: { client } }, admin)).json().open as number;
  const before = await open();
  await scan(trivy(cve), admin, shared);
  expect([await seen(), (await open()) - before]).toEqual([['trivy'], 1]);
  await Promise.all([match(), scan({ ...cyclone(), vulnerabilities: [{ id: cve, affects: [{ ref: 'x' }] }] }, admin, shared)]);
  expect([await seen(), (await open()) - before]).toEqual([['agent'], 1]);
  await setPackages(
    t,
    client,
    shared,
    [{ name: 'openssl', version: '3.0.2', ecosystem: 'Debian:12' }],
    new Date(Date.now() + 1_000),
  );
  await match();
  await scan(cyclone(), admin, shared);
  expect([await seen(), (await open()) - before]).toEqual([['trivy'], 1]);
  await scan(trivy(), admin, shared);
  expect([await seen(), (await open()) - before]).toEqual([[], 0]);
  // The agent’s and Trivy’s findings were shown, so both are reported as fixed.
  const fixed = (await findings({ text: cve, state: 'fixed' })).map(({ source }) => source);
  expect(fixed.sort()).toEqual(['agent', 'trivy']);
});

test('rejects missing permissions, foreign devices and invalid results without storing anything', async () => {
  const other = await t.organisation({ parentId: 1 });
  const otherAdmin = await t.user({ organisationId: other, role: 'Administrator' });
  const analyst = await t.user({ organisationId: client, role: 'Analyst' });
  const theirs = await addDevice(t, other, undefined);
  expect((await scan(trivy('CVE-2024-10009'), analyst)).statusCode).toBe(403);
  expect((await scan(trivy('CVE-2024-10009'), otherAdmin)).statusCode).toBe(403);
  expect((await scan(trivy('CVE-2024-10009'), admin, theirs)).statusCode).toBe(404);
  expect((await scan({})).statusCode).toBe(400);
  expect((await sendFile(t, `/vulnerabilities/${client}/scan/${device}`, 'x', admin, 'text/plain')).statusCode).toBe(400);
  for (const user of [admin, analyst, undefined])
    expect((await sendFile(t, '/advisories/osv', '{"id":"CVE-2024-1"}', user)).statusCode).toBe(user ? 403 : 401);
  for (const [kind, text] of [
    ['osv', 'nothing of the kind'],
    ['osv', ''],
    ['epss', 'a,b,c\n1,2,3'],
    ['kev', '{"title":"no list"}'],
    ['kev', '[1]'],
  ] as const) {
    const answer = await sendFile(t, `/advisories/${kind}`, text, host);
    expect([kind, text, answer.statusCode, answer.json().error]).toEqual([kind, text, 400, expect.any(String)]);
  }
  expect((await findings({ text: 'CVE-2024-10009' })).length).toBe(0);
});

test('stores the readable part of a broken file and reports the rest', async () => {
  const lines = [
    JSON.stringify(osv('CVE-2024-20001', 'p', '2', {}, 'npm')),
    '{"id":"CVE-2024-20002","affected":[{',
    JSON.stringify({ affected: [] }),
    JSON.stringify(osv('CVE-2024-20003', 'p', '3.0.0', {}, 'npm')),
  ];
  const answer = await sendFile(t, '/advisories/osv', lines.join('\n'), host, 'application/x-ndjson');
  expect(answer.json()).toMatchObject({ imported: 2, skippedCount: 2 });
  const sources = await t.call(vulnerabilitiesApi.listAdvisorySources, {}, admin);
  expect(sources.json().results).toContainEqual(expect.objectContaining({ kind: 'npm', newestAt: '2026-11-01T00:00:00.000Z' }));
});

test('rejects an oversized file during upload and keeps the part before the limit', async () => {
  await t.application.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = t.application.app.server.address() as AddressInfo;
  const record = Buffer.from(`${JSON.stringify(osv('CVE-2024-30001', 'p', '2', {}, 'npm'))}\n`);
  const filler = Buffer.alloc(1024 * 1024, ' ');
  const send = (path: string, token: string | undefined, megabytes: number) =>
    new Promise<number>((resolve) => {
      const pending = request({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: `/api/v1${path}`,
        headers: { 'content-type': 'application/x-ndjson', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      });
      pending.on('response', (answer) => {
        answer.resume();
        pending.destroy();
        resolve(answer.statusCode ?? 0);
      });
      pending.on('error', () => {});
      pending.write(record);
      let sent = 0;
      const more = () => {
        while (sent < megabytes && !pending.destroyed) {
          sent++;
          if (!pending.write(filler)) return void pending.once('drain', more);
        }
        pending.end();
      };
      more();
    });
  const before = process.memoryUsage().rss;
  expect(await send('/advisories/osv', host.token, 210)).toBe(413);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  const stored = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('advisories').select('id').where('id', '=', 'CVE-2024-30001').execute(),
  );
  expect(stored).toHaveLength(1);
  // Unauthenticated bodies are never read.
  expect(await send('/advisories/osv', undefined, 50)).toBe(401);
  expect(await send(`/vulnerabilities/${client}/scan/${device}`, admin.token, 60)).toBeGreaterThanOrEqual(400);
}, 60_000);
