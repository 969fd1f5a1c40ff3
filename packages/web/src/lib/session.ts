/**
 * The session of the signed-in user (spec §4). At start the stored token decides: the splash stays until it is checked. Tokens are renewed
 * before they expire; a sign-out or sign-in in one tab is one in all. The session only changes its state; the router and the shell act on it.
 */
import type { RoleHolder } from '@parapet/contract/access.ts';
import type { SessionUser } from '@parapet/contract/auth.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { type Call, call, onInvalidToken } from './call.ts';
import { forgetChoice, readChoice } from './choice.ts';
import { closingMemory } from './closingMemory.ts';
import { conversations } from './conversations.ts';
import { endpointDescriptors, texts } from './endpointDescriptors.ts';
import { endOwnNotifications } from './ownNotifications.ts';
import { redirects } from './redirects.ts';
import { createStore } from './store.ts';
import { claimsOf, type Tokens, tokenKey, tokens } from './tokens.ts';

export type SessionState =
  | { status: 'checking' }
  /** The server failed or was unreachable during the token check. */
  | { status: 'failed'; error: Error }
  /** `notice`: the reason of a session’s end that the user did not request. */
  | { status: 'guest'; notice?: string }
  | { status: 'signedIn'; user: SessionUser };

/** Texts of spec §4 and §8. */
export const reasons = {
  expired: 'access_token expired',
  invalid: 'Invalid access_token',
  tokenRefused: 'Failed to login with token.',
  noToken: 'No access token available',
} as const;

/** The text of a notice for the user. */
export const noticeText = (notice: string | undefined): string | undefined =>
  notice === undefined || notice === texts.signInAgainText || notice === reasons.noToken
    ? notice
    : `You have been signed out: ${notice}`;

/** Tokens are renewed after this share of their lifetime, and every half minute while that fails. */
const renewAfterShare = 0.8;
const retryMs = 30_000;
const longestTimerMs = 2_000_000_000;

interface Deps {
  call: Call;
  tokens: Tokens;
  now: () => number;
  setTimer: (work: () => void, ms: number) => () => void;
  /** Deletes what ends with the session: the selected client’s cookie (spec §4), the remembered path, the conversation. */
  forget: () => void;
  /** Ends the notifications of this browser. */
  silence: () => void;
}

export type Session = ReturnType<typeof createSession>;

export function createSession({ call, tokens, now, setTimer, forget, silence }: Deps) {
  const store = createStore<SessionState>({ status: 'checking' });
  const { get: state, set: become, subscribe } = store;
  /** Incremented by every sign-in and sign-out, so that a late response changes nothing. */
  let turn = 0;

  const end = (notice?: string) => {
    turn++;
    renewal.stop();
    tokens.clear();
    forget();
    become(notice === undefined ? { status: 'guest' } : { status: 'guest', notice });
  };

  const signedIn = (user: SessionUser) => {
    turn++;
    tokens.keep(user.accessToken);
    renewal.plan(user.accessToken);
    become({ status: 'signedIn', user });
  };

  const leave = async (notice?: string): Promise<void> => {
    if (state().status !== 'signedIn') return end(notice);
    if (notice === undefined) silence();
    const sent = call(endpointDescriptors.logout, {}, { keepalive: true }).catch(() => {});
    end(notice);
    await sent;
  };

  const renewal = createRenewal({ call, tokens, now, setTimer, onRenewed: signedIn, onEnd: end });

  const byToken = async (token: string | undefined) => {
    const mine = ++turn;
    renewal.stop();
    if (!token) return end(reasons.noToken);
    try {
      const user = await userOf(call, token);
      if (mine === turn) signedIn(user);
    } catch (error) {
      if (mine !== turn) return;
      if (isRefusal(error)) return end(reasons.tokenRefused);
      become({ status: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    }
  };

  return {
    state,
    subscribe,

    /** Checks the token at start-up, and again on Retry. */
    async start(): Promise<void> {
      if (state().status !== 'checking') become({ status: 'checking' });
      const token = tokens.stored();
      if (!token) return become({ status: 'guest' });
      return isExpired(token, now()) ? end(reasons.expired) : byToken(token);
    },

    /** Starts the session of a sign-in’s response. */
    signIn: signedIn,

    /** Starts a session with a token from elsewhere. */
    signInWithToken: byToken,

    /** Ends the session at the user’s request, also when the server is unreachable, and the notifications of this browser. */
    logout: () => leave(),

    /** Ends the session for a new sign-in; the path stays remembered. */
    signInAgain: () => leave(texts.signInAgainText),

    /** Ends the session after the server refused its token twice: 'Invalid access_token'. */
    invalidate: () => (state().status === 'signedIn' ? end(reasons.invalid) : undefined),

    /** Replaces the user’s fields. */
    updateUser(user: SessionUser) {
      if (state().status === 'signedIn') become({ status: 'signedIn', user });
    },

    /** Follows a change of the stored token in another tab; `null` after a sign-out. */
    async tokenChangedElsewhere(token: string | null): Promise<void> {
      const known = tokens.current();
      if (token === known) return;
      // An expired token was not signed out by the user there either.
      const notice = known && isExpired(known, now()) ? reasons.expired : undefined;
      if (!token) return state().status === 'guest' ? undefined : end(notice);
      if (state().status === 'signedIn' && known && claimsOf(known)?.sub === claimsOf(token)?.sub) {
        tokens.adopt(token);
        return renewal.plan(token);
      }
      become({ status: 'checking' });
      await byToken(token);
    },
  };
}

interface RenewalDeps extends Pick<Deps, 'call' | 'tokens' | 'now' | 'setTimer'> {
  onRenewed: (user: SessionUser) => void;
  onEnd: (reason: string) => void;
}

/** Renews a token before it expires, and repeats that while the server is unreachable. */
function createRenewal({ call, tokens, now, setTimer, onRenewed, onEnd }: RenewalDeps) {
  let stopTimer = () => {};
  let turn = 0;
  const stop = () => {
    turn++;
    stopTimer();
  };

  const plan = (token: string) => {
    stop();
    const claims = claimsOf(token);
    if (!claims) return;
    // A token’s lifetime does not depend on the browser’s clock, which may be wrong.
    const lifeMs = claims.issuedAt === undefined ? claims.expiresAt - now() : claims.expiresAt - claims.issuedAt;
    const receivedAt = now();
    const renewIn = Math.min(Math.max(lifeMs * renewAfterShare, 1000), longestTimerMs);
    stopTimer = setTimer(() => renew(receivedAt + lifeMs), renewIn);
  };

  const renew = async (expiresAt: number) => {
    const mine = turn;
    const token = tokens.stored() ?? tokens.current();
    if (!token) return onEnd(reasons.invalid);
    try {
      const user = await userOf(call, token);
      if (mine === turn) onRenewed(user);
    } catch (error) {
      if (mine !== turn) return;
      if (isRefusal(error)) return onEnd(reasons.expired);
      if (now() >= expiresAt) return onEnd(reasons.expired);
      stopTimer = setTimer(() => renew(expiresAt), Math.max(Math.min(retryMs, expiresAt - now()), 1000));
    }
  };

  return { plan, stop };
}

/** The user of a valid token. */
const userOf = async (call: Call, accessToken: string): Promise<SessionUser> =>
  (await call(endpointDescriptors.accessToken, { body: { accessToken } })).user;

const isExpired = (token: string, now: number): boolean => {
  const claims = claimsOf(token);
  return claims !== undefined && claims.expiresAt <= now;
};

const isRefusal = (error: unknown) => error instanceof Problem && error.status < 500 && error.status !== 429;

export const roleHolderOf = (user: SessionUser): RoleHolder => ({
  role: user.role[0] ?? '',
  isPartner: user.isPartner,
  organisationId: user.clientOrganizationID,
});

export const session = createSession({
  call,
  tokens,
  now: Date.now,
  setTimer: (work, ms) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
  forget: () => {
    forgetChoice();
    redirects.forget();
    conversations.forget();
    closingMemory.forget();
  },
  silence: () => void endOwnNotifications().catch(() => {}),
});

/** Connects the session to this browser: other tabs, refused tokens, wake-up from sleep. Called once, by main. */
export function connectSession(): void {
  readChoice();
  onInvalidToken(() => session.invalidate());
  window.addEventListener('storage', (event) => {
    if (event.key === tokenKey) session.tokenChangedElsewhere(event.newValue);
    else if (event.key === null) session.tokenChangedElsewhere(null);
  });
  // A page restored by Back has missed what other tabs did, and may have been left during its sign-in.
  window.addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    const stored = tokens.stored();
    if (stored && session.state().status === 'guest') session.start();
    else session.tokenChangedElsewhere(stored ?? null);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') return;
    const token = tokens.current();
    const claims = token ? claimsOf(token) : undefined;
    // Timers pause while a machine sleeps, and another tab may have renewed the token.
    const stored = tokens.stored();
    if (stored && stored !== token) session.tokenChangedElsewhere(stored);
    else if (claims && claims.expiresAt <= Date.now() && session.state().status === 'signedIn') session.start();
  });
}
