/** The official client's OAuth flow against the running server: consent, bound and rotating tokens, revocation. The browser is its cookies. */
import { createHash, randomBytes } from 'node:crypto';
import { assistantsApi as api } from '@parapet/contract/assistants.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { callback, createAssistant } from '../../../test/assistant.fixture.ts';
import { freePort } from '../../../test/ports.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { removeEnded } from './assistants.store.ts';

let t: TestApp;
let origin: string;
let partner: number;
let person: TestUser;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  t = await testApp({ PUBLIC_URL: origin, TRUST_PROXY: '1' });
  await t.application.app.listen({ port, host: '127.0.0.1' });
  partner = await t.organisation({ isPartner: true });
  person = await t.user({ organisationId: partner, role: 'Administrator' });
});
afterAll(() => t.close());

/** A browser: keeps cookies by their path, and follows no redirect of its own accord. */
function createBrowser() {
  const cookies = new Map<string, { value: string; path: string }>();
  return async (url: string | URL, init: RequestInit & { token?: string } = {}) => {
    const { pathname } = new URL(url);
    const sent = [...cookies].filter(([, { path }]) => pathname === path || pathname.startsWith(path === '/' ? '/' : `${path}/`));
    const headers = {
      ...(init.headers as Record<string, string>),
      ...(sent.length > 0 && { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; ') }),
      ...(init.token && { authorization: `Bearer ${init.token}` }),
    };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...rest] = line.split('; ');
      const path = rest.find((part) => /^path=/i.test(part))?.slice(5) ?? '/';
      cookies.set(pair.slice(0, pair.indexOf('=')), { value: pair.slice(pair.indexOf('=') + 1), path });
    }
    return answer;
  };
}
type Browser = ReturnType<typeof createBrowser>;

/** Follows an authorization request to the consent; returns its id. */
async function open(browser: Browser, address: URL): Promise<string> {
  const first = await browser(address);
  const location = first.headers.get('location') ?? '';
  expect([first.status, location], await first.text()).toEqual([303, expect.stringMatching(/^\/oauth\/consents\/[\w-]+$/)]);
  const second = await browser(`${origin}${location}`);
  expect(second.headers.get('location')).toBe(location.replace('/oauth/consents/', '/assistants/'));
  return location.slice('/oauth/consents/'.length);
}
const details = (browser: Browser, uid: string, user = person) =>
  browser(`${origin}/oauth/consents/${uid}/details`, { token: user.token });
const decide = (browser: Browser, uid: string, isAllowed: boolean, user = person) =>
  browser(`${origin}/oauth/consents/${uid}/decision`, {
    method: 'POST',
    token: user.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isAllowed }),
  });

/** The whole flow; returns the assistant with its tokens. */
async function connected(scope = 'read propose', user = person) {
  const assistant = createAssistant(`${origin}/mcp`, { scope });
  const browser = createBrowser();
  const uid = await open(browser, await assistant.start());
  const decided = await decide(browser, uid, true, user);
  expect(decided.status).toBe(200);
  const { returnTo } = (await decided.json()) as { returnTo: string };
  const resumed = await browser(returnTo);
  expect(resumed.headers.get('location'), await resumed.text()).toMatch(/^http/);
  const back = new URL(resumed.headers.get('location') ?? '');
  expect(back.href.startsWith(callback), back.href).toBe(true);
  await assistant.finish(back.searchParams.get('code') ?? '', back.searchParams.get('iss') ?? undefined);
  return { assistant, code: back.searchParams.get('code') ?? '' };
}
const listTools = (token: string | undefined) =>
  fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
const post = (path: string, form: Record<string, string>) =>
  fetch(`${origin}${path}`, { method: 'POST', body: new URLSearchParams(form) });
const register = (metadata: object, address = '203.0.113.1') =>
  fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ redirect_uris: [callback], application_type: 'native', ...metadata }),
  });
const clientId = (assistant: { client: () => unknown }) => (assistant.client() as { client_id: string }).client_id;

describe('an assistant', () => {
  test('discovers, registers, gets consent and calls tools of its scopes', async () => {
    const { assistant } = await connected('read');
    const client = await assistant.connect();
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('search_cases');
    expect(names).not.toContain('propose_note');
    await client.close();
    const both = await (await connected()).assistant.connect();
    expect((await both.listTools()).tools.map(({ name }) => name)).toContain('propose_note');
    await both.close();
  });

  test('shows the person its name, host and scopes', async () => {
    const assistant = createAssistant(`${origin}/mcp`, { name: '<b>Helper</b>', scope: 'read' });
    const browser = createBrowser();
    const uid = await open(browser, await assistant.start());
    expect(await (await details(browser, uid)).json()).toEqual({
      client: '<b>Helper</b>',
      redirectHost: '127.0.0.1:33418',
      isLocal: true,
      scopes: ['read'],
    });
  });

  test('gets an error when the person denies it', async () => {
    const assistant = createAssistant(`${origin}/mcp`);
    const browser = createBrowser();
    const uid = await open(browser, await assistant.start());
    const { returnTo } = (await (await decide(browser, uid, false)).json()) as { returnTo: string };
    expect((await browser(returnTo)).headers.get('location')).toContain('error=access_denied');
  });
});

describe('a consent', () => {
  test('belongs to the browser that started it', async () => {
    const assistant = createAssistant(`${origin}/mcp`);
    const uid = await open(createBrowser(), await assistant.start());
    expect((await details(createBrowser(), uid)).status).toBe(404);
    expect((await decide(createBrowser(), uid, true)).status).toBe(404);
  });

  test('remembers nothing for the next request of the same browser', async () => {
    const assistant = createAssistant(`${origin}/mcp`);
    const browser = createBrowser();
    const uid = await open(browser, await assistant.start());
    const { returnTo } = (await (await decide(browser, uid, true)).json()) as { returnTo: string };
    await browser(returnTo);
    expect(await open(browser, await assistant.start())).not.toBe(uid);
  });
});

describe('a token', () => {
  test('opens no call of the API', async () => {
    const { assistant } = await connected();
    const token = assistant.tokens()?.access_token ?? '';
    expect((await listTools(token)).status).toBe(200);
    const api = await fetch(`${origin}/api/v1/account/apikeys`, { headers: { authorization: `Bearer ${token}` } });
    expect(api.status).toBe(401);
  });

  test('ends with its revocation by the person', async () => {
    const { assistant } = await connected();
    const [newest] = (await t.call(api.grants, {}, person)).json().results;
    expect(newest).toMatchObject({ client: 'Assistant', scopes: ['read', 'propose'], revokedAt: null });
    expect((await t.call(api.revoke, { params: { id: newest.id } }, person)).statusCode).toBe(200);
    expect((await listTools(assistant.tokens()?.access_token)).status).toBe(401);
    const form = {
      grant_type: 'refresh_token',
      refresh_token: assistant.tokens()?.refresh_token ?? '',
      client_id: clientId(assistant),
    };
    expect((await post('/oauth/token', form)).status).toBe(400);
    const stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
    expect((await t.call(api.revoke, { params: { id: newest.id } }, stranger)).statusCode).toBe(404);
  });

  test('follows the permissions of its person', async () => {
    const user = await t.user({ organisationId: partner, role: 'Administrator' });
    const { assistant } = await connected('read propose', user);
    const token = assistant.tokens()?.access_token;
    expect(await (await listTools(token)).text()).toContain('propose_note');
    await scoped(t.db, 'system', (tx) => tx.updateTable('users').set({ role: 'Manager' }).where('id', '=', user.id).execute());
    expect(await (await listTools(token)).text()).not.toContain('propose_note');
    await scoped(t.db, 'system', (tx) => tx.updateTable('users').set({ is_deleted: true }).where('id', '=', user.id).execute());
    expect((await listTools(token)).status).toBe(401);
  });

  test('rotates; a second use of a refresh token ends its family', async () => {
    const { assistant } = await connected();
    const form = {
      grant_type: 'refresh_token',
      refresh_token: assistant.tokens()?.refresh_token ?? '',
      client_id: clientId(assistant),
    };
    const next = (await (await post('/oauth/token', form)).json()) as { access_token: string; refresh_token: string };
    expect((await listTools(next.access_token)).status).toBe(200);
    expect(next.refresh_token).not.toBe(form.refresh_token);
    expect((await post('/oauth/token', form)).status).toBe(400);
    expect((await post('/oauth/token', { ...form, refresh_token: next.refresh_token })).status).toBe(400);
    expect((await listTools(next.access_token)).status).toBe(401);
  });

  test('gives one token to two refreshes at once', async () => {
    const { assistant } = await connected();
    const form = {
      grant_type: 'refresh_token',
      refresh_token: assistant.tokens()?.refresh_token ?? '',
      client_id: clientId(assistant),
    };
    const answers = await Promise.all(Array.from({ length: 6 }, () => post('/oauth/token', form)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length, String(statuses)).toBeLessThanOrEqual(1);
    expect(statuses.filter((status) => status === 400).length, String(statuses)).toBeGreaterThanOrEqual(5);
  });

  test('ends with its grant, whatever revoked it', async () => {
    const user = await t.user({ organisationId: partner, role: 'Administrator' });
    const { assistant } = await connected('read', user);
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('assistant_grants').set({ revoked_at: new Date() }).where('user_id', '=', user.id).execute(),
    );
    expect((await listTools(assistant.tokens()?.access_token)).status).toBe(401);
    const form = { grant_type: 'refresh_token', refresh_token: assistant.tokens()?.refresh_token ?? '' };
    expect((await post('/oauth/token', { ...form, client_id: clientId(assistant) })).status).toBe(400);
  });

  test('leaves only its hash in the database', async () => {
    const { assistant } = await connected();
    const rows = await scoped(t.db, 'system', (tx) => tx.selectFrom('oauth_records').selectAll().execute());
    const text = JSON.stringify(rows);
    expect(rows.length).toBeGreaterThan(3);
    expect(text).not.toContain(assistant.tokens()?.access_token);
    expect(text).not.toContain(assistant.tokens()?.refresh_token);
  });
});

describe('a registration', () => {
  test.each([
    [{ sector_identifier_uri: 'https://127.0.0.1:1/hosts.json' }],
    [{ jwks_uri: 'https://127.0.0.1:1/keys.json' }],
    [{ request_uris: ['https://127.0.0.1:1/request.jwt'] }],
    [{ application_type: 'web', redirect_uris: ['http://elsewhere.example/callback'] }],
  ])('is refused with %j', async (metadata) => {
    const answer = await register(metadata, '203.0.113.2');
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/not supported|Use https/);
  });

  test('takes a hostile name, and gives no token to change it', async () => {
    const answer = await register({
      client_name: 'a\u0000b',
      redirect_uris: ['https://assistant.example/back'],
      application_type: 'web',
    });
    expect(answer.status).toBe(201);
    expect(await answer.json()).not.toHaveProperty('registration_access_token');
  });

  test('waits after five within a minute from one address', async () => {
    const statuses: number[] = [];
    // Twice: a minute may end in between.
    for (let n = 0; n < 11; n++) statuses.push((await register({}, '203.0.113.3')).status);
    expect(statuses[0]).toBe(201);
    expect(statuses).toContain(429);
    expect((await register({}, '203.0.113.4')).status).toBe(201);
  });

  test('ends without a live token, with or without a waiting request', async () => {
    const retained = await connected();
    const waiting = createAssistant(`${origin}/mcp`);
    await open(createBrowser(), await waiting.start());
    const age = (tx: Tx) =>
      tx
        .updateTable('oauth_records')
        .set({ created_at: new Date(Date.now() - 7_200_000) })
        .where('model', '=', 'Client')
        .execute();
    await scoped(t.db, 'system', age);
    await scoped(t.db, 'system', removeEnded);
    const clients = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('oauth_records').select('payload').where('model', '=', 'Client').execute(),
    );
    const ids = clients.map(({ payload }) => payload.client_id);
    expect(ids).toContain(clientId(retained.assistant));
    expect(ids).not.toContain(clientId(waiting));
  });
});

describe('a code', () => {
  test('works once, and ends its tokens when it is used again', async () => {
    const { assistant, code } = await connected();
    const form = { grant_type: 'authorization_code', code, client_id: clientId(assistant), redirect_uri: callback };
    expect((await post('/oauth/token', { ...form, code_verifier: assistant.verifier() })).status).toBe(400);
    expect((await listTools(assistant.tokens()?.access_token)).status).toBe(401);
  });
});

describe('an authorization request', () => {
  const challenge = createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url');
  const start = async (changes: Record<string, string | undefined>) => {
    const assistant = createAssistant(`${origin}/mcp`);
    const address = await assistant.start();
    for (const [name, value] of Object.entries(changes))
      value === undefined ? address.searchParams.delete(name) : address.searchParams.set(name, value);
    const answer = await createBrowser()(address);
    return `${answer.status} ${answer.headers.get('location') ?? (await answer.text())}`;
  };

  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'error=invalid_request'],
    ['with the plain method', { code_challenge: challenge, code_challenge_method: 'plain' }, 'error=invalid_request'],
    ['for a resource of another spelling', { resource: 'http://127.0.0.1/mcp/' }, 'error=invalid_target'],
    ['for another resource', { resource: 'https://elsewhere.example/mcp' }, 'error=invalid_target'],
    ['with another redirect', { redirect_uri: 'https://evil.example/' }, 'redirect_uri'],
  ])('is refused %s', async (_name, changes, text) => {
    expect(await start(changes)).toContain(text);
  });
});

test('leads clients from a refusal to the authorization server', async () => {
  const refused = await listTools('nonsense-nonsense-nonsense');
  const path = '/.well-known/oauth-protected-resource/mcp';
  expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${origin}${path}"`);
  expect(await (await fetch(`${origin}${path}`)).json()).toMatchObject({
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
  });
  const metadata = (await (await fetch(`${origin}/.well-known/oauth-authorization-server`)).json()) as Record<string, unknown>;
  expect(metadata).toMatchObject({
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    code_challenge_methods_supported: ['S256'],
  });
});
