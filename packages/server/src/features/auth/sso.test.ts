/** Single sign-on, against a real OpenID provider on this machine. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authApi } from '@parapet/contract/auth.ts';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anAddress, auditOf, liveSessions, makeAccount, post } from '../../../test/accounts.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';

interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  /** Authentication methods that the provider reports. */
  amr?: string[];
}

const publicUrl = 'http://portal.localhost:8080';
const clientSecret = 'a secret of the tests, long enough to be one';
const openProviders: Server[] = [];

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  openProviders.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Signs in as `person.who` and grants every consent. */
async function startIssuer(): Promise<{ issuer: string; person: { who: Person | undefined } }> {
  const person: { who: Person | undefined } = { who: undefined };
  let handle: RequestListener = (_request, response) => response.end();
  const issuer = await startServer((request, response) => handle(request, response));
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'portal',
        client_secret: clientSecret,
        redirect_uris: [publicUrl, 'http://quay.portal.localhost:8080'].map(
          (origin) => `${origin}/api/v1/Auth/callback/microsoft`,
        ),
      },
    ],
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['key of the tests'] },
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: async () => ({ ...person.who, sub }) }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/agree/${uid}` },
    loadExistingGrant: async (context: never) => {
      const { oidc } = context as { oidc: { client: { clientId: string }; session: { accountId: string }; provider: Provider } };
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  } as never);
  const callback = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith('/agree/')) return void callback(request, response);
    const result = person.who
      ? { login: { accountId: person.who.sub, remember: false, ...(person.who.amr && { amr: person.who.amr }) } }
      : { error: 'access_denied', error_description: 'no' };
    void provider.interactionFinished(request, response, result);
  };
  return { issuer, person };
}

let t: TestApp;
let own: Awaited<ReturnType<typeof startIssuer>>;
let partners: Awaited<ReturnType<typeof startIssuer>>;
let partner: number;
let client: number;
const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);

beforeAll(async () => {
  [own, partners] = [await startIssuer(), await startIssuer()];
  t = await testApp({
    TRUST_PROXY: '1',
    PUBLIC_URL: publicUrl,
    SSO_ISSUER: own.issuer,
    SSO_CLIENT_ID: 'portal',
    SSO_CLIENT_SECRET: clientSecret,
    SSO_ALLOW_INSECURE: '1',
  });
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  await system(async (tx) => {
    await tx.insertInto('brands').values({ organisation_id: partner, sub_domain: 'quay', name: 'Quayside Guard' }).execute();
    await tx
      .insertInto('identity_providers')
      .values({
        organisation_id: partner,
        issuer: partners.issuer,
        client_id: 'portal',
        client_secret: await t.keys.seal(
          tx,
          { organisationId: partner, column: 'identity_providers.client_secret', id: partner },
          clientSecret,
        ),
      })
      .execute();
  });
});
beforeEach(async () => {
  await system((tx) =>
    tx.updateTable('organisations').set({ allows_first_match_by_email: true }).where('id', '=', client).execute(),
  );
});
afterAll(async () => {
  await t.close();
  for (const server of openProviders) server.close().closeAllConnections();
});

const hosts = { own: 'portal.localhost:8080', partners: 'quay.portal.localhost:8080' };
const cookieOf = (headers: Record<string, unknown>) => /^sign_on=([\w-]*)/.exec(String(headers['set-cookie']))?.[1] ?? '';

const start = (host: string, query = '') =>
  t.application.app.inject({
    url: `/api/v1/Auth/login/microsoft${query}`,
    headers: { host, 'x-forwarded-for': anAddress() },
  });
const finish = (host: string, search: string, cookie: string) =>
  t.application.app.inject({
    url: `/api/v1/Auth/callback/microsoft${search}`,
    headers: { host, cookie: `other=1; sign_on=${cookie}` },
  });
const exchange = (code: string, cookie?: string) =>
  post(t, authApi.accessToken.path, { accessToken: code }, cookie ? { cookie: `sign_on=${cookie}` } : {});

/** Follows the provider’s redirects back to the portal; returns the query of the callback. */
async function atProvider(location: string): Promise<string> {
  const jar = new Map<string, string>();
  let url = new URL(location);
  for (let hops = 0; hops < 10; hops++) {
    if (url.pathname.endsWith('/callback/microsoft')) return url.search;
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const next = answer.headers.get('location');
    if (!next) throw new Error(`${url} returned ${answer.status}: ${await answer.text()}`);
    url = new URL(next, url);
  }
  throw new Error('The provider redirects in a loop.');
}

/** Runs a sign-on from the button to the callback page. */
async function signOn(who: Person | undefined, at: keyof typeof hosts = 'own', query = '') {
  ({ own, partners })[at].person.who = who;
  const begun = await start(hosts[at], query);
  expect(begun.statusCode).toBe(302);
  const back = await atProvider(String(begun.headers.location));
  const cookie = cookieOf(begun.headers);
  const done = await finish(hosts[at], back, cookie);
  expect(done.statusCode).toBe(302);
  const location = String(done.headers.location);
  expect(location).toMatch(/^\/auth\/microsoft\/callback\?/);
  const answer = new URLSearchParams(location.split('?')[1]);
  return {
    begun,
    back,
    cookie,
    done,
    answer,
    code: answer.get('token') ?? '',
    error: answer.get('error'),
    browser: cookieOf(done.headers),
  };
}

describe('sign-on', () => {
  test('starts with state, nonce and PKCE and returns a one-time code that signs in', async () => {
    const { id, email } = await makeAccount(t, client);
    const { begun, done, code, browser } = await signOn({ sub: 'ada', email, email_verified: true });
    const out = new URL(String(begun.headers.location));
    expect(Object.fromEntries(out.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${publicUrl}/api/v1/Auth/callback/microsoft`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(begun.headers['set-cookie']).toMatch(/; HttpOnly; SameSite=Lax$/);
    expect(String(done.headers.location)).not.toContain('eyJ');
    const { user } = (await exchange(code, browser)).json();
    expect(user).toMatchObject({ id, emailAddress: email, clientOrganizationID: client });
    expect(await liveSessions(t, id)).toMatchObject([{ method: 'singleSignOn' }]);
    expect(await auditOf(t, id)).toEqual(['user.identityLinked', 'user.signedIn']);

    // Matched by its subject from now on, whatever its address or the organisation’s setting.
    await system((tx) =>
      tx.updateTable('organisations').set({ allows_first_match_by_email: false }).where('id', '=', client).execute(),
    );
    const again = await signOn({ sub: 'ada' });
    expect((await exchange(again.code, again.browser)).json().user.id).toBe(id);
  });

  test('issues a code valid once, for a minute and in its own browser', async () => {
    const { id, email } = await makeAccount(t, client);
    const { code, cookie, browser } = await signOn({ sub: 'once', email, email_verified: true });
    for (const foreign of [undefined, cookie, 'A'.repeat(43)]) expect((await exchange(code, foreign)).statusCode).toBe(401);
    const answers = await Promise.all([1, 2, 3, 4].map(() => exchange(code, browser)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401, 401]);
    expect(await liveSessions(t, id)).toHaveLength(1);

    const late = await signOn({ sub: 'once' });
    await system((tx) =>
      tx
        .updateTable('sign_on_codes')
        .set({ expires_at: new Date(Date.now() - 1000) })
        .execute(),
    );
    expect((await exchange(late.code, late.browser)).statusCode).toBe(401);
  });

  test('completes once, in the browser that began it', async () => {
    const { email } = await makeAccount(t, client);
    own.person.who = { sub: 'back', email, email_verified: true };
    const begun = await start(hosts.own);
    const back = await atProvider(String(begun.headers.location));
    for (const cookie of ['', 'A'.repeat(43)])
      expect((await finish(hosts.own, back, cookie)).headers.location).toBe('/auth/microsoft/callback?error=expired');
    expect((await finish(hosts.own, back, cookieOf(begun.headers))).headers.location).toContain('?token=');
    expect((await finish(hosts.own, back, cookieOf(begun.headers))).headers.location).toContain('?error=expired');
    expect((await finish(hosts.own, '?code=x&state=y', 'A'.repeat(43))).headers.location).toContain('?error=expired');
  });

  test('refuses forged codes, foreign issuers and foreign nonces', async () => {
    const { email } = await makeAccount(t, client);
    own.person.who = { sub: 'forged', email, email_verified: true };
    for (const change of [
      (query: URLSearchParams) => query.set('code', 'forged'),
      (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
      (query: URLSearchParams) => query.delete('iss'),
    ]) {
      const begun = await start(hosts.own);
      const query = new URLSearchParams(await atProvider(String(begun.headers.location)));
      change(query);
      const done = await finish(hosts.own, `?${query}`, cookieOf(begun.headers));
      expect(done.headers.location).toBe('/auth/microsoft/callback?error=failed');
    }
    const begun = await start(hosts.own);
    await system((tx) => tx.updateTable('sign_on_starts').set({ nonce: 'another' }).execute());
    const done = await finish(hosts.own, await atProvider(String(begun.headers.location)), cookieOf(begun.headers));
    expect(done.headers.location).toBe('/auth/microsoft/callback?error=failed');
  });

  test('reports a refusal by the user', async () => {
    expect((await signOn(undefined)).error).toBe('refused');
  });

  test('redirects to paths of this origin only', async () => {
    const { email } = await makeAccount(t, client);
    const pathFor = async (path: string) =>
      (await signOn({ sub: 'path', email, email_verified: true }, 'own', `?redirect_url=${encodeURIComponent(path)}`)).answer.get(
        'redirect_url',
      );
    expect(await pathFor('/apps/cases/10?x=1&y=2')).toBe('/apps/cases/10?x=1&y=2');
    for (const path of ['https://evil.example', '//evil.example', '/\\evil.example', '/..//evil.example', '/\t/evil.example'])
      expect(await pathFor(path)).toBeNull();
  });

  test('ignores a forged host', async () => {
    const begun = await start('evil.example');
    expect(new URL(String(begun.headers.location)).searchParams.get('redirect_uri')).toBe(
      `${publicUrl}/api/v1/Auth/callback/microsoft`,
    );
  });
});

describe('first match by address', () => {
  test.each([
    ['without a verification claim', { email_verified: undefined }, {}],
    ['unverified', { email_verified: false }, {}],
    ['of a Host', { email_verified: true }, { role: 'Host' }],
    ['of a deleted user', { email_verified: true }, { is_deleted: true }],
  ])('is refused %s', async (label, claims, fields) => {
    const { id, email } = await makeAccount(t, client, fields);
    const { error, code } = await signOn({ sub: `no ${label}`, email, ...claims } as Person);
    expect([error, code]).toEqual(['unknown', '']);
    expect(await liveSessions(t, id)).toEqual([]);
  });

  test('requires the organisation’s permission', async () => {
    await system((tx) =>
      tx.updateTable('organisations').set({ allows_first_match_by_email: false }).where('id', '=', client).execute(),
    );
    const { email } = await makeAccount(t, client);
    expect((await signOn({ sub: 'not allowed', email, email_verified: true })).error).toBe('unknown');
  });

  test('refuses a second subject of the same address', async () => {
    const { email } = await makeAccount(t, client);
    expect((await signOn({ sub: 'first holder', email, email_verified: true })).code).not.toBe('');
    expect((await signOn({ sub: 'second holder', email, email_verified: true })).error).toBe('unknown');
  });
});

describe('partner’s identity provider', () => {
  test('serves its host and signs in users of its own tree', async () => {
    const { id, email } = await makeAccount(t, client);
    const { begun, code, browser } = await signOn({ sub: 'of the tree', email, email_verified: true }, 'partners');
    expect(String(begun.headers.location).startsWith(partners.issuer)).toBe(true);
    expect((await exchange(code, browser)).json().user.id).toBe(id);
  });

  test('refuses users outside its tree, by address or subject', async () => {
    const foreign = await t.organisation();
    await system((tx) =>
      tx.updateTable('organisations').set({ allows_first_match_by_email: true }).where('id', '=', foreign).execute(),
    );
    const { id, email } = await makeAccount(t, foreign);
    expect((await signOn({ sub: 'stranger', email, email_verified: true }, 'partners')).error).toBe('unknown');
    await system((tx) =>
      tx
        .insertInto('user_identities')
        .values({ issuer: partners.issuer, subject: 'stranger', organisation_id: foreign, user_id: id })
        .execute(),
    );
    expect((await signOn({ sub: 'stranger' }, 'partners')).error).toBe('unknown');
    // The same subject at another issuer is another identity.
    expect((await signOn({ sub: 'of the tree' })).error).toBe('unknown');
  });

  test('stops working with its open codes once the partner is deactivated', async () => {
    const { email } = await makeAccount(t, client);
    const { code, browser } = await signOn({ sub: 'late', email, email_verified: true }, 'partners');
    const close = (at: Date | null) =>
      system((tx) => tx.updateTable('organisations').set({ deactivated_at: at }).where('id', '=', partner).execute());
    await close(new Date());
    expect((await exchange(code, browser)).statusCode).toBe(401);
    expect((await signOn({ sub: 'late' })).error).toBe('unknown');
    await close(null);
  });
});

describe('issuer', () => {
  test('ends the sign-on with a reason when it is unreachable or invalid', async () => {
    const nonsense = await startServer((_request, response) => response.end('<html>'));
    for (const issuer of [nonsense, 'http://127.0.0.1:1']) {
      await system((tx) => tx.updateTable('identity_providers').set({ issuer }).where('organisation_id', '=', partner).execute());
      expect((await start(hosts.partners)).headers.location).toBe('/auth/microsoft/callback?error=failed');
    }
    await system((tx) => tx.updateTable('identity_providers').set({ issuer: partners.issuer }).execute());
  });
});

test('sets and reads only the `__Host-` cookie over HTTPS', async () => {
  const secure = await testApp({
    PUBLIC_URL: 'https://portal.example',
    SSO_ISSUER: own.issuer,
    SSO_CLIENT_ID: 'portal',
    SSO_CLIENT_SECRET: clientSecret,
    SSO_ALLOW_INSECURE: '1',
  });
  const get = (path: string, cookie = '') =>
    secure.application.app.inject({ url: `/api/v1/Auth/${path}`, headers: { host: 'portal.example', cookie } });
  const begin = async () => {
    const { headers } = await get('login/microsoft');
    expect(headers['set-cookie']).toMatch(/^__Host-sign_on=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
    const state = new URL(String(headers.location)).searchParams.get('state');
    return {
      cookie: String(headers['set-cookie']).split(';', 1)[0] as string,
      back: `callback/microsoft?code=none&state=${state}`,
    };
  };
  const first = await begin();
  expect((await get(first.back, first.cookie.replace('__Host-', ''))).headers.location).toContain('error=expired');
  expect((await get(first.back, first.cookie)).headers.location).toContain('error=failed');
  await secure.close();
});

const proofsOf = (userId: number) =>
  system((tx) =>
    tx
      .selectFrom('sessions')
      .select(['proven_at as provenAt', 'second_factor_at as secondFactorAt'])
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(),
  );

test('starts an unproven session without a time of authentication', async () => {
  const { id, email } = await makeAccount(t, client);
  const { code, browser } = await signOn({ sub: `silent ${id}`, email, email_verified: true, amr: ['mfa'] });
  expect((await exchange(code, browser)).statusCode).toBe(200);
  expect(await proofsOf(id)).toEqual({ provenAt: null, secondFactorAt: null });
});

describe('step-up', () => {
  /** Signs in by the provider without a recent proof. */
  async function signedOn(sub: string) {
    const { id, email } = await makeAccount(t, client, { role: 'Administrator' });
    const { code, browser } = await signOn({ sub, email, email_verified: true });
    return { id, token: (await exchange(code, browser)).json().user.accessToken as string };
  }
  const begin = (token: string) =>
    t.application.app.inject({
      method: 'POST',
      url: '/api/v1/auth/step-up/single-sign-on',
      headers: { host: hosts.own, authorization: `Bearer ${token}`, 'x-forwarded-for': anAddress() },
      payload: {},
    });
  /** Runs a step-up as `who` in its own window; returns the reported outcome. */
  async function stepUp(token: string, who: Person): Promise<string | null> {
    const begun = await begin(token);
    expect(begun.statusCode).toBe(200);
    const url = new URL(begun.json().url);
    expect([url.searchParams.get('prompt'), url.searchParams.get('max_age')]).toEqual(['login', '0']);
    own.person.who = who;
    const done = await finish(hosts.own, await atProvider(url.href), cookieOf(begun.headers));
    const answer = new URLSearchParams(String(done.headers.location).split('?')[1]);
    expect(answer.get('token')).toBeNull();
    return answer.get('step_up');
  }

  test('proves the identity of its session, with MFA where the provider reports it', async () => {
    const { id, token } = await signedOn('steps up');
    expect(await stepUp(token, { sub: 'steps up' })).toBe('done');
    const once = await proofsOf(id);
    expect(Date.now() - Number(once.provenAt)).toBeLessThan(60_000);
    expect(once.secondFactorAt).toBeNull();
    expect(await stepUp(token, { sub: 'steps up', amr: ['pwd', 'mfa'] })).toBe('done');
    expect((await proofsOf(id)).secondFactorAt).not.toBeNull();
    expect((await auditOf(t, id)).filter((action) => action === 'user.steppedUp')).toHaveLength(2);
  });

  test('proves nothing for another user', async () => {
    const { id, token } = await signedOn('the owner');
    await signedOn('a colleague');
    expect(await stepUp(token, { sub: 'a colleague' })).toBe('unknown');
    expect(await proofsOf(id)).toEqual({ provenAt: null, secondFactorAt: null });
    expect(await auditOf(t, id)).toContain('user.stepUpRefused');
  });

  test('proves nothing in another browser or for an ended session', async () => {
    const { id, token } = await signedOn('elsewhere');
    const begun = await begin(token);
    own.person.who = { sub: 'elsewhere' };
    const back = await atProvider(begun.json().url);
    expect(String((await finish(hosts.own, back, 'A'.repeat(43))).headers.location)).toMatch(/error=expired$/);
    await system((tx) => tx.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', id).execute());
    expect(String((await finish(hosts.own, back, cookieOf(begun.headers))).headers.location)).toMatch(/step_up=unknown$/);
    expect(await proofsOf(id)).toEqual({ provenAt: null, secondFactorAt: null });
  });
});
