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
import { scoped, scopedRead, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Log } from '../../core/log.ts';
import { newToken } from '../../core/secrets.ts';
import { recordAudit } from '../../domain/audit.ts';
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

type Start = NonNullable<Awaited<ReturnType<typeof takeStart>>>;

/** Reason code of a failed sign-on, for the address. */
type Refusal = 'off' | 'failed' | 'refused' | 'expired' | 'unknown';

const pagePath = '/auth/microsoft/callback';
const callbackPath = '/api/v1/Auth/callback/microsoft';

export function createSingleSignOn({
  db,
  brand,
  issuers,
  keys,
  sessions,
  throttle,
  own,
  acrValues,
  clock,
  log,
}: {
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
}) {
  /** Identity provider of a partner, or the portal’s own for null. */
  const providerOf = async (organisationId: number | null): Promise<Provider | undefined> => {
    if (organisationId === null) return own;
    return scopedRead(db, 'system', async (tx) => {
      const row = await findProvider(tx, organisationId);
      if (!row) return undefined;
      const place = { organisationId, column: 'identity_providers.client_secret', id: organisationId } as const;
      return { ...row, clientSecret: row.clientSecret ? (await keys.open(tx, place, row.clientSecret)).toString() : '' };
    });
  };

  const siteOf = async (host: string) => {
    const site = await brand.siteOf(host);
    return { ...site, isSecure: site.origin.startsWith('https:') };
  };

  /** Account of a subject. First match by verified address only where the account’s organisation allows it, never for a Host. */
  const matchAccount = async (
    tx: Tx,
    partnerId: number | null,
    identity: Identity,
    origin: Origin,
  ): Promise<Account | undefined> => {
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
    await recordAudit(tx, actorOf(account, origin), {
      action: 'user.identityLinked',
      organisationId: account.organisationId,
      target: String(account.id),
      after: { issuer: identity.issuer, subject: identity.subject },
    });
    return account;
  };

  /** Starts a sign-on at the identity provider of this host; with a session id, one that re-authenticates the user. */
  const begin = async (host: string, path: string, sessionId: string | null): Promise<StartedSignOn | Refusal> => {
    const site = await brand.siteOf(host);
    let organisationId = site.organisationId ?? null;
    let provider = await providerOf(organisationId);
    if (!provider && organisationId !== null) {
      organisationId = null;
      provider = own;
    }
    if (!provider) return 'off';
    try {
      const config = await issuers.find(provider);
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
          ...(acrValues.length > 0 && { acr_values: acrValues.join(' ') }),
        }),
      });
      await scoped(db, 'system', (tx) => insertStart(tx, { state, organisationId, browser, nonce, verifier, path, sessionId }));
      return { location: location.href, cookie: browser };
    } catch (error) {
      log.warn({ err: error, issuer: provider.issuer }, 'identity provider unreachable');
      return 'failed';
    }
  };

  /** Records the proof when the session’s own user re-authenticated since the step-up began; returns false otherwise. */
  const finishStepUp = (start: Start, identity: Identity, proof: Proof, origin: Origin): Promise<boolean> =>
    scoped(db, 'system', async (tx) => {
      const session = await findSessionOwner(tx, start.sessionId as string);
      if (!session) return false;
      const account = await matchAccount(tx, start.organisationId, identity, origin);
      const isRecent = proof.provenAt !== null && proof.provenAt.getTime() >= start.startedAt.getTime() - clockSkewMs;
      const isProven =
        account?.id === session.id && isRecent && (await updateProof(tx, start.sessionId as string, session.id, proof));
      await recordAudit(tx, actorOf(session, origin), {
        action: isProven ? 'user.steppedUp' : 'user.stepUpRefused',
        organisationId: session.organisationId,
        target: String(session.id),
        after: { method: 'singleSignOn' },
      });
      return isProven;
    });

  return {
    /** True when a host is served over HTTPS and its cookie so carries the `__Host-` prefix. */
    isSecureAt: async (host: string): Promise<boolean> => (await brand.siteOf(host)).origin.startsWith('https:'),

    /** Redirects the browser to the identity provider of its host. */
    async start(host: string, redirectUrl: string | undefined, origin: Origin): Promise<Redirect> {
      throttle('sign-on', origin.address);
      const { isSecure } = await siteOf(host);
      const started = await begin(host, safePath(redirectUrl) ?? '', null);
      if (typeof started === 'string') return { location: `${pagePath}?error=${started}`, cookie: undefined, isSecure };
      return { ...started, isSecure };
    },

    /** Starts a step-up of the actor’s session, in a window that opens `location`. */
    async startStepUp(host: string, actor: Actor): Promise<StartedSignOn & { isSecure: boolean }> {
      throttle('sign-on', actor.address);
      const { isSecure } = await siteOf(host);
      const started = await begin(host, '', actor.sessionId);
      if (started === 'off') throw problem.conflict('Single sign-on isn’t configured for this address.');
      if (typeof started === 'string') throw problem.unavailable('Couldn’t reach the identity provider. Try again.');
      return { ...started, isSecure };
    },

    /** Handles the callback: `search` is the whole query string, `state` its parsed parameter. */
    async finish(
      host: string,
      search: string,
      state: string | undefined,
      browserOf: (isSecure: boolean) => string | undefined,
      origin: Origin,
    ): Promise<Redirect> {
      const site = await siteOf(host);
      const { isSecure } = site;
      const browser = browserOf(isSecure);
      const start = state && browser ? await scoped(db, 'system', (tx) => takeStart(tx, state, browser)) : undefined;
      // A step-up’s window reports to the page that opened it.
      const outcome = start?.sessionId ? 'step_up' : 'error';
      const fails = (refusal: Refusal): Redirect => ({
        location: `${pagePath}?${outcome}=${refusal}`,
        cookie: undefined,
        isSecure,
      });
      if (!start || !state) return fails('expired');
      const provider = await providerOf(start.organisationId);
      if (!provider) return fails('off');
      let identity: Identity;
      let proof: Proof;
      try {
        const config = await issuers.find(provider);
        const tokens = await oidc.authorizationCodeGrant(config, new URL(site.origin + callbackPath + search), {
          expectedState: state,
          expectedNonce: start.nonce,
          pkceCodeVerifier: start.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) return fails('failed');
        // An absent `email_verified` is no verification.
        const isVerified = claims.email_verified === true && typeof claims.email === 'string';
        identity = { issuer: claims.iss, subject: claims.sub, verifiedEmail: isVerified ? (claims.email as string) : undefined };
        proof = proofOf(claims, { acrValues, now: clock.now() });
      } catch (error) {
        log.info({ err: error, issuer: provider.issuer }, 'single sign-on refused');
        return fails(error instanceof oidc.AuthorizationResponseError ? 'refused' : 'failed');
      }
      if (start.sessionId) {
        const isProven = await finishStepUp(start, identity, proof, origin);
        return isProven ? { location: `${pagePath}?step_up=done`, cookie: undefined, isSecure } : fails('unknown');
      }
      const [code, cookie] = [newToken(), newToken()];
      const account = await scoped(db, 'system', async (tx) => {
        const found = await matchAccount(tx, start.organisationId, identity, origin);
        if (found) await insertCode(tx, { code, account: found, browser: cookie, ...proof });
        return found;
      });
      if (!account) return fails('unknown');
      const path = start.path === '' ? '' : `&redirect_url=${encodeURIComponent(start.path)}`;
      return { location: `${pagePath}?token=${code}${path}`, cookie, isSecure };
    },

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
