/** The intake as shippers use it: one result per item, acknowledged after the commit, stored once however often it is sent. */

import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let organisation: number;
let key: string;

/** A fresh organisation with its key, so that tests do not share events. */
async function fresh(): Promise<void> {
  organisation = await t.organisation();
  key = await t.ingestKey(organisation);
}

const rows = () => scoped(t.db, 'system', (tx) => eventRows(tx, organisation));
const deadLetters = () =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('dead_letters').selectAll().where('organisation_id', '=', organisation).orderBy('id').execute(),
  );
const counters = () =>
  scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('ingest_counters')
      .select(['reason', 'count'])
      .where('organisation_id', '=', organisation)
      .orderBy('reason')
      .execute(),
  );
const alerts = () =>
  scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('alerts')
      .innerJoin('rules', 'rules.id', 'alerts.rule_id')
      .selectAll('alerts')
      .select('rules.title')
      .where('alerts.organisation_id', '=', organisation)
      .execute(),
  );
const statuses = (answer: { json(): { items: Record<string, { status: number }>[] } }) =>
  answer.json().items.map((item) => Object.values(item)[0]?.status);
const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
  t.application.app.inject({
    method: 'POST',
    url: '/ingest/_bulk',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson', ...headers },
    payload,
  });

const now = () => new Date().toISOString();
const line = (message: string, at = now()) => ({ '@timestamp': at, host: { name: 'web01' }, message });

describe('authentication', () => {
  test('accepts a key as ApiKey, as basic auth password, and as Elastic’s base64 of id:key', async () => {
    await fresh();
    const encoded = (text: string) => Buffer.from(text).toString('base64');
    for (const authorization of [
      `ApiKey ${key}`,
      `Basic ${encoded(`anybody:${key}`)}`,
      `Basic ${encoded(`any:body:${key}`)}`,
      `ApiKey ${encoded(`id:${key}`)}`,
      `ApiKey ${encoded(key)}`,
    ]) {
      const answer = await t.application.app.inject({ url: '/ingest/', headers: { authorization } });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['x-elastic-product']).toBe('Elasticsearch');
    }
  });

  test('returns 401 as text for a wrong, missing or revoked key, so that rsyslog keeps its batch', async () => {
    await fresh();
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('ingest_keys').set({ revoked_at: new Date() }).where('organisation_id', '=', organisation).execute(),
    );
    for (const headers of [
      { authorization: `ApiKey ${key}` },
      { authorization: 'ApiKey pk_nonsense' },
      { authorization: 'Bearer x' },
      {},
    ]) {
      const answer = await t.application.app.inject({
        method: 'POST',
        url: '/ingest/_bulk',
        headers: { ...headers, 'content-type': 'application/json' },
        payload: '{"create":{}}\n{}\n',
      });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers['content-type']).toMatch(/^text\/plain/);
      expect(answer.body).not.toBe('');
    }
    expect(await rows()).toEqual([]);
  });

  test('separates users’ tokens and ingest keys', async () => {
    await fresh();
    const user = await t.user({ organisationId: organisation, role: 'Administrator' });
    expect(
      (await t.application.app.inject({ url: '/ingest/', headers: { authorization: `ApiKey ${user.token}` } })).statusCode,
    ).toBe(401);
    expect(
      (
        await t.application.app.inject({
          url: `/api/v1/tags?selectedClientOrgID=${organisation}`,
          headers: { authorization: `Bearer ${key}` },
        })
      ).statusCode,
    ).toBe(401);
  });
});

describe('items', () => {
  test('have their own results; a malformed line fails alone and becomes a dead letter', async () => {
    await fresh();
    const answer = await post(
      `{"create":{"_index":"a","_id":"1"}}\n${JSON.stringify(line('one'))}\n{"create":{}}\n{"broken":\n{"create":{}}\n[1]\n{"index":{}}\n${JSON.stringify(line('two'))}\n`,
    );
    expect(answer.statusCode).toBe(200);
    expect(answer.json().errors).toBe(true);
    expect(statuses(answer)).toEqual([201, 400, 400, 201]);
    expect(answer.json().items[0].create).toMatchObject({ _index: 'a', _id: '1', result: 'created' });
    expect((await rows()).map((row) => row.text).toSorted()).toEqual(['one', 'two']);
    expect((await deadLetters()).map(({ reason, raw }) => [reason, raw])).toEqual([
      ['not-json', '{"broken":'],
      ['not-an-object', '[1]'],
    ]);
  });

  test('accept gzip, and blank lines between pairs as rsyslog sends them', async () => {
    await fresh();
    const body = `\n{"create":{}}\n${JSON.stringify(line('zipped'))}\n\n\n{"create":{}}\n${JSON.stringify(line('again'))}\n\n`;
    const answer = await post(gzipSync(body), { 'content-encoding': 'gzip', 'content-type': 'application/json' });
    expect(statuses(answer)).toEqual([201, 201]);
  });

  test('return the fields that Beats select: errors and each status', async () => {
    await fresh();
    const answer = await t.application.app.inject({
      method: 'POST',
      url: '/ingest/logs/_bulk?filter_path=errors%2Citems.%2A.error%2Citems.%2A.status',
      headers: { authorization: `ApiKey ${key}` },
      payload: '{"create":{"_id":"1"}}\n{"x":1}\n{"index":{"_id":"1"}}\n{"x":1}\n{"create":{}}\n{"x":\n',
    });
    const { errors, items } = answer.json();
    expect(errors).toBe(true);
    expect(items.slice(0, 2)).toEqual([{ create: { status: 201 } }, { index: { status: 200 } }]);
    expect(items[2].create).toMatchObject({ status: 400, error: { type: 'mapper_parsing_exception' } });
  });

  test('accept deflate, br and zstd like gzip; other encodings are rejected as text', async () => {
    await fresh();
    const body = `{"create":{}}\n${JSON.stringify(line('packed'))}\n`;
    for (const [encoding, packed] of [
      ['deflate', deflateSync(body)],
      ['br', brotliCompressSync(body)],
      ['zstd', zstdCompressSync(body)],
    ] as const) {
      expect(statuses(await post(packed, { 'content-encoding': encoding }))).toHaveLength(1);
    }
    const answer = await post('x', { 'content-encoding': 'snappy' });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([415, 'text/plain; charset=utf-8']);
  });

  test('report an empty body as a clear error', async () => {
    await fresh();
    expect((await post('\n')).statusCode).toBe(400);
    expect((await post('')).statusCode).toBe(400);
    expect((await post('not gzip at all', { 'content-encoding': 'gzip' })).statusCode).toBe(400);
  });
});

describe('duplicates', () => {
  test('match by document id', async () => {
    await fresh();
    const body = `{"create":{"_id":"x1"}}\n${JSON.stringify(line('same'))}\n`;
    expect(statuses(await post(body))).toEqual([201]);
    expect(statuses(await post(body + body))).toEqual([200, 200]);
    expect(await rows()).toHaveLength(1);
  });

  test('match by document id without a time of their own', async () => {
    await fresh();
    const body = '{"create":{"_id":"x2"}}\n{"message":"no time"}\n';
    expect(statuses(await post(body))).toEqual([201]);
    expect(statuses(await post(body))).toEqual([200]);
    expect(await rows()).toHaveLength(1);
  });

  test('match by content, with and without times; two equal lines in one batch stay two events', async () => {
    await fresh();
    const documents = [line('a'), { message: 'b' }, { message: 'b' }];
    await t.send(key, documents);
    await t.send(key, documents);
    expect((await rows()).map((row) => row.text).sort()).toEqual(['a', 'b', 'b']);
  });

  test('match each of several Windows events in one text, whose item has one result', async () => {
    await fresh();
    const xml = (id: number) =>
      `<Event><System><Provider Name='Microsoft-Windows-Security-Auditing'/><EventID>${id}</EventID><Channel>Security</Channel><Computer>ws1</Computer></System></Event>`;
    const documents = [{ '@timestamp': now(), message: xml(4624) + xml(4625) + xml(4634) }, line('other')];
    const body = documents.map((each, at) => `{"create":{"_id":"w${at}"}}\n${JSON.stringify(each)}\n`).join('');
    expect(statuses(await post(body))).toEqual([201, 201]);
    expect(statuses(await post(body))).toEqual([200, 200]);
    const codes = (await rows()).map(({ document }) => (document as { event: { code?: string } }).event.code);
    expect(codes.sort()).toEqual(['4624', '4625', '4634', undefined]);
    expect(await counters()).toEqual([
      { reason: 'duplicate', count: 4 },
      { reason: 'received', count: 8 },
      { reason: 'stored', count: 4 },
    ]);
  });

  test('differ by organisation and index', async () => {
    await fresh();
    const body = (index: string) =>
      `{"create":{"_id":"x3","_index":"${index}"}}\n${JSON.stringify(line('same', '2026-11-20T00:00:00Z'))}\n`;
    await post(body('a'));
    expect(statuses(await post(body('b')))).toEqual([201]);
    await fresh();
    expect(statuses(await post(body('a')))).toEqual([201]);
  });

  test('raise their alert once', async () => {
    await fresh();
    const sudo = {
      '@timestamp': now(),
      host: { name: 'web01' },
      process: { name: 'sudo' },
      message: 'mallory : user NOT in sudoers ; TTY=pts/0 ; PWD=/home/mallory ; USER=root ; COMMAND=/bin/bash',
    };
    await t.send(key, [sudo]);
    await t.send(key, [sudo]);
    const [alert, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({ device_name: 'web01', fire_count: 1 });
  });
});

describe('limits', () => {
  test('reject a request above 10 MiB with 413, before or after decompression', async () => {
    await fresh();
    const large = `{"create":{}}\n{"message":"${'x'.repeat(11 * 1024 * 1024)}"}\n`;
    expect((await post(large)).statusCode).toBe(413);
    expect((await post(gzipSync(large), { 'content-encoding': 'gzip' })).statusCode).toBe(413);
    expect(await rows()).toEqual([]);
  });

  test('fail an event that is too large, too wide or too deep alone, as a dead letter', async () => {
    await fresh();
    let deep: object = {};
    for (let i = 0; i < 30; i++) deep = { deep };
    const wide = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`f${i}`, i]));
    const answer = await t.send(key, [{ message: 'x'.repeat(300_000) }, wide, deep, line('fine')]);
    expect(statuses(answer)).toEqual([400, 400, 400, 201]);
    expect((await deadLetters()).map((letter) => letter.reason).sort()).toEqual(['too-deep', 'too-large', 'too-many-fields']);
    expect(await counters()).toEqual([
      { reason: 'received', count: 4 },
      { reason: 'stored', count: 1 },
      { reason: 'too-deep', count: 1 },
      { reason: 'too-large', count: 1 },
      { reason: 'too-many-fields', count: 1 },
    ]);
  });

  test('neither crash on nor store nesting of 100,000 levels', async () => {
    await fresh();
    expect(statuses(await t.send(key, [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, line('after')]))).toEqual([
      400, 201,
    ]);
  });
});

describe('hostile content', () => {
  test('stores content unchanged as far as a database can: NUL, lone surrogates, control characters, prototype names', async () => {
    await fresh();
    const documents = [
      '{"message":"nul \\u0000 here","x":"\\ud800"}',
      '{"message":"\\u001b[31mred\\u001b[0m","\\u0000key":1}',
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"message":"proto"}',
      '{"message":"<img src=x onerror=alert(1)>","host":{"name":"<script>"}}',
      '{"message":"separators \\u001e and \\u001f"}',
      '{"message":12345,"host":"a string","event":"text","@timestamp":{"not":"a time"},"process":[1,2]}',
    ];
    expect(statuses(await t.send(key, documents))).toEqual(documents.map(() => 201));
    const stored = await rows();
    expect(stored).toHaveLength(documents.length);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(stored.some((row) => row.device_name === '<script>')).toBe(true);
  });

  test('stores invalid UTF-8 with replacement characters', async () => {
    await fresh();
    const body = Buffer.concat([Buffer.from('{"create":{}}\n{"message":"caf'), Buffer.from([0xe9]), Buffer.from('"}\n')]);
    expect(statuses(await post(body))).toEqual([201]);
    expect((await rows())[0]?.text).toBe('caf\uFFFD');
  });

  test('stores the original line for numbers that JavaScript cannot represent', async () => {
    await fresh();
    const odd = '{"message":"odd numbers","big":12345678901234567890,"huge":1e999}';
    await t.send(key, [odd, '{"message":"plain","number":123}']);
    const documents = Object.fromEntries((await rows()).map((row) => [row.text, row.document.event]));
    expect(documents['odd numbers']).toMatchObject({ original: odd });
    expect(documents.plain).not.toHaveProperty('original');
  });

  test('stores implausible timestamps under the arrival time, marked, with the claimed time', async () => {
    await fresh();
    await t.send(key, [line('future', '2099-01-01T00:00:00Z'), line('past', '1999-01-01T00:00:00Z'), line('right')]);
    const stored = await rows();
    expect(Object.fromEntries(stored.map((row) => [row.text, row.clock_skew]))).toEqual({ future: 1, past: -1, right: 0 });
    const future = stored.find((row) => row.text === 'future');
    expect(Math.abs((future?.at.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(future?.document).toMatchObject({ '@timestamp': '2099-01-01T00:00:00Z', clock_skew: 'future' });
  });
});

test('answers shippers’ handshake requests', async () => {
  await fresh();
  const send = (method: 'GET' | 'HEAD' | 'PUT', url: string) =>
    t.application.app.inject({ method, url: `/ingest${url}`, headers: { authorization: `ApiKey ${key}` } });
  expect((await send('GET', '/')).json()).toMatchObject({
    version: { build_flavor: 'default' },
    tagline: 'You Know, for Search',
  });
  expect((await send('HEAD', '/')).statusCode).toBe(200);
  expect((await send('GET', '/_license')).json()).toMatchObject({ license: { status: 'active' } });
  expect((await send('GET', '/_xpack')).statusCode).toBe(200);
  expect((await send('GET', '/_cat/health')).body).toMatch(/green/);
  expect((await send('GET', '/_ilm/policy/filebeat')).json()).toHaveProperty('filebeat');
  expect((await send('PUT', '/_index_template/filebeat-8.19.2')).json()).toEqual({ acknowledged: true });
  expect((await send('HEAD', '/_index_template/filebeat-8.19.2')).statusCode).toBe(200);
  expect((await send('GET', '/_search')).statusCode).toBe(404);
});

test('acknowledges nothing while the database is away, and recovers with it', async () => {
  await fresh();
  const kill = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  const owner = await import('pg').then(({ default: pg }) => new pg.Client({ connectionString: t.database.ownerUrl }));
  await owner.connect();
  const body = Array.from(
    { length: 50 },
    (_, i) => `{"create":{"_id":"away-${i}"}}\n${JSON.stringify(line(`away ${i}`))}\n`,
  ).join('');
  const sending = Array.from({ length: 10 }, () => post(body));
  await owner.query(kill().compile(t.db.kysely).sql).catch(() => undefined);
  const answers = await Promise.all(sending);
  await owner.end();
  for (const answer of answers) {
    expect([200, 503]).toContain(answer.statusCode);
    if (answer.statusCode === 503) expect(answer.headers['content-type']).toMatch(/^text\/plain/);
  }
  await expect.poll(async () => (await post(body)).statusCode, { timeout: 15_000 }).toBe(200);
  expect(await rows()).toHaveLength(50);
});

test('treats a request larger than one transaction as one: equal lines are separate, resent ones are duplicates', async () => {
  await fresh();
  const documents = Array.from({ length: 6_000 }, (_, i) => (i % 3 === 0 ? { message: 'the same' } : line(`n ${i}`)));
  expect(statuses(await t.send(key, documents))).toEqual(documents.map(() => 201));
  expect(statuses(await t.send(key, documents))).toEqual(documents.map(() => 200));
  expect(await rows()).toHaveLength(6_000);
});

test('returns 404 for a call that does not exist, which no shipper repeats', async () => {
  await fresh();
  const answer = await t.application.app.inject({
    method: 'POST',
    url: '/ingest/a/b/c',
    headers: { authorization: `ApiKey ${key}` },
    payload: 'x',
  });
  expect([answer.statusCode, answer.json().error.type]).toEqual([404, 'not_found']);
});

test('rejects excessive items as text', async () => {
  await fresh();
  const answer = await post('{"delete":{}}\n'.repeat(100_001));
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([413, 'text/plain; charset=utf-8']);
});
