/**
 * The authorization server of /mcp: authorization code with PKCE (S256), tokens bound to the resource (RFC 8707), refresh tokens that rotate, and
 * dynamic registration (RFC 7591) of clients without a secret. People sign in to the portal and consent on its page.
 */
import { generateKeyPairSync } from 'node:crypto';
import { assistantScopes } from '@parapet/contract/assistants.ts';
import type { Configuration, Provider } from 'oidc-provider';
import type { Database } from '../../core/db/connect.ts';
import type { Log } from '../../core/log.ts';
import { createAdapter } from './assistants.adapter.ts';

/** Seconds. */
const ttl = {
  AuthorizationCode: 60,
  AccessToken: 600,
  RefreshToken: 30 * 86_400,
  Grant: 365 * 86_400,
  Interaction: 900,
  Session: 900,
};
const html = 'text/html; charset=utf-8';

/** Addresses that an authorization server reads. */
const refusedMetadata = ['sector_identifier_uri', 'jwks_uri', 'request_uris'];

/** Plain http beyond this computer would show codes to the network. */
const isPlain = (address: string): boolean => {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && !isLoopback(url.hostname);
};

/** Loaded with the first request: few installations use it. */
const load = () => import('oidc-provider');

/** Required by the library; it signs nothing, as ID tokens are not issued. */
const unusedKey = () => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  use: 'sig',
  alg: 'ES256',
});

export const isLoopback = (hostname: string): boolean => /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
export const resourceOf = (origin: string): string => `${origin}/mcp`;
export const consentPath = (uid: string): string => `/oauth/consents/${uid}`;

/** Registrations whose addresses the server would read, or that show codes to the network, are refused. */
const checkedMetadata = (errors: typeof import('oidc-provider').errors): Configuration['extraClientMetadata'] => ({
  properties: ['redirect_uris', ...refusedMetadata],
  validator: (_ctx, name, value) => {
    if (name === 'redirect_uris' && [value].flat().some((address) => isPlain(String(address))))
      throw new errors.InvalidClientMetadata('redirect_uris: Use https, or http at a loopback address.');
    if (name !== 'redirect_uris' && value !== undefined) throw new errors.InvalidClientMetadata(`${name} is not supported.`);
  },
});

/** Servers by origin: a partner's portal is its own issuer. */
export function createProviders({ db, cookieKey, log }: { db: Database; cookieKey: Buffer; log: Log }) {
  const byOrigin = new Map<string, Promise<Provider>>();

  const open = async (origin: string): Promise<Provider> => {
    const { errors, interactionPolicy, Provider: Server } = await load();
    const resource = resourceOf(origin);
    const policy = interactionPolicy.base();
    // Each request is signed in for and consented to: nothing is remembered by the browser.
    policy
      .get('login')
      ?.checks.add(
        new interactionPolicy.Check('each_time', 'Sign in and consent', ({ oidc }) =>
          oidc.result?.login ? interactionPolicy.Check.NO_NEED_TO_PROMPT : interactionPolicy.Check.REQUEST_PROMPT,
        ),
      );
    const configuration: Configuration = {
      adapter: createAdapter(db, () => new errors.InvalidGrant('already used')),
      clientAuthMethods: ['none'],
      clientDefaults: {
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
      },
      enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
      cookies: {
        keys: [cookieKey.toString('base64url')],
        names: {
          session: 'assistant_session',
          interaction: 'assistant_request',
          resume: 'assistant_resume',
        },
      },
      features: {
        devInteractions: { enabled: false },
        userinfo: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        registration: { enabled: true, issueRegistrationAccessToken: false },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          useGrantedResource: () => true,
          getResourceServerInfo: (_ctx, indicator) => {
            if (indicator !== resource) throw new errors.InvalidTarget();
            return {
              scope: assistantScopes.join(' '),
              audience: resource,
              accessTokenFormat: 'opaque',
              accessTokenTTL: ttl.AccessToken,
            };
          },
        },
      },
      extraClientMetadata: checkedMetadata(errors),
      // The library's own requests would pass by core/outbound.
      fetch: () => Promise.reject(new Error('The authorization server sends no requests.')),
      findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
      interactions: { policy, url: (_ctx, { uid }) => consentPath(uid) },
      issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
      jwks: { keys: [unusedKey()] },
      loadExistingGrant: ({ oidc }) => {
        const grantId = oidc.result?.consent?.grantId;
        return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
      },
      pkce: { required: () => true },
      renderError: (ctx, { error, error_description: description = '' }) => {
        ctx.type = html;
        ctx.body = `<!doctype html><meta charset="utf-8"><title>Access was not given</title><p>Access was not given: ${escaped(error)}. ${escaped(description)}</p>`;
      },
      responseTypes: ['code'],
      rotateRefreshToken: true,
      routes: {
        authorization: '/oauth/authorize',
        jwks: '/oauth/keys',
        registration: '/oauth/register',
        revocation: '/oauth/revoke',
        token: '/oauth/token',
      },
      scopes: [...assistantScopes],
      ttl,
    };
    const provider = new Server(origin, configuration);
    provider.proxy = true;
    provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'the authorization server of assistants failed'));
    return provider;
  };

  return (origin: string): Promise<Provider> => {
    const found = byOrigin.get(origin) ?? open(origin);
    byOrigin.set(origin, found);
    return found;
  };
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
