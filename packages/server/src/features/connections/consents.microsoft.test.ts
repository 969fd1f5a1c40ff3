/** Tokens of a consent's sign-in, against a real OpenID provider that publishes its issuer as Microsoft does. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { interactionPolicy, Provider } from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOutbound } from '../../core/outbound.ts';
import { createVendorHttp } from './connections.http.ts';
import { createMicrosoft, NotAdministrator, type Registration } from './consents.microsoft.ts';

const tenant = 'b94c2e17-63d8-4f0b-8a35-2f7d1e6c9a02';
const clientId = '8d1f4c52-3b7e-4f9a-9c06-6a2e5d8b7f31';
const secret = 'a secret of the tests, long enough to be one';
const redirectUri = 'https://portal.example/api/v1/connect/callback/microsoft';
const administrator = '62e90394-69f5-4237-9190-012177145e10';
const account = { tid: tenant, preferred_username: 'admin@reef.example', wids: [administrator] as string[] };

let server: Server;
let origin: string;
let outbound: ReturnType<typeof openOutbound>;
let handle: RequestListener = (_request, response) => response.end();

/** Metadata of `organizations`: the issuer is a template. */
async function sendMetadata(issuer: string, response: Parameters<RequestListener>[1]): Promise<void> {
  const own = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as object;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ ...own, issuer: `${origin}/{tenantid}/v2.0` }));
}

beforeAll(async () => {
  server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${origin}/${tenant}/v2.0`;
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'tid', 'wids'], profile: ['preferred_username'] },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['key of the tests'] },
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: async () => ({ ...account, sub }) }),
    interactions: { policy, url: (_context: unknown, { uid }: { uid: string }) => `/agree/${uid}` },
    loadExistingGrant: async (context: never) => {
      const { oidc } = context as { oidc: { client: { clientId: string }; session: { accountId: string }; provider: Provider } };
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid profile');
      await grant.save();
      return grant;
    },
  } as never);
  const callback = provider.callback();
  handle = (request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/organizations/')) return void sendMetadata(issuer, response);
    if (path.startsWith('/agree/'))
      return void provider.interactionFinished(request, response, {
        select_account: {},
        login: { accountId: 'admin', remember: false },
      });
    const prefix = `/${tenant}/v2.0`;
    if (path.startsWith(prefix)) {
      Object.assign(request, { originalUrl: path, baseUrl: prefix });
      request.url = path.slice(prefix.length) || '/';
    }
    callback(request, response);
  };
  outbound = openOutbound({ allowsInsecure: false, alsoOrigins: [origin] });
});
afterAll(async () => {
  await outbound.close();
  server.close().closeAllConnections();
});

const registration = (): Registration => ({ clientId, secret, login: origin, redirectUri });
const microsoft = () => createMicrosoft({ http: createVendorHttp(outbound), clock: { now: Date.now } });

/** Follows the provider's redirects to the portal. */
async function codeAt(location: string): Promise<URLSearchParams> {
  const jar = new Map<string, string>();
  let url = new URL(location);
  for (let hops = 0; hops < 10; hops++) {
    if (url.href.startsWith(redirectUri)) return url.searchParams;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
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

async function signIn(given: string | null, nonce = 'n'.repeat(43)) {
  const own = microsoft();
  const { url, verifier } = await own.signIn(registration(), given, { state: 's'.repeat(43), nonce });
  const query = await codeAt(url);
  return { own, url: new URL(url), verifier, nonce, code: query.get('code') ?? '', state: query.get('state') };
}

describe('a sign-in for a consent', () => {
  test('reads tenant and administrator from the ID token of a real provider', async () => {
    const { own, url, verifier, nonce, code, state } = await signIn(null);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge_method: 'S256',
      prompt: 'select_account',
    });
    expect(state).toBe('s'.repeat(43));
    const found = await own.administratorOf(registration(), null, { code, nonce, verifier });
    expect(found).toEqual({ tenant, person: 'admin@reef.example' });
    await expect(own.administratorOf(registration(), null, { code, nonce, verifier })).rejects.toThrow('grant');
  });

  test('refuses another verifier, another nonce, another secret', async () => {
    const first = await signIn(null);
    const given = { code: first.code, nonce: first.nonce, verifier: 'v'.repeat(43) };
    await expect(first.own.administratorOf(registration(), null, given)).rejects.toThrow('grant');
    const second = await signIn(null);
    const other = { code: second.code, nonce: 'another', verifier: second.verifier };
    await expect(second.own.administratorOf(registration(), null, other)).rejects.toThrow('another sign-in');
    const third = await signIn(null);
    const guessed = { ...registration(), secret: 'another secret, long enough to be one' };
    await expect(third.own.administratorOf(guessed, null, third)).rejects.toThrow('401');
  });

  test('refuses a tenant of another issuer, and people without an administrator’s role', async () => {
    account.tid = '5e0d7a3b-91c6-4e28-b7f4-0c8a6d2f1b93';
    const foreign = await signIn(null);
    await expect(foreign.own.administratorOf(registration(), null, foreign)).rejects.toThrow('another issuer');
    account.tid = tenant;
    for (const wids of [['b79fbf4d-3ef9-4689-8143-76b194e85509'], []]) {
      account.wids = wids;
      const person = await signIn(null);
      await expect(person.own.administratorOf(registration(), null, person)).rejects.toThrow(NotAdministrator);
    }
    account.wids = [administrator];
  });

  test('asks the named tenant alone', async () => {
    const { own, url, code, nonce, verifier } = await signIn(tenant);
    expect(url.pathname.startsWith(`/${tenant}/`)).toBe(true);
    expect((await own.administratorOf(registration(), tenant, { code, nonce, verifier })).tenant).toBe(tenant);
  });
});
