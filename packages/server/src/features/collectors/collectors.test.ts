import { collectorsApi } from '@parapet/contract/collectors.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { defaults } from './collectors.defaults.ts';
import { findConfig } from './collectors.store.ts';

const t = useTestApp();
let partner: number;
let client: number;
let sibling: number;
let admin: TestUser;
let manager: TestUser;
let partnerAdmin: TestUser;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Alder\nManufacturing' });
  sibling = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  manager = await t.user({ organisationId: client, role: 'Manager' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
});

const at = (kind: 'filebeat' | 'winlogbeat' | 'auditbeat' | 'rsyslog' | 'client' = 'filebeat', organisation = client) => ({
  params: { client: organisation, kind },
});
const save = (yaml: string, version: number, input = at(), user = admin, comment = '') =>
  t.call(collectorsApi.save, { ...input, body: { yaml, version, comment } }, user);
const fetchAsHost = (kind: string, authorization: string) =>
  t.application.app.inject({ url: `/ingest/config/${kind}`, headers: { authorization } });

describe('collector configurations', () => {
  test('start from defaults, are saved in versions with their changes, and older ones are readable', async () => {
    const first = (await t.call(collectorsApi.get, at(), admin)).json();
    expect(first).toMatchObject({ version: 0, yaml: defaults.filebeat, savedAt: null, problems: [] });
    const changed = `${defaults.filebeat}name: files\r\n`;
    const saved = await save(changed, 0, at(), admin, 'A name');
    expect(saved.statusCode).toBe(200);
    expect(saved.json()).toMatchObject({ version: 1, comment: 'A name', savedBy: 'Test Administrator' });
    expect(saved.json().yaml).not.toContain('\r');
    expect((await save(`${defaults.filebeat}name: other\nprocesing: 1\n`, 1)).statusCode).toBe(400);
    expect((await save(`${defaults.filebeat}name: other\n`, 1)).json().version).toBe(2);
    const { results, total } = (await t.call(collectorsApi.listVersions, at(), admin)).json();
    expect(total).toBe(2);
    expect(results).toMatchObject([
      { version: 2, added: 1, removed: 1, savedBy: 'Test Administrator' },
      { version: 1, added: 1, removed: 0, comment: 'A name' },
    ]);
    expect((await t.call(collectorsApi.get, { ...at(), query: { version: 1 } }, admin)).json().yaml).toContain('name: files');
    expect((await t.call(collectorsApi.get, at(), admin)).json().yaml).toContain('name: other');
    expect((await t.call(collectorsApi.get, { ...at(), query: { version: 9 } }, admin)).statusCode).toBe(404);
    // Other clients and other collectors have their own.
    expect((await t.call(collectorsApi.get, at('filebeat', sibling), partnerAdmin)).json().version).toBe(0);
    expect((await t.call(collectorsApi.get, at('auditbeat'), admin)).json().version).toBe(0);
  });

  test('report a problem with its line, and reject the save', async () => {
    const yaml = 'filebeat.inputs:\n  - type: filestream\n    paths: 7: 8\n';
    const { problems } = (await t.call(collectorsApi.check, { ...at(), body: { yaml } }, admin)).json();
    expect(problems[0]).toMatchObject({ line: 3, isError: true });
    const refused = await save(yaml, 0, at('filebeat', sibling), partnerAdmin);
    expect(refused.statusCode).toBe(400);
    expect(refused.json().errors.yaml[0]).toMatch(/^Line 3: /);
  });

  test('return both texts on a conflict; one of many concurrent saves wins', async () => {
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => save(`name: ${name}\n`, 0, at('winlogbeat'))));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json()).toMatchObject({ versions: { yours: 0, current: 1 } });
    expect((await save('name: e\n', 7, at('winlogbeat'))).statusCode).toBe(409);
  });

  test('include a working key, by which the host fetches the newest', async () => {
    await save('tags: [alder]\naddress: "http://10.0.0.5:8080"\ncollectors: [filebeat, winlogbeat]\n', 0, at('client'));
    const answer = (await t.call(collectorsApi.download, { ...at('auditbeat'), body: { keyName: 'host 7' } }, admin)).json();
    expect(answer.fileName).toBe('auditbeat.yml');
    const file = parse(answer.text);
    const key = file['output.elasticsearch.password'];
    expect(file).toMatchObject({ tags: ['alder'], 'output.elasticsearch.hosts': ['http://10.0.0.5:8080'] });
    expect(answer.command).toContain(`'Authorization: ApiKey ${key}' 'http://10.0.0.5:8080/ingest/config/auditbeat'`);
    expect((await t.send(key, [{ message: 'one' }])).json().errors).toBe(false);

    await save('name: newer\n', 0, at('auditbeat'));
    for (const authorization of [`ApiKey ${key}`, `Basic ${Buffer.from(`x:${key}`).toString('base64')}`]) {
      const fetched = await fetchAsHost('auditbeat', authorization);
      expect(fetched.statusCode).toBe(200);
      expect(parse(fetched.body)).toMatchObject({ name: 'newer', 'output.elasticsearch.password': key });
    }
    const collection = parse((await fetchAsHost('client', `ApiKey ${key}`)).body);
    expect(collection).toMatchObject({ address: 'http://10.0.0.5:8080', key, collectors: ['filebeat', 'winlogbeat'] });
    expect((await fetchAsHost('rsyslog', `ApiKey ${key}`)).body).toContain(`pwd="${key}"`);

    const { results } = (await t.call(ingestKeysApi.list, { params: { client } }, admin)).json();
    const { id } = results.find(({ name }: { name: string }) => name === 'host 7');
    await t.call(ingestKeysApi.revoke, { params: { client, key: id } }, admin);
    expect((await fetchAsHost('auditbeat', `ApiKey ${key}`)).statusCode).toBe(401);
  });

  test('write audit entries for saves and downloads, without the key', async () => {
    const answer = (await t.call(collectorsApi.download, { ...at('rsyslog'), body: { keyName: 'audited' } }, admin)).json();
    const key = /pwd="([^"]+)"/.exec(answer.text)?.[1] ?? '';
    const rows = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').selectAll().where('organisation_id', '=', client).orderBy('id', 'desc').limit(2).execute(),
    );
    expect(rows.map(({ action }) => action).sort()).toEqual(['collectorConfig.downloaded', 'ingestKey.created']);
    expect(key).toMatch(/^pk_/);
    expect(JSON.stringify(rows)).not.toContain(key);
    await save('# empty\n', 0, at('rsyslog'));
    const [row] = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', 'collectorConfig.saved').orderBy('id', 'desc').limit(1).execute(),
    );
    expect(row).toMatchObject({ actor_user_id: admin.id, organisation_id: client, target: 'rsyslog' });
  });
});

describe('access', () => {
  test('returns 401 to anonymous callers, 403 without the right or outside the scope', async () => {
    expect((await t.call(collectorsApi.get, at())).statusCode).toBe(401);
    expect((await t.call(collectorsApi.get, at(), manager)).statusCode).toBe(403);
    expect((await save('', 0, at(), manager)).statusCode).toBe(403);
    for (const call of [
      t.call(collectorsApi.get, at('filebeat', sibling), admin),
      t.call(collectorsApi.listVersions, at('filebeat', sibling), admin),
      t.call(collectorsApi.check, { ...at('filebeat', sibling), body: { yaml: '' } }, admin),
      save('', 0, at('filebeat', sibling)),
      t.call(collectorsApi.download, { ...at('filebeat', sibling), body: { keyName: 'x' } }, admin),
    ])
      expect((await call).statusCode).toBe(403);
  });

  test('rejects hosts without a valid ingest key, and unknown collectors, as text', async () => {
    const key = await t.ingestKey(client);
    for (const [kind, authorization, status] of [
      ['filebeat', '', 401],
      ['filebeat', 'ApiKey pk_wrong', 401],
      ['filebeat', `Bearer ${admin.token}`, 401],
      ['metricbeat', `ApiKey ${key}`, 404],
      ['__proto__', `ApiKey ${key}`, 404],
    ] as const) {
      const answer = await fetchAsHost(kind, authorization);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([status, 'text/plain; charset=utf-8']);
    }
  });
});

test('ends at the store’s scope', async () => {
  await save('name: mine\n', 0, at('filebeat', sibling), partnerAdmin);
  const scope = { organisationIds: [client] };
  const found = await scoped(t.db, scope, (tx) => findConfig(tx, { organisationIds: [sibling] }, 'filebeat'));
  expect(found).toBeUndefined();
});

test('denies changes to a saved version even to the application’s own role', async () => {
  await save('name: kept\n', 0, at('auditbeat', sibling), partnerAdmin);
  for (const change of ['update', 'delete'] as const) {
    const tried = scoped(t.db, 'system', async (tx) => {
      if (change === 'update') await tx.updateTable('collector_configs').set({ yaml: '' }).execute();
      else await tx.deleteFrom('collector_configs').execute();
    });
    await expect(tried).rejects.toThrow(/permission denied/);
  }
});
