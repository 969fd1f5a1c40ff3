/** During maintenance only Hosts have access; sign-in, brand and ingest stay available. */
import { endpoints } from '@parapet/contract/api.ts';
import { authApi } from '@parapet/contract/auth.ts';
import { brandApi } from '@parapet/contract/brand.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { beforeAll, expect, test } from 'vitest';
import { makeAccount, password } from './accounts.ts';
import { testApp, useTestApp } from './app.ts';

const t = useTestApp({ MAINTENANCE: '1' });
let provider: number;
let client: number;
beforeAll(async () => {
  provider = await t.organisation({ id: 1, isPartner: true });
  client = await t.organisation({ parentId: provider });
});

test('returns 503 with Retry-After to users and anonymous callers', async () => {
  const users = [
    await t.user({ organisationId: client, role: 'Administrator' }),
    await t.user({ organisationId: provider, role: 'Administrator' }),
    // Without a partner, it is a Host in name only.
    await t.user({ organisationId: client, role: 'Host' }),
    { token: 'no token' },
    undefined,
  ];
  for (const { id, allow, method, prefix, path } of endpoints) {
    if (allow === 'anyone') continue;
    const url =
      prefix +
      path
        .replace(/:(start|end)/g, '2026-01-01T00:00:00Z')
        .replace(':token', 'a'.repeat(43))
        .replace(/:[a-z]+/gi, '1');
    for (const user of users) {
      const answer = await t.application.app.inject({
        method,
        url,
        headers: { ...(user && { authorization: `Bearer ${user.token}` }) },
        ...(method !== 'GET' && { payload: {} }),
      });
      expect([id, answer.statusCode, Number(answer.headers['retry-after']) > 0]).toEqual([id, 503, true]);
      expect(answer.json()).toMatchObject({ code: 'unavailable', error: expect.stringContaining('maintenance') });
    }
  }
});

test.each([
  ['POST', '/mcp'],
  ['GET', '/taxii2/'],
] as const)('returns 503 for %s %s', async (method, url) => {
  const answer = await t.application.app.inject({ method, url, ...(method === 'POST' && { payload: {} }) });
  expect(answer.statusCode).toBe(503);
});

test('allows Hosts, sign-in and ingest', async () => {
  const host = await t.user({ organisationId: provider, role: 'Host' });
  const tags = await t.call(tagsApi.list, { query: { selectedClientOrgID: client } }, host);
  expect(tags.statusCode).toBe(200);
  const account = await makeAccount(t, client);
  const signedIn = await t.call(authApi.authenticate, { body: { email: account.email, password } } as never);
  expect(signedIn.statusCode).toBe(200);
  expect((await t.send(await t.ingestKey(client), [{ message: 'x' }])).statusCode).toBe(200);
});

test('shows maintenance and the served pages in the brand', async () => {
  const answer = (await t.call(brandApi.get, {})).json();
  expect(answer.maintenance).toBe(true);
  expect(answer.version).toMatch(/^([0-9a-f]{12}|dev)$/);
  const other = await testApp();
  try {
    expect((await other.call(brandApi.get, {})).json().maintenance).toBe(false);
  } finally {
    await other.close();
  }
});

test('returns 503 with Retry-After to requests of delivery targets', async () => {
  const answer = await t.application.app.inject({ method: 'POST', url: '/callback/AAAAAAAAAAAAAAAAAAAAAAAA', payload: 'x' });
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '300']);
});
