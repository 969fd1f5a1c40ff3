/** Malformed requests: addresses, ids, bodies and methods. Refused in the standard error shape without internals. */
import { type AddressInfo, connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { problemBody } from '@parapet/contract/problem.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { type TestApp, type TestUser, testApp, useTestApp } from './app.ts';

const t = useTestApp();
let admin: TestUser;
let port: number;
beforeAll(async () => {
  admin = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
  await t.application.app.listen({ port: 0, host: '127.0.0.1' });
  port = (t.application.app.server.address() as AddressInfo).port;
});

/** Sends raw bytes; returns status, headers and body. */
const raw = (text: string) =>
  new Promise<{ status: number; headers: string; body: string }>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [headers = '', body = ''] = answer.split('\r\n\r\n');
      resolve({ status: Number(headers.slice(9, 12)), headers, body });
    });
  });

const send = (method: 'GET' | 'POST' | 'DELETE' | 'HEAD', url: string, body?: string, type = 'application/json') =>
  t.application.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${admin.token}`, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { payload: body }),
  });

const list = '/api/v1/alerts/alertList/1/2026-01-01T00:00:00Z/2026-02-01T00:00:00Z';

describe('malformed requests', () => {
  test.each([
    ['GET', '//api/v1/tags', 404],
    ['GET', '/api/v1/nothing', 404],
    ['GET', '/%61pi/v1/nothing', 404],
    ['GET', '/api%2fv1%2ftags', 404],
    ['POST', '/apps/alerts', 404],
    ['DELETE', '/api/v1/tags', 404],
    ['GET', '/api/v1/%zz', 400],
    ['GET', '/apps/%zz', 400],
    ['GET', '/apps/a%00b', 400],
    ['GET', '/api/v1/search?text=a%00b', 400],
    ['GET', '/api/v1/auth/reset-password-form/a%00b', 400],
    ['GET', `${list}?text=%00`, 400],
    ['GET', '/assets/%00', 400],
    ['POST', '/api/v1/user/forgot-password/a%00b@x.example', 400],
    ['GET', `/api/v1/alerts/${'1'.repeat(600)}`, 400],
    ['GET', '/assets/..%2f..%2fpackage.json', 404],
    ...['0', '-1', '0x1', '1e3', '%201', '1.0', '2147483648', 'NaN', '%00', 'true'].map(
      (id) => ['GET', `/api/v1/alerts/${id}`, 400] as const,
    ),
    ['GET', '/api/v1/tags?selectedClientOrgID=', 400],
    ['GET', '/api/v1/tags?selectedClientOrgID=1&selectedClientOrgID=2', 400],
    ['GET', '/api/v1/tags?selectedClientOrgID[a]=1', 400],
    ['GET', `${list}?pageSize=201`, 400],
    ['GET', `${list}?pageSize=0`, 400],
    ['GET', `${list}?severity=worst`, 400],
    ['GET', '/api/v1/alerts/alertList/1/2026-02-01T00:00:00Z/2026-02-01T00:00:00Z', 400],
    ['GET', '/api/v1/alerts/alertList/1/2026-02-30T00:00:00Z/2026-03-01T00:00:00Z', 400],
    ['GET', '/api/v1/devices/1/2026-01-01T00:00:00Z/2026-02-01T00:00:00Z?tag=99999999999', 400],
    ['HEAD', '/api/v1/alerts/live/1', 404],
  ] as const)('%s %s is %i', async (method, url, status) => {
    const answer = await send(method, url);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['content-security-policy']).toBeDefined();
    expect(answer.headers['cache-control']).toBe('no-store');
    if (method === 'HEAD') return;
    const { error } = problemBody.parse(answer.json());
    expect(error).not.toMatch(/expected|received|invalid input|NaN|FST_|zod|undefined/i);
  });

  test.each([
    ['true', '{"id":true}'],
    ['a list', '{"id":[1]}'],
    ['an empty text', '{"id":""}'],
    ['null', '{"id":null}'],
    ['a poisoned prototype', '{"id":1,"__proto__":{"isAdmin":true}}'],
    ['half a document', '{"id":'],
    ['a list of documents', '[]'],
    ['no object', 'null'],
    ['nothing', ''],
  ])('returns 400 for an id that is %s', async (_what, body) => {
    const answer = await send('POST', '/api/v1/tags/deletetag', body);
    expect(answer.statusCode).toBe(400);
    expect(problemBody.parse(answer.json()).code).toBe('invalid');
  });

  test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded'])('rejects a body as %s', async (type) => {
    const answer = await send('POST', '/api/v1/tags/deletetag', '{"id":1}', type);
    expect(answer.json()).toMatchObject({
      code: 'invalid',
      error: 'Send the body as JSON, with the content type application/json.',
    });
  });

  test('returns 413 for a body of 2 MB', async () => {
    const answer = await send('POST', '/api/v1/tags/deletetag', JSON.stringify({ id: 'x'.repeat(2_000_000) }));
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'tooLarge']);
  });

  test('accepts DELETE with a JSON content type and no body', async () => {
    expect((await send('DELETE', `/api/v1/ingestkeys/${admin.organisationId}/1`, '')).statusCode).toBe(404);
  });

  test.each([
    ['no HTTP', 'what?\r\n\r\n', 400],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['two lengths', 'POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['an empty host', 'GET /healthz HTTP/1.1\r\nHost:\r\n\r\n', 400],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400],
    ['the same host twice', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 400],
    ['an address of another host', 'GET http://b/healthz HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    [
      'an invalid chunk length',
      'POST /api/v1/auth/authenticate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    ['U+0000 in the address', 'GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['another version', 'GET / HTTP/1.9\r\nHost: a\r\n\r\n', 400],
    ['endless headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s', async (_what, text, status) => {
    const answer = await raw(text);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatch(/content-security-policy: default-src 'self'/);
    expect(problemBody.parse(JSON.parse(answer.body)).code).toBe('invalid');
  });
});

test('refuses unknown expectations with the security headers', async () => {
  const answer = await raw('GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n');
  expect(answer.status).toBe(417);
  expect(answer.headers).toMatch(/content-security-policy: default-src 'self'/);
});

test.each([
  ['its own host in the address', 'GET http://A:80/healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['HTTP/1.0 without a host', 'GET /healthz HTTP/1.0\r\n\r\n'],
])('%s is served', async (_what, text) => {
  expect((await raw(text)).status).toBe(200);
});

test('rejects texts that cannot be stored and accepts similar ones', async () => {
  const save = (name: string) =>
    send('POST', '/api/v1/tags/savenewtag', `{"clientOrganizationID":${admin.organisationId},"name":"${name}"}`);
  for (const name of ['a\\u0000b', 'a\\uD800b', 'a\\udc00b']) {
    const answer = await save(name);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid']);
  }
  expect((await save('\\ud83d\\ude00 \\\\u0000')).statusCode).toBe(200);
  // In field names too.
  for (const name of ['a\\u0000b', 'a\\uD800b']) {
    const answer = await send('POST', '/api/auth/user/update', `{"user":{"data":{"settings":{"${name}":1},"shortcuts":[]}}}`);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid']);
  }
  expect(
    (await send('POST', '/api/v1/auth/authenticate', '{"email":"a\\u0000b@x.example","password":"12345678"}')).statusCode,
  ).toBe(400);
});

test('names the field and the expectation in error texts', async () => {
  const { errors } = (await send('GET', `${list}?pageSize=900&severity=worst&page=x`)).json();
  expect(errors).toEqual({
    pageSize: ['This must be at most 200.'],
    page: ['This must be a whole number.'],
    'severity.0': ['This must be one of: critical, high, medium, low, informational.'],
  });
});

test('compresses long responses for clients that accept it', async () => {
  const get = (encoding: string) =>
    t.application.app.inject({ url: '/api/v1/brand', headers: { 'accept-encoding': encoding, host: 'a' } });
  expect((await get('gzip')).headers['content-encoding']).toBeUndefined();
  for (let i = 0; i < 30; i++)
    await send('POST', '/api/v1/tags/savenewtag', `{"clientOrganizationID":${admin.organisationId},"name":"tag ${i}"}`);
  const url = `/api/v1/tags?selectedClientOrgID=${admin.organisationId}`;
  const headers = { authorization: `Bearer ${admin.token}` };
  const plain = await t.application.app.inject({ url, headers });
  const packed = await t.application.app.inject({ url, headers: { ...headers, 'accept-encoding': 'br, gzip' } });
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
  expect(packed.rawPayload.length).toBeLessThan(plain.body.length / 2);
});

test('returns metrics only to the bearer of the token', async () => {
  const from = async (app: TestApp, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
    (await app.application.app.inject({ method: 'GET', url: '/metrics', headers, remoteAddress })).statusCode;
  expect(await from(t)).toBe(403);
  expect(await from(t, { authorization: 'Bearer undefined' })).toBe(403);
  const token = 'a token of the tests';
  const own = await testApp({ METRICS_TOKEN: token, METRICS_PORT: '0' });
  expect(await from(own)).toBe(403);
  expect(await from(own, { authorization: 'Bearer a token of the test' })).toBe(403);
  expect(await from(own, { authorization: `Bearer ${token}` }, '10.1.2.3')).toBe(200);

  // A dedicated port on loopback needs none.
  const at = (path: string) => fetch(`http://127.0.0.1:${own.application.metricsPort}${path}`);
  const answer = await at('/metrics');
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('portal_csp_reports_total')]);
  expect((await at('/healthz')).status).toBe(404);
  await own.close();
});

test('uses the address seen by the proxy, not the caller’s header', async () => {
  const proxied = await testApp({ TRUST_PROXY: '1' });
  const organisationId = await proxied.organisation();
  const user = await proxied.user({ organisationId, role: 'Administrator' });
  await proxied.application.app.inject({
    method: 'POST',
    url: '/api/v1/auth/logout',
    headers: { authorization: `Bearer ${user.token}`, 'x-forwarded-for': '1.1.1.1, 203.0.113.9' },
  });
  const rows = await scoped(proxied.db, 'system', (tx) => tx.selectFrom('audit').select('address').execute());
  expect(rows).toEqual([{ address: '203.0.113.9' }]);
  await proxied.close();
});

test('writes one audit row for a call denied by role or scope', async () => {
  const user = await t.user({ organisationId: await t.organisation(), role: 'Analyst' });
  const audited = async () =>
    (
      await scoped(t.db, 'system', (tx) =>
        sql<{
          action: string;
          target: string;
        }>`select action, target from audit where actor_user_id = ${user.id} order by id`.execute(tx),
      )
    ).rows;
  expect((await t.call(tagsApi.remove, { body: { id: 1 } }, user)).statusCode).toBe(403);
  expect((await t.call(tagsApi.list, { query: { selectedClientOrgID: 1 } }, user)).statusCode).toBe(403);
  expect(await audited()).toMatchObject([
    { action: 'call.denied', target: 'tags.remove /api/v1/tags/deletetag' },
    { action: 'call.denied', target: 'tags.list /api/v1/tags?selectedClientOrgID=1' },
  ]);
});
