/**
 * Single sign-on by OpenID Connect with state, nonce and PKCE (decision 4). A sign-on belongs to the browser that began it: its cookie is asked
 * for on the way back, and again when the one-time code is exchanged, so that a link with a foreign code signs nobody in.
 */
import type { SessionUser } from '@parapet/contract/auth.ts';
import { problem } from '@parapet/contract/problem.ts';
import { safePath } from '@parapet/contract/rules/safePath.ts';
import * as oidc from 'openid-client';
import { recordAudit } from '../../core/audit.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { newToken, type Seal } from '../../core/secrets.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { type Account, findAccount, findAccountByEmail, findAccountForUpdate } from './auth.store.ts';
import type { Issuers, Provider } from './issuers.ts';
import { actorOf, type Origin, type Sessions } from './sessions.ts';
import { consumeCode, findIdentity, findProvider, insertCode, insertIdentity, insertStart, takeStart } from './sso.store.ts';
import type { AddressThrottle } from './throttle.ts';

export type SingleSignOn = ReturnType<typeof createSingleSignOn>;

/** Where the browser is sent, and what it is to remember; no cookie: it is to forget. */
export interface Redirect {
  location: string;
  cookie: string | undefined;
  isSecure: boolean;
}

/** Why a sign-on ended, in one word for the address. */
type Refusal = 'off' | 'failed' | 'refused' | 'expired' | 'unknown';

const pagePath = '/auth/microsoft/callback';
const callbackPath = '/api/v1/Auth/callback/microsoft';

/** Where a partner’s client secret was sealed, as the organisations feature wrote it. */
export const aboutClientSecret = (organisationId: number) => `identity-provider ${organisationId}`;

export function createSingleSignOn({
  db,
  brand,
  issuers,
  seal,
  sessions,
  throttle,
  own,
  log,
}: {
  db: Database;
  brand: BrandService;
  issuers: Issuers;
  /** Of partners' client secrets. */
  seal: Seal;
  sessions: Sessions;
  throttle: AddressThrottle;
  /** The portal's own identity provider. */
  own: Provider | undefined;
  log: Log;
}) {
  /** A partner's own, where it has one. */
  const providerOf = async (organisationId: number | null): Promise<Provider | undefined> => {
    if (organisationId === null) return own;
    const row = await scoped(db, 'system', (tx) => findProvider(tx, organisationId), { readOnly: true });
    return (
      row && { ...row, clientSecret: row.clientSecret ? seal.open(row.clientSecret, aboutClientSecret(organisationId)) : '' }
    );
  };

  /** The account of a subject; a first match by a verified address only where the account's organisation allows it, and never a Host. */
  const matchAccount = async (
    tx: Tx,
    partnerId: number | null,
    who: { issuer: string; subject: string; verifiedEmail: string | undefined },
    origin: Origin,
  ): Promise<Account | undefined> => {
    // A partner's issuer speaks for the accounts of its own tree, for nobody else's.
    const isInReach = (account: Account | undefined) => account && (partnerId === null || account.partnerId === partnerId);
    const known = await findIdentity(tx, who.issuer, who.subject);
    if (known !== undefined) {
      const account = await findAccount(tx, known);
      return isInReach(account) ? account : undefined;
    }
    if (who.verifiedEmail === undefined) return undefined;
    const account = await findAccountByEmail(tx, who.verifiedEmail);
    if (!account || !isInReach(account) || !account.allowsFirstMatchByEmail || account.role === 'Host') return undefined;
    if (!(await insertIdentity(tx, who.issuer, who.subject, account))) return undefined;
    await recordAudit(tx, actorOf(account, origin), {
      action: 'user.identityLinked',
      organisationId: account.organisationId,
      target: String(account.id),
      after: { issuer: who.issuer, subject: who.subject },
    });
    return account;
  };

  return {
    /** Sends the browser to the identity provider of its host. */
    async start(host: string, redirectUrl: string | undefined, origin: Origin): Promise<Redirect> {
      throttle('sign-on', origin.address);
      const site = await brand.siteOf(host);
      const isSecure = site.origin.startsWith('https:');
      const fails = (refusal: Refusal): Redirect => ({ location: `${pagePath}?error=${refusal}`, cookie: undefined, isSecure });
      let organisationId = site.organisationId ?? null;
      let provider = await providerOf(organisationId);
      if (!provider && organisationId !== null) {
        organisationId = null;
        provider = own;
      }
      if (!provider) return fails('off');
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
        });
        const path = safePath(redirectUrl) ?? '';
        await scoped(db, 'system', (tx) => insertStart(tx, { state, organisationId, browser, nonce, verifier, path }));
        return { location: location.href, cookie: browser, isSecure };
      } catch (error) {
        log.warn({ err: error, issuer: provider.issuer }, 'an identity provider could not be reached');
        return fails('failed');
      }
    },

    /** The browser is back: `search` is the whole query, `state` what the contract took out of it. */
    async finish(
      host: string,
      search: string,
      state: string | undefined,
      browser: string | undefined,
      origin: Origin,
    ): Promise<Redirect> {
      const site = await brand.siteOf(host);
      const isSecure = site.origin.startsWith('https:');
      const fails = (refusal: Refusal): Redirect => ({ location: `${pagePath}?error=${refusal}`, cookie: undefined, isSecure });
      const start = state && browser ? await scoped(db, 'system', (tx) => takeStart(tx, state, browser)) : undefined;
      if (!start || !state) return fails('expired');
      const provider = await providerOf(start.organisationId);
      if (!provider) return fails('off');
      let who: { issuer: string; subject: string; verifiedEmail: string | undefined };
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
        // Silence about an address is no proof of it.
        const isVerified = claims.email_verified === true && typeof claims.email === 'string';
        who = { issuer: claims.iss, subject: claims.sub, verifiedEmail: isVerified ? (claims.email as string) : undefined };
      } catch (error) {
        log.info({ err: error, issuer: provider.issuer }, 'a single sign-on was refused');
        return fails(error instanceof oidc.AuthorizationResponseError ? 'refused' : 'failed');
      }
      const [code, cookie] = [newToken(), newToken()];
      const account = await scoped(db, 'system', async (tx) => {
        const found = await matchAccount(tx, start.organisationId, who, origin);
        if (found) await insertCode(tx, { code, account: found, browser: cookie });
        return found;
      });
      if (!account) return fails('unknown');
      const path = start.path === '' ? '' : `&redirect_url=${encodeURIComponent(start.path)}`;
      return { location: `${pagePath}?token=${code}${path}`, cookie, isSecure };
    },

    /** The one-time code of a sign-on, from the browser that it was made for. */
    async exchange(code: string, browser: string | undefined, origin: Origin): Promise<{ user: SessionUser }> {
      const user = await scoped(db, 'system', async (tx) => {
        const userId = browser === undefined ? undefined : await consumeCode(tx, code, browser);
        const account = userId === undefined ? undefined : await findAccountForUpdate(tx, userId);
        return account && sessions.start(tx, account, origin, 'singleSignOn');
      });
      if (!user) throw problem.signInNeeded('This single sign-on is not valid any more. Please sign in again.');
      return { user };
    },
  };
}
