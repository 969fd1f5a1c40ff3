/**
 * Single sign-on by OpenID Connect with state, nonce and PKCE. A sign-on is bound to its browser: the cookie is
 * required at the callback and at the exchange of the one-time code, so a link with a foreign code can’t sign anyone in.
 */
import type { SessionUser } from '@parapet/contract/auth.ts';
import { problem } from '@parapet/contract/problem.ts';
import { safePath } from '@parapet/contract/rules/safePath.ts';
import * as oidc from 'openid-client';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Log } from '../../core/log.ts';
import { newToken } from '../../core/secrets.ts';
import { recordOwnAudit } from '../../domain/audit.ts';
import type { AddressThrottle } from '../../domain/throttle.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { type Account, findAccount, findAccountByEmail, findAccountForUpdate, type Proof, updateProof } from './auth.store.ts';
import type { Issuers, Provider } from './issuers.ts';
import { actorOf, type Origin, type Sessions } from './sessions.ts';
import { clockSkewMs, proofOf } from './sso.proof.ts';
import {
  consumeCode,
  findIdentity,
  findProvider,
  findSessionOwner,
  insertCode,
  insertIdentity,
  insertStart,
  takeStart,
} from './sso.store.ts';

export type SingleSignOn = ReturnType<typeof createSingleSignOn>;

/** Redirect of the browser; an undefined cookie clears the stored one. */
export interface Redirect {
  location: string;
  cookie: string | undefined;
  isSecure: boolean;
}

/** Identity from the provider’s claims. */
interface Identity {
  issuer: string;
  subject: string;
  verifiedEmail: string | undefined;
}

interface StartedSignOn {
  location: string;
  cookie: string;
}

interface Site {
  organisationId: number | undefined;
  origin: string;
  /** True when served over HTTPS. */
  isSecure: boolean;
}

type Start = NonNullable<Awaited<ReturnType<typeof takeStart>>>;

/** Reason code of a failed sign-on, for the address. */
type Refusal = 'off' | 'failed' | 'refused' | 'expired' | 'unknown';

const pagePath = '/auth/microsoft/callback';
const callbackPath = '/api/v1/Auth/callback/microsoft';

export interface SingleSignOnDeps {
  db: Database;
  brand: BrandService;
  issuers: Issuers;
  /** Decrypts partners’ client secrets. */
  keys: Pick<Keys, 'open'>;
  sessions: Sessions;
  throttle: AddressThrottle;
  /** The portal's own identity provider. */
  own: Provider | undefined;
  /** Values of `acr` that stand for MFA. */
  acrValues: readonly string[];
  clock: Clock;
  log: Log;
}

/** Identity provider of a partner, or the portal’s own for null. */
async function providerOf({ db, keys, own }: SingleSignOnDeps, organisationId: number | null): Promise<Provider | undefined> {
  if (organisationId === null) return own;
  return readScoped(db, 'system', async (tx) => {
    const row = await findProvider(tx, organisationId);
    if (!row) return undefined;
    const place = { organisationId, column: 'identity_providers.client_secret', id: organisationId } as const;
    return { ...row, clientSecret: row.clientSecret ? (await keys.open(tx, place, row.clientSecret)).toString() : '' };
  });
}

async function siteOf({ brand }: Pick<SingleSignOnDeps, 'brand'>, host: string): Promise<Site> {
  const site = await brand.siteOf(host);
  return { ...site, isSecure: site.origin.startsWith('https:') };
}

/** Account of a subject. First match by verified address only where the account’s organisation allows it, never for a Host. */
async function matchAccount(tx: Tx, partnerId: number | null, identity: Identity, origin: Origin): Promise<Account | undefined> {
  // A partner’s issuer is trusted for the accounts of its own tree only.
  const isInReach = (account: Account | undefined) => account && (partnerId === null || account.partnerId === partnerId);
  const known = await findIdentity(tx, identity.issuer, identity.subject);
  if (known !== undefined) {
    const account = await findAccount(tx, known);
    return isInReach(account) ? account : undefined;
  }
  if (identity.verifiedEmail === undefined) return undefined;
  const account = await findAccountByEmail(tx, identity.verifiedEmail);
  if (!account || !isInReach(account) || !account.allowsFirstMatchByEmail || account.role === 'Host') return undefined;
  if (!(await insertIdentity(tx, identity.issuer, identity.subject, account))) return undefined;
  await recordOwnAudit(tx, actorOf(account, origin), {
    action: 'user.identityLinked',
    after: { issuer: identity.issuer, subject: identity.subject },
  });
  return account;
}

/** Starts a sign-on at the identity provider of a site; with a session id, one that re-authenticates the user. */
async function beginSignOn(
  deps: SingleSignOnDeps,
  site: Site,
  path: string,
  sessionId: string | null,
): Promise<StartedSignOn | Refusal> {
  let organisationId = site.organisationId ?? null;
  let provider = await providerOf(deps, organisationId);
  if (!provider && organisationId !== null) {
    organisationId = null;
    provider = deps.own;
  }
  if (!provider) return 'off';
  try {
    const config = await deps.issuers.find(provider);
    const [state, browser, nonce, verifier] = [newToken(), newToken(), newToken(), oidc.randomPKCECodeVerifier()];
    const location = oidc.buildAuthorizationUrl(config, {
      redirect_uri: site.origin + callbackPath,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(sessionId !== null && {
        prompt: 'login',
        max_age: '0',
        ...(deps.acrValues.length > 0 && { acr_values: deps.acrValues.join(' ') }),
      }),
    });
    await scoped(deps.db, 'system', (tx) =>
      insertStart(tx, { state, organisationId, browser, nonce, verifier, path, sessionId }),
    );
    return { location: location.href, cookie: browser };
  } catch (error) {
    deps.log.warn({ err: error, issuer: provider.issuer }, 'identity provider unreachable');
    return 'failed';
  }
}

/** Records the proof when the session’s own user re-authenticated since the step-up began; returns false otherwise. */
const finishStepUp = (
  { db }: SingleSignOnDeps,
  start: Start,
  identity: Identity,
  proof: Proof,
  origin: Origin,
): Promise<boolean> =>
  scoped(db, 'system', async (tx) => {
    const session = await findSessionOwner(tx, start.sessionId as string);
    if (!session) return false;
    const account = await matchAccount(tx, start.organisationId, identity, origin);
    const isRecent = proof.provenAt !== null && proof.provenAt.getTime() >= start.startedAt.getTime() - clockSkewMs;
    const isProven =
      account?.id === session.id && isRecent && (await updateProof(tx, start.sessionId as string, session.id, proof));
    await recordOwnAudit(tx, actorOf(session, origin), {
      action: isProven ? 'user.steppedUp' : 'user.stepUpRefused',
      after: { method: 'singleSignOn' },
    });
    return isProven;
  });

/** Exchanges the code of a callback at the identity provider for an identity and its proof. */
async function redeemCallback(
  { issuers, acrValues, clock, log }: SingleSignOnDeps,
  provider: Provider,
  { nonce, verifier }: Start,
  { url, state }: { url: URL; state: string },
): Promise<{ identity: Identity; proof: Proof } | Refusal> {
  try {
    const config = await issuers.find(provider);
    const tokens = await oidc.authorizationCodeGrant(config, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) return 'failed';
    // An absent `email_verified` is no verification.
    const verifiedEmail = claims.email_verified === true && typeof claims.email === 'string' ? claims.email : undefined;
    const identity = { issuer: claims.iss, subject: claims.sub, verifiedEmail };
    return { identity, proof: proofOf(claims, { acrValues, now: clock.now() }) };
  } catch (error) {
    log.info({ err: error, issuer: provider.issuer }, 'single sign-on refused');
    return error instanceof oidc.AuthorizationResponseError ? 'refused' : 'failed';
  }
}

/** Handles the callback: `search` is the whole query string, `state` its parsed parameter. */
const finishSignOn =
  (deps: SingleSignOnDeps) =>
  async (
    host: string,
    search: string,
    state: string | undefined,
    browserOf: (isSecure: boolean) => string | undefined,
    origin: Origin,
  ): Promise<Redirect> => {
    const site = await siteOf(deps, host);
    const redirect = (query: string, cookie?: string): Redirect => ({
      location: `${pagePath}?${query}`,
      cookie,
      isSecure: site.isSecure,
    });
    const browser = browserOf(site.isSecure);
    const start = state && browser ? await scoped(deps.db, 'system', (tx) => takeStart(tx, state, browser)) : undefined;
    // A step-up’s window reports to the page that opened it.
    const fails = (refusal: Refusal) => redirect(`${start?.sessionId ? 'step_up' : 'error'}=${refusal}`);
    if (!start || !state) return fails('expired');
    const provider = await providerOf(deps, start.organisationId);
    if (!provider) return fails('off');
    const redeemed = await redeemCallback(deps, provider, start, { url: new URL(site.origin + callbackPath + search), state });
    if (typeof redeemed === 'string') return fails(redeemed);
    const { identity, proof } = redeemed;
    if (start.sessionId)
      return (await finishStepUp(deps, start, identity, proof, origin)) ? redirect('step_up=done') : fails('unknown');
    const [code, cookie] = [newToken(), newToken()];
    const account = await scoped(deps.db, 'system', async (tx) => {
      const found = await matchAccount(tx, start.organisationId, identity, origin);
      if (found) await insertCode(tx, { code, account: found, browser: cookie, ...proof });
      return found;
    });
    if (!account) return fails('unknown');
    const path = start.path === '' ? '' : `&redirect_url=${encodeURIComponent(start.path)}`;
    return redirect(`token=${code}${path}`, cookie);
  };

export function createSingleSignOn(deps: SingleSignOnDeps) {
  const { db, sessions, throttle } = deps;

  return {
    /** True when a host is served over HTTPS and its cookie so carries the `__Host-` prefix. */
    isSecureAt: async (host: string): Promise<boolean> => (await siteOf(deps, host)).isSecure,

    /** Redirects the browser to the identity provider of its host. */
    async start(host: string, redirectUrl: string | undefined, origin: Origin): Promise<Redirect> {
      throttle('sign-on', origin.address);
      const site = await siteOf(deps, host);
      const started = await beginSignOn(deps, site, safePath(redirectUrl) ?? '', null);
      const redirect = typeof started === 'string' ? { location: `${pagePath}?error=${started}`, cookie: undefined } : started;
      return { ...redirect, isSecure: site.isSecure };
    },

    /** Starts a step-up of the actor’s session, in a window that opens `location`. */
    async startStepUp(host: string, actor: Actor): Promise<StartedSignOn & { isSecure: boolean }> {
      throttle('sign-on', actor.address);
      const site = await siteOf(deps, host);
      const started = await beginSignOn(deps, site, '', actor.sessionId);
      if (started === 'off') throw problem.conflict('Single sign-on isn’t configured for this address.');
      if (typeof started === 'string') throw problem.unavailable('Couldn’t reach the identity provider. Try again.');
      return { ...started, isSecure: site.isSecure };
    },
    finish: finishSignOn(deps),

    /** Exchanges a one-time code for a session; the browser’s cookie must match. */
    async exchange(code: string, browser: string | undefined, origin: Origin): Promise<{ user: SessionUser }> {
      const user = await scoped(db, 'system', async (tx) => {
        const used = browser === undefined ? undefined : await consumeCode(tx, code, browser);
        const account = used && (await findAccountForUpdate(tx, used.userId));
        return account && sessions.start(tx, account, origin, 'singleSignOn', used);
      });
      if (!user) throw problem.signInNeeded('This single sign-on has expired. Sign in again.');
      return { user };
    },
  };
}
