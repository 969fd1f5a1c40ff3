/**
 * Consent at Microsoft in two steps. First the administrator signs in (authorization code with PKCE, state and nonce); the ID token names the tenant and
 * the administrator's roles. Then the tenant grants the application its permissions. The response to the grant is no proof of anything: it is a query that
 * every browser can write. Source: learn.microsoft.com, "Admin consent on the Microsoft identity platform", "OpenID Connect on the Microsoft identity
 * platform", "ID token claims reference" (`tid`), "Access token claims reference" (`wids`).
 */
import type { Http, VendorApplication } from '@parapet/connectors/connector.ts';
import { VendorError } from '@parapet/connectors/errors.ts';
import { requestJson } from '@parapet/connectors/requests.ts';
import { objectOf, originOf, textOf } from '@parapet/connectors/values.ts';
import { tenantPattern } from '@parapet/contract/connectionInvites.ts';
import { createRemoteJWKSet, type JWTPayload, jwtVerify, customFetch as keysFetch } from 'jose';
import * as oidc from 'openid-client';
import type { Clock } from '../../core/clock.ts';

/** Tenants of work and school accounts; a personal account has none. */
const anyTenant = 'organizations';
/** Roles that can consent to application permissions of Microsoft Graph: Global Administrator and Privileged Role Administrator, by template ID. */
const consentingRoles = ['62e90394-69f5-4237-9190-012177145e10', 'e8611ab8-c189-46e8-94e1-60213ab1f814'];
const vendor = 'Microsoft';
const timeoutSeconds = 10;
const cacheMs = 60 * 60_000;
const maxCached = 100;
const clockToleranceSeconds = 60;

/** Outcome of a sign-in that isn't one of an administrator. */
export class NotAdministrator extends Error {}

export interface Administrator {
  /** Directory (tenant) ID. */
  tenant: string;
  /** Sign-in name, for people to read. */
  person: string;
}

/** The application with where its sign-ins return to. */
export interface Registration extends VendorApplication {
  redirectUri: string;
}

export type Microsoft = ReturnType<typeof createMicrosoft>;

/** Metadata of sign-ins, cached for an hour. */
function createDiscovery(http: Http, clock: Clock) {
  const cache = new Map<string, { until: number; config: Promise<oidc.Configuration> }>();

  const discover = (login: string, clientId: string, authority: string): Promise<oidc.Configuration> => {
    const origin = originOf(login);
    // The issuer of `organizations` is a template, so the document is named in full and the issuer compared after the sign-in.
    const address = new URL(`${origin}/${authority}/v2.0/.well-known/openid-configuration`);
    return oidc.discovery(address, clientId, undefined, oidc.None(), {
      [oidc.customFetch]: http as oidc.CustomFetch,
      timeout: timeoutSeconds,
      // `core/outbound` refuses plain HTTP but for origins that the operator lists.
      execute: origin.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
    });
  };

  return ({ login, clientId }: VendorApplication, tenant: string | null): Promise<oidc.Configuration> => {
    const authority = tenant ?? anyTenant;
    const key = JSON.stringify([login, clientId, authority]);
    const cached = cache.get(key);
    if (cached && cached.until > clock.now()) return cached.config;
    const config = discover(login, clientId, authority);
    cache.delete(key);
    cache.set(key, { until: clock.now() + cacheMs, config });
    if (cache.size > maxCached) cache.delete(cache.keys().next().value as string);
    // A failed discovery is not cached.
    config.catch(() => cache.get(key)?.config === config && cache.delete(key));
    return config;
  };
}

/** Redeems the code of a sign-in for its ID token, not verified yet. */
async function exchange(
  http: Http,
  endpoint: string,
  { clientId, secret, redirectUri }: Registration,
  { code, verifier }: { code: string; verifier: string },
): Promise<string> {
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: secret,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  };
  const { body } = await requestJson(http, vendor, endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  const token = textOf(objectOf(body)?.id_token);
  if (token === undefined) throw new VendorError(`${vendor} returned no ID token.`);
  return token;
}

export function createMicrosoft({ http, clock }: { http: Http; clock: Clock }) {
  const find = createDiscovery(http, clock);
  return {
    /** Address of the sign-in. @param tenant the only one that may sign in; null: any */
    async signIn(
      registration: Registration,
      tenant: string | null,
      { state, nonce }: { state: string; nonce: string },
    ): Promise<{ url: string; verifier: string }> {
      const config = await find(registration, tenant);
      const verifier = oidc.randomPKCECodeVerifier();
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: registration.redirectUri,
        scope: 'openid profile',
        response_type: 'code',
        response_mode: 'query',
        prompt: 'select_account',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, verifier };
    },

    /** Exchanges the code of a sign-in. Throws `NotAdministrator`; any other error for a token that isn't Microsoft's, ours, and of this sign-in. */
    async administratorOf(
      registration: Registration,
      tenant: string | null,
      { code, nonce, verifier }: { code: string; nonce: string; verifier: string },
    ): Promise<Administrator> {
      const { issuer, token_endpoint, jwks_uri } = (await find(registration, tenant)).serverMetadata();
      if (!token_endpoint || !jwks_uri) throw new VendorError(`${vendor} publishes no token endpoint.`);
      const token = await exchange(http, token_endpoint, registration, { code, verifier });
      const keys = createRemoteJWKSet(new URL(jwks_uri), {
        [keysFetch]: http as never,
        timeoutDuration: timeoutSeconds * 1_000,
      });
      const { payload } = await jwtVerify(token, keys, {
        audience: registration.clientId,
        algorithms: ['RS256'],
        requiredClaims: ['iss', 'exp', 'iat', 'nonce', 'tid'],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(clock.now()),
      });
      return administratorIn(payload, issuer, nonce);
    },

    /** Address at which the tenant's administrator grants what the application's registration lists. */
    grantUrl(registration: Registration, tenant: string, scope: string, state: string): string {
      const url = new URL(`${originOf(registration.login)}/${tenant}/v2.0/adminconsent`);
      url.search = new URLSearchParams({
        client_id: registration.clientId,
        scope,
        redirect_uri: registration.redirectUri,
        state,
      }).toString();
      return url.href;
    },
  };
}

/** @param issuer of the metadata, with `{tenantid}` in place of the tenant where any may sign in */
function administratorIn(claims: JWTPayload, issuer: string, nonce: string): Administrator {
  const tenant = typeof claims.tid === 'string' ? claims.tid.toLowerCase() : '';
  if (!tenantPattern.test(tenant)) throw new VendorError(`${vendor} returned no tenant.`);
  if (claims.iss !== issuer.replace('{tenantid}', tenant)) throw new VendorError('The ID token is of another issuer.');
  if (claims.nonce !== nonce) throw new VendorError('The ID token is of another sign-in.');
  const { wids } = claims;
  if (!Array.isArray(wids) || !consentingRoles.some((role) => wids.includes(role))) throw new NotAdministrator();
  return { tenant, person: textOf(claims.preferred_username) ?? textOf(claims.name) ?? textOf(claims.oid) ?? tenant };
}
