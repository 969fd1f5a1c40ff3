import { intelligenceApi } from '@parapet/contract/intelligence.ts';
import { demoIndicators } from '@parapet/world/indicators.ts';
import { beforeAll, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedCase } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { readList } from './intelligence.formats.ts';

const t = useTestApp();
let host: TestUser;
let analyst: TestUser;

beforeAll(async () => {
  // Provider staff only.
  const provider = await t.organisation({ id: 1, isPartner: true, name: 'Provider' }).catch(() => 1);
  host = await t.user({ organisationId: provider, role: 'Host' });
  analyst = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
});

const send = (
  name: string,
  format: string,
  payload: string | Buffer,
  { user = host, type = 'text/csv' }: { user?: TestUser; type?: string } = {},
) =>
  t.application.app.inject({
    method: 'POST',
    url: `/api/v1/intelligence/${encodeURIComponent(name)}/${format}`,
    headers: { authorization: `Bearer ${user.token}`, 'content-type': type },
    payload,
  });
const valuesOf = async (name: string) =>
  (
    await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('indicators')
        .innerJoin('intelligence_lists', 'intelligence_lists.id', 'list_id')
        .select('value')
        .where('name', '=', name)
        .orderBy('value')
        .execute(),
    )
  ).map(({ value }) => value);

test('imports, replaces, lists and removes a list, with audit rows', async () => {
  const first = await send('Feed', 'csv', '203.0.113.66\nevil.example\nno good');
  expect(first.statusCode, first.body).toBe(200);
  expect(first.json()).toMatchObject({
    list: { name: 'Feed', format: 'csv', count: 2 },
    skipped: 1,
    faults: ['"no good": not an address, domain or hash.'],
  });
  const stix = JSON.stringify({
    type: 'bundle',
    objects: [{ type: 'indicator', pattern: "[ipv4-addr:value = '203.0.113.70']", pattern_type: 'stix' }],
  });
  const second = await send('Feed', 'stix', stix, { type: 'application/stix+json' });
  expect(second.json().list).toMatchObject({ id: first.json().list.id, format: 'stix', count: 1 });
  expect(await valuesOf('Feed')).toEqual(['203.0.113.70']);
  expect((await t.call(intelligenceApi.list, {}, host)).json().results).toMatchObject([{ name: 'Feed', count: 1 }]);
  const id = first.json().list.id;
  expect((await t.call(intelligenceApi.remove, { params: { id } }, host)).statusCode).toBe(200);
  expect(await valuesOf('Feed')).toEqual([]);
  expect((await t.call(intelligenceApi.remove, { params: { id } }, host)).statusCode).toBe(404);
  const audit = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .select(['action', 'actor_user_id'])
      .where('target', '=', String(id))
      .where('action', 'like', 'intelligence.%')
      .orderBy('id')
      .execute(),
  );
  expect(audit).toEqual([
    { action: 'intelligence.imported', actor_user_id: host.id },
    { action: 'intelligence.imported', actor_user_id: host.id },
    { action: 'intelligence.removed', actor_user_id: host.id },
  ]);
});

test.each([
  ['no usable entry', 'csv', 'hello\nworld'],
  ['no JSON', 'misp', '{'],
  ['deep JSON', 'stix', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['no text', 'csv', Buffer.from([0xff, 0xfe])],
])('keeps the existing list on %s', async (_what, format, payload) => {
  await send('Existing', 'csv', '203.0.113.66');
  const answer = await send('Existing', format, payload);
  expect(answer.statusCode).toBe(400);
  expect(Object.keys(answer.json().errors)).toEqual(['file']);
  expect(await valuesOf('Existing')).toEqual(['203.0.113.66']);
});

test('keeps exactly one of two concurrent imports', async () => {
  const lists = [1, 2, 3].map((n) => Array.from({ length: 300 }, (_, index) => `h${index}.list${n}.example`).join('\n'));
  const answers = await Promise.all(lists.map((list) => send('Both', 'csv', list)));
  for (const answer of answers) expect([200, 409, 503]).toContain(answer.statusCode);
  const values = await valuesOf('Both');
  expect(values).toHaveLength(300);
  expect(new Set(values.map((value) => value.split('.')[1])).size).toBe(1);
});

test('re-evaluates open cases with listed values, but not closed ones', async () => {
  const client = await t.organisation();
  const artifacts = [{ kind: 'sourceIp' as const, value: '203.0.113.200' }];
  const open = await seedCase(t.db, { organisationId: client, artifacts, set: { needs_decision: false } });
  const other = await seedCase(t.db, { organisationId: client, set: { needs_decision: false } });
  const closed = await seedCase(t.db, {
    organisationId: client,
    artifacts,
    set: { needs_decision: false, status: 'closed', closed_at: new Date() },
  });
  await send('Seen', 'csv', '203.0.113.200');
  const rows = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('cases').select(['id', 'needs_decision']).where('id', 'in', [open.id, other.id, closed.id]).execute(),
  );
  expect(new Map(rows.map((row) => [row.id, row.needs_decision]))).toEqual(
    new Map([
      [open.id, true],
      [other.id, false],
      [closed.id, false],
    ]),
  );
});

test('rejects client administrators, anonymous callers and other content types', async () => {
  expect((await send('X', 'csv', '203.0.113.66', { user: analyst })).statusCode).toBe(403);
  expect((await t.call(intelligenceApi.list, {})).statusCode).toBe(401);
  expect((await send('X', 'csv', '{}', { type: 'application/json' })).statusCode).toBe(400);
  expect((await send('X', 'xml', '203.0.113.66')).statusCode).toBe(400);
  expect(await valuesOf('X')).toEqual([]);
});

test('reads the demo list, which uses documentation ranges only', () => {
  const { indicators, skipped } = readList('csv', Buffer.from(demoIndicators), Date.now());
  expect(skipped).toBe(0);
  expect(indicators.length).toBeGreaterThan(20);
  for (const { value } of indicators)
    expect(value).toMatch(/^(?:203\.0\.113|198\.51\.100|192\.0\.2)\.\d+$|^2001:db8:|\.example$/);
});
