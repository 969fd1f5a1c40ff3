/** TAXII 2.1 by a client that follows the standard: discovery, pages, filters, media types, and what each key may read. */
import type { Http } from '@parapet/connectors/connector.ts';
import { readTaxii } from '@parapet/connectors/feeds/taxii.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { createKey } from '../../../test/mcp.fixture.ts';
import { seedCase, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { collectionIds } from './taxii.objects.ts';
import { refreshShared } from './taxii.store.ts';

const taxii = 'application/taxii+json;version=2.1';
const root = '/taxii2/indicators';
const objects = (tlp: 'green' | 'amber') => `${root}/collections/${collectionIds[tlp]}/objects/`;
const t = useTestApp();
let alder: number;
let admin: TestUser;
let caseId: number;
const keys: Record<string, string> = {};

const bad = ['203.0.113.9', '203.0.113.10', 'evil.example'];
const listBad = (values: { kind: string; value: string }[]) =>
  scoped(t.db, 'system', async (tx) => {
    const { id } = await tx
      .insertInto('intelligence_lists')
      .values({ name: `List ${crypto.randomUUID()}`, format: 'csv' })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('indicators')
      .values(values.map((each) => ({ ...each, list_id: id, reputation: 'Malicious' })) as never)
      .execute();
  });
const malicious = async (
  organisationId: number,
  values: [kind: 'destinationIp' | 'domain', value: string][],
  verdict = 'Malicious',
) => {
  const rule = await seedRule(t.db, { criticality: 4 });
  const at = Date.now() - 3_600_000;
  const set = { verdict, confidence: 95, decided_at: new Date() } as never;
  const artifacts = values.map(([kind, value]) => ({ kind, value }));
  return seedCase(t.db, { organisationId, at, alerts: [{ at, rule, device: 'SRV-01', user: 'ana' }], set, artifacts });
};
const refresh = () => scoped(t.db, 'system', refreshShared);

beforeAll(async () => {
  const partner = await t.organisation({ isPartner: true });
  alder = await t.organisation({ parentId: partner, name: 'Alder' });
  const birch = await t.organisation({ parentId: partner, name: 'Birch' });
  const other = await t.organisation({ isPartner: true });
  const foreign = await t.organisation({ parentId: other, name: 'Foreign' });
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
  keys.partner = await createKey(t, admin, ['read']);
  keys.triage = await createKey(t, admin, ['triage']);
  keys.other = await createKey(t, await t.user({ organisationId: other, role: 'Administrator' }), ['read']);
  await listBad([
    { kind: 'ip', value: bad[0]! },
    { kind: 'ip', value: bad[1]! },
    { kind: 'domain', value: bad[2]! },
    { kind: 'ip', value: '198.51.100.1' },
  ]);
  ({ id: caseId } = await malicious(alder, [
    ['destinationIp', bad[0]!],
    ['domain', bad[2]!],
    ['destinationIp', '192.0.2.44'],
  ]));
  await malicious(alder, [['destinationIp', '198.51.100.1']], 'Benign');
  await malicious(birch, [
    ['destinationIp', bad[0]!],
    ['destinationIp', bad[1]!],
  ]);
  await malicious(foreign, [['destinationIp', bad[1]!]]);
  await refresh();
});

const get = (url: string, key: string | undefined = keys.partner, headers: Record<string, string> = {}) =>
  t.application.app.inject({
    method: 'GET',
    url,
    headers: { accept: taxii, ...(key && { authorization: `Bearer ${key}` }), ...headers },
  });
const names = async (url: string, key?: string) =>
  ((await get(url, key)).json().objects ?? []).map(({ name }: { name: string }) => name);

test('leads from discovery to collections by TLP', async () => {
  const discovery = await get('/taxii2/');
  expect(discovery.headers['content-type']).toBe(taxii);
  expect(new URL(discovery.json().default).pathname).toBe(`${root}/`);
  expect((await get(`${root}/`)).json().versions).toEqual([taxii]);
  expect((await get(`${root}/collections/`)).json().collections).toMatchObject([
    { id: collectionIds.green, can_read: true, can_write: false, media_types: ['application/stix+json;version=2.1'] },
    { id: collectionIds.amber },
  ]);
  expect((await get(`${root}/collections/${collectionIds.amber}/`)).json().title).toBe('Indicators, TLP:AMBER');
});

test('serves the portal’s own client all indicators, then none', async () => {
  const http: Http = async (url, init) => {
    const { pathname, search } = new URL(url);
    const { statusCode, body, headers } = await t.application.app.inject({
      url: pathname + search,
      headers: init?.headers as Record<string, string>,
    });
    return new Response(body, { status: statusCode, headers: headers as Record<string, string> });
  };
  const of = { collection: collectionIds.green, user: 'taxii', secret: keys.partner!, tags: '', isPublishedOnly: true };
  const values = { ...of, url: `https://portal.example${root}/` };
  const first = await readTaxii(http, values, {});
  expect(first.objects.map((each) => (each as { name: string }).name).sort()).toEqual([...bad].sort());
  expect(first.next).toBeUndefined();
  const after = new Date(Date.parse(first.newest!) + 1).toISOString();
  expect(await readTaxii(http, values, { since: after })).toMatchObject({ objects: [] });
  await expect(readTaxii(http, { ...values, secret: 'none' }, {})).rejects.toThrow('401');
});

describe('objects', () => {
  test('hold each value once in green, and by client with its case in amber', async () => {
    expect((await names(objects('green'))).sort()).toEqual([...bad].sort());
    const amber = (await get(objects('amber'))).json().objects;
    expect(amber).toHaveLength(4);
    expect(amber.find(({ name }: { name: string }) => name === bad[2])).toMatchObject({
      type: 'indicator',
      spec_version: '2.1',
      pattern: `[domain-name:value = '${bad[2]}']`,
      indicator_types: ['malicious-activity'],
      description: 'Seen at Alder.',
      external_references: [{ external_id: String(caseId) }],
    });
    expect((await get(objects('green'))).body).not.toMatch(/Alder|Birch|external_references/);
  });

  test('come in pages, and after a time only those added since', async () => {
    const seen: string[] = [];
    let url = `${objects('amber')}?limit=1`;
    let last = '';
    for (let page = 0; page < 10; page++) {
      const answer = await get(url);
      seen.push(...answer.json().objects.map(({ id }: { id: string }) => id));
      last = String(answer.headers['x-taxii-date-added-last']);
      if (!answer.json().more) break;
      url = `${objects('amber')}?limit=1&next=${answer.json().next}`;
    }
    expect(new Set(seen).size).toBe(4);
    const since = `${objects('amber')}?added_after=${new Date(Date.parse(last) + 1).toISOString()}`;
    expect((await get(since)).json()).toEqual({});
    await listBad([{ kind: 'domain', value: 'new.example' }]);
    await malicious(alder, [['domain', 'new.example']]);
    await refresh();
    expect(await names(since)).toEqual(['new.example']);
  });

  test('match by id and type, and stand in the manifest', async () => {
    const [first] = (await get(objects('green'))).json().objects;
    expect((await get(`${objects('green')}${first.id}/`)).json().objects).toEqual([first]);
    expect((await get(`${objects('green')}?match[id]=${first.id}`)).json().objects).toEqual([first]);
    expect((await get(`${objects('green')}?match[type]=malware`)).json()).toEqual({});
    for (const [version, found] of [
      ['last', 1],
      [first.modified, 1],
      ['2020-01-01T00:00:00.000Z', 0],
    ])
      expect(await names(`${objects('green')}?match[id]=${first.id}&match[version]=${version}`), version).toHaveLength(found);
    const manifest = (await get(objects('green').replace('/objects/', '/manifest/'))).json().objects;
    expect(manifest[0]).toEqual({
      id: first.id,
      date_added: first.created,
      version: first.modified,
      media_type: 'application/stix+json;version=2.1',
    });
  });

  test('come by id from beyond the first page, and not to others', async () => {
    const all = (await get(objects('amber'))).json().objects;
    const last = all.at(-1);
    expect((await get(`${objects('amber')}${last.id}/?limit=1`)).json()).toEqual({ objects: [last] });
    expect((await get(`${objects('amber')}?limit=1&match[id]=${last.id}`)).json().objects).toEqual([last]);
    expect(new Set(all.map(({ id }: { id: string }) => id)).size).toBe(all.length);
    expect(last.id).toMatch(/^indicator--[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    const mine = all.find(({ description }: { description: string }) => description === 'Seen at Alder.');
    expect((await get(`${objects('amber')}${mine.id}/`, keys.other)).statusCode).toBe(404);
    expect((await get(`${objects('amber')}indicator--${crypto.randomUUID()}/`)).statusCode).toBe(404);
  });

  test('go with the verdict', async () => {
    await listBad([{ kind: 'domain', value: 'withdrawn.example' }]);
    const { id } = await malicious(alder, [['domain', 'withdrawn.example']]);
    await refresh();
    expect(await names(objects('green'))).toContain('withdrawn.example');
    await scoped(t.db, 'system', (tx) => tx.updateTable('cases').set({ verdict: 'Benign' }).where('id', '=', id).execute());
    await refresh();
    expect(await names(objects('green'))).not.toContain('withdrawn.example');
  });
});

test('gives another partner only what its own clients have', async () => {
  expect(await names(objects('amber'), keys.other)).toEqual([bad[1]]);
  expect((await get(objects('amber'), keys.other)).body).not.toMatch(/Alder|Birch/);
});

test('takes the key as password, and refuses others, scopes, types and filters', async () => {
  const basic = (password: string | undefined) => `Basic ${Buffer.from(`taxii:${password}`).toString('base64')}`;
  expect((await get('/taxii2/', undefined, { authorization: basic(keys.partner) })).statusCode).toBe(200);
  const none = await get('/taxii2/', '');
  expect([none.statusCode, none.headers['www-authenticate']]).toEqual([401, 'Basic realm="TAXII"']);
  expect((await get('/taxii2/', undefined, { authorization: basic(`pak_${'a'.repeat(43)}`) })).statusCode).toBe(401);
  expect((await get('/taxii2/', keys.triage)).statusCode).toBe(403);
  expect((await get('/taxii2/', admin.token)).statusCode).toBe(403);
  expect((await get('/taxii2/', keys.partner, { accept: 'application/taxii+json;version=2.0' })).statusCode).toBe(406);
  expect((await get(`${root}/collections/${crypto.randomUUID()}/objects/`)).statusCode).toBe(404);
  for (const query of ['limit=0', 'next=x', 'next=9999999999999999999', 'added_after=yesterday'])
    expect((await get(`${objects('green')}?${query}`)).statusCode, query).toBe(400);
});

test('records each read in the audit log', async () => {
  await get(objects('green'));
  const entry = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .select(['actor_user_id', 'after'])
      .where('action', '=', 'taxii.read')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow(),
  );
  expect(entry).toMatchObject({ actor_user_id: admin.id, after: { collection: 'green', resource: 'objects' } });
});
