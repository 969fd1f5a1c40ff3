/**
 * Simulated sign-in of Microsoft: discovery, authorize, token, keys and admin consent, as published by Microsoft (learn.microsoft.com, "OpenID Connect on the
 * Microsoft identity platform", "OAuth 2.0 authorization code flow", "Admin consent on the Microsoft identity platform", "ID token claims reference", error
 * codes AADSTS…, read in November 2026). Its pages are operated manually: one account of a tenant signs in, grants or declines; the start page lists what was
 * granted, as Enterprise applications in the Entra admin center do, and revokes it. As there, every later token is refused.
 */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { consentPage, deniedPage, grantsPage, signInPage } from './microsoft.pages.ts';
import { tenant as alder, consentedTokens } from './microsoft.ts';
import { serveVendor, type VendorAnswer, type VendorRequest, type VendorServer } from './vendor.ts';

export interface MicrosoftAccount {
  email: string;
  name: string;
  tenant: string;
  /** Template IDs of directory roles, as `wids` has them. */
  roles: readonly string[];
}

const globalAdministrator = '62e90394-69f5-4237-9190-012177145e10';
/** Of every member. */
const member = 'b79fbf4d-3ef9-4689-8143-76b194e85509';
export const tenants = {
  alder,
  reef: 'b94c2e17-63d8-4f0b-8a35-2f7d1e6c9a02',
  kelp: '5e0d7a3b-91c6-4e28-b7f4-0c8a6d2f1b93',
} as const;
export const accounts: readonly MicrosoftAccount[] = [
  { email: 'admin@alder.example', name: 'Alder Administrator', tenant: tenants.alder, roles: [globalAdministrator, member] },
  { email: 'mara.lindt@alder.example', name: 'Mara Lindt', tenant: tenants.alder, roles: [member] },
  { email: 'admin@reef.example', name: 'Reef Administrator', tenant: tenants.reef, roles: [globalAdministrator, member] },
  { email: 'admin@kelp.example', name: 'Kelp Administrator', tenant: tenants.kelp, roles: [globalAdministrator, member] },
];
/** The permissions that the registration of the application lists. */
export const registeredPermissions = [
  'Microsoft Graph: AuditLog.Read.All',
  'Microsoft Graph: IdentityRiskEvent.Read.All',
  'Microsoft Graph: SecurityAlert.Read.All',
  'Microsoft Graph: SecurityIncident.Read.All',
  'Office 365 Management APIs: ActivityFeed.Read',
  'Office 365 Management APIs: ActivityFeed.ReadDlp',
  'WindowsDefenderATP: Alert.Read.All',
  'WindowsDefenderATP: Machine.Read.All',
];

const clientId = '8d1f4c52-3b7e-4f9a-9c06-6a2e5d8b7f31';
const secret = 'demo~Secret.Of.The.Providers.Application.01';
const codeMs = 10 * 60_000;
const tokenSeconds = 3_599;

export interface MicrosoftLogin extends VendorServer {
  /** The application that the provider registered. */
  application: { clientId: string; secret: string; login: string };
  /** Tenants that consented. */
  grants(): string[];
  revoke(tenant: string): void;
  /** Claims that the next ID token has instead. */
  spoilToken(claims: Record<string, unknown>): void;
  /** Publishes the issuer of each tenant as a template from now on, as that of `organizations`. */
  publishTemplate(): void;
  /** Signs the next ID token with a key that isn't published. */
  forgeToken(): void;
  /** Replaces the secret of the application. */
  setSecret(secret: string): void;
}

interface Code {
  account: MicrosoftAccount;
  nonce: string;
  challenge: string;
  redirectUri: string;
  at: number;
}

interface State {
  codes: Map<string, Code>;
  grants: Set<string>;
  session: number;
  secret: string;
  spoiled: Record<string, unknown>;
  isForged: boolean;
  isTemplate: boolean;
  redirectUris: readonly string[] | undefined;
}

const keyOf = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });
const kid = 'demo-key-1';
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const page = (body: string, status = 200, headers = {}): VendorAnswer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  body,
});
const redirect = (to: string, query: Record<string, string>, headers = {}): VendorAnswer => {
  const url = new URL(to);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { status: 302, headers: { location: url.href, ...headers }, body: '' };
};
const trace = 'Trace ID: 00000000-0000-0000-0000-000000000000';
const refusal = (status: number, error: string, description: string): VendorAnswer => ({
  status,
  body: { error, error_description: `${description} ${trace}`, error_codes: [Number(/\d+/.exec(description)?.[0])] },
});
const isTenant = (authority: string): boolean => /^[0-9a-f-]{36}$/.test(authority);

function metadata({ isTemplate }: State, origin: string, authority: string): VendorAnswer {
  const at = `${origin}/${authority}`;
  return {
    body: {
      issuer: `${origin}/${isTenant(authority) && !isTemplate ? authority : '{tenantid}'}/v2.0`,
      authorization_endpoint: `${at}/oauth2/v2.0/authorize`,
      token_endpoint: `${at}/oauth2/v2.0/token`,
      jwks_uri: `${at}/discovery/v2.0/keys`,
      response_modes_supported: ['query', 'fragment', 'form_post'],
      response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
    },
  };
}

/** Parameters of a request by the application; a page with the error for one that isn't registered. */
function checked(state: State, query: URLSearchParams): { redirectUri: string } | VendorAnswer {
  const redirectUri = query.get('redirect_uri') ?? '';
  if (query.get('client_id') !== clientId)
    return page(deniedPage('AADSTS700016: Application was not found in the directory.'), 400);
  if (!URL.canParse(redirectUri) || (state.redirectUris && !state.redirectUris.includes(redirectUri)))
    return page(deniedPage('AADSTS50011: The redirect URI does not match those configured for the application.'), 400);
  return { redirectUri };
}

function authorize(state: State, { url }: VendorRequest, authority: string): VendorAnswer {
  const query = url.searchParams;
  const found = checked(state, query);
  if (!('redirectUri' in found)) return found;
  const known = { state: query.get('state') ?? '' };
  const account = accounts.find(({ email }) => email === query.get('account'));
  if (query.get('account') === '') {
    const error_description = 'AADSTS65004: User declined to consent to access the app.';
    return redirect(found.redirectUri, { error: 'access_denied', error_description, ...known });
  }
  if (!account) {
    const offered = accounts.filter(({ tenant }) => !isTenant(authority) || tenant === authority);
    return page(signInPage(url, offered));
  }
  const code = randomBytes(24).toString('base64url');
  const nonce = query.get('nonce') ?? '';
  const challenge = query.get('code_challenge') ?? '';
  state.codes.set(code, { account, nonce, challenge, redirectUri: found.redirectUri, at: Date.now() });
  const cookie = { 'set-cookie': `account=${encodeURIComponent(account.email)}; Path=/; HttpOnly` };
  return redirect(found.redirectUri, { code, ...known, session_state: 'demo' }, cookie);
}

function adminConsent(state: State, { url, headers }: VendorRequest, tenant: string): VendorAnswer {
  const query = url.searchParams;
  const found = checked(state, query);
  if (!('redirectUri' in found)) return found;
  const email = decodeURIComponent(/(?:^|; *)account=([^;]*)/.exec(headers.cookie ?? '')?.[1] ?? '');
  const account = accounts.find((each) => each.email === email);
  if (!account || account.tenant !== tenant || !account.roles.includes(globalAdministrator))
    return page(deniedPage('Need admin approval: only an administrator of the organization can grant these permissions.'), 403);
  const known = { admin_consent: 'True', state: query.get('state') ?? '' };
  const decision = query.get('decision');
  if (decision === 'cancel') {
    const error_description = 'AADSTS65004: The resource owner or authorization server denied the request.';
    return redirect(found.redirectUri, { ...known, error: 'consent_required', error_description });
  }
  if (decision !== 'accept') return page(consentPage(url, account, registeredPermissions));
  state.grants.add(tenant);
  return redirect(found.redirectUri, { ...known, tenant, scope: query.get('scope') ?? '' });
}

function idToken(state: State, origin: string, { account, nonce }: Code, key: KeyObject): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    ver: '2.0',
    iss: `${origin}/${account.tenant}/v2.0`,
    aud: clientId,
    iat: now,
    nbf: now,
    exp: now + 3_600,
    nonce,
    oid: createHash('sha256').update(account.email).digest('hex').slice(0, 32),
    sub: createHash('sha256').update(`${clientId} ${account.email}`).digest('base64url'),
    tid: account.tenant,
    name: account.name,
    preferred_username: account.email,
    wids: account.roles,
    ...state.spoiled,
  };
  state.spoiled = {};
  const signed = `${base64({ typ: 'JWT', alg: 'RS256', kid })}.${base64(claims)}`;
  const used = state.isForged ? keyOf().privateKey : key;
  state.isForged = false;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(used).toString('base64url')}`;
}

function issue(state: State, { url, body, method }: VendorRequest, authority: string, key: KeyObject): VendorAnswer {
  const form = new URLSearchParams(body);
  if (method !== 'POST') return refusal(405, 'invalid_request', 'AADSTS900561: The endpoint only accepts POST requests.');
  if (form.get('client_id') !== clientId)
    return refusal(400, 'unauthorized_client', `AADSTS700016: Application was not found in the directory '${authority}'.`);
  if (form.get('client_secret') !== state.secret)
    return refusal(401, 'invalid_client', 'AADSTS7000215: Invalid client secret provided.');
  if (form.get('grant_type') === 'client_credentials') {
    if (!state.grants.has(authority))
      return refusal(
        401,
        'invalid_client',
        `AADSTS7000229: The client application ${clientId} is missing service principal in the tenant ${authority}.`,
      );
    const token = `demo.consent.${authority}.${state.session}`;
    consentedTokens.set(token, authority);
    return { body: { token_type: 'Bearer', expires_in: tokenSeconds, ext_expires_in: tokenSeconds, access_token: token } };
  }
  const name = form.get('code') ?? '';
  const code = state.codes.get(name);
  state.codes.delete(name);
  if (!code || Date.now() - code.at > codeMs)
    return refusal(400, 'invalid_grant', 'AADSTS54005: OAuth2 Authorization code was already redeemed, or has expired.');
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  if (challenge !== code.challenge || form.get('redirect_uri') !== code.redirectUri)
    return refusal(400, 'invalid_grant', 'AADSTS501481: The Code_Verifier does not match the code_challenge.');
  const id_token = idToken(state, url.origin, code, key);
  return { body: { token_type: 'Bearer', scope: 'openid profile', expires_in: tokenSeconds, access_token: 'demo', id_token } };
}

/** @param redirectUris that the registration lists; undefined: any */
export async function startMicrosoftLogin(port?: number, redirectUris?: readonly string[]): Promise<MicrosoftLogin> {
  const { privateKey, publicKey } = keyOf();
  const state: State = {
    codes: new Map(),
    grants: new Set(),
    session: Date.now(),
    secret,
    spoiled: {},
    isForged: false,
    isTemplate: false,
    redirectUris,
  };
  const revoke = (tenant: string): void => {
    state.grants.delete(tenant);
    state.session++;
    for (const [token, of] of consentedTokens) if (of === tenant) consentedTokens.delete(token);
  };
  const server = await serveVendor((request) => {
    const { url, method } = request;
    const [authority = '', ...rest] = url.pathname.slice(1).split('/');
    const path = rest.join('/');
    if (authority === '' && method === 'POST') revoke(new URLSearchParams(request.body).get('tenant') ?? '');
    if (authority === '') return page(grantsPage([...state.grants], accounts));
    if (path === 'v2.0/.well-known/openid-configuration') return metadata(state, url.origin, authority);
    if (path === 'discovery/v2.0/keys')
      return { body: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }] } };
    if (path === 'oauth2/v2.0/authorize') return authorize(state, request, authority);
    if (path === 'oauth2/v2.0/token') return issue(state, request, authority, privateKey);
    if (path === 'v2.0/adminconsent') return adminConsent(state, request, authority);
    return page(deniedPage('AADSTS900144: There is no such page.'), 404);
  }, port);
  return {
    ...server,
    application: { clientId, secret, login: server.url },
    grants: () => [...state.grants],
    revoke,
    spoilToken: (claims) => {
      state.spoiled = claims;
    },
    publishTemplate: () => {
      state.isTemplate = true;
    },
    forgeToken: () => {
      state.isForged = true;
    },
    setSecret: (changed) => {
      state.secret = changed;
    },
  };
}
