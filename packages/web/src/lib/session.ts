/**
 * Who is signed in (spec §4). At start the stored token decides: the splash stays until it is checked. Tokens are renewed before they
 * expire; a sign-out or sign-in in one tab is one in all. The session only says what happened; the router and the shell act on it.
 */
import type { RoleHolder } from '@parapet/contract/access.ts';
import type { SessionUser } from '@parapet/contract/auth.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { type Call, call, onInvalidToken } from './call.ts';
import { forgetChoice, readChoice } from './choice.ts';
import { conversations } from './conversations.ts';
import { endpointDescriptors, texts } from './endpointDescriptors.ts';
import { redirects } from './redirects.ts';
import { claimsOf, type Tokens, tokenKey, tokens } from './tokens.ts';

export type SessionState =
  | { status: 'checking' }
  /** The check could not be made: the server failed or was out of reach. */
  | { status: 'failed'; error: Error }
  /** `notice`: why there is no session any more, where the user did not ask for it. */
  | { status: 'guest'; notice?: string }
  | { status: 'signedIn'; user: SessionUser };

/** Texts of spec §4 and §8. */
export const reasons = {
  expired: 'access_token expired',
  invalid: 'Invalid access_token',
  tokenRefused: 'Failed to login with token.',
  noToken: 'No access token available',
} as const;

/** Why there is no session any more, as it is told. */
export const noticeText = (notice: string | undefined): string | undefined =>
  notice === undefined || notice === texts.signInAgainText || notice === reasons.noToken
    ? notice
    : `You have been signed out: ${notice}`;

/** Tokens are renewed when this part of their life is over, and tried again every half minute while that fails. */
const renewAfterShare = 0.8;
const retryMs = 30_000;
const longestTimerMs = 2_000_000_000;

interface Deps {
  call: Call;
  tokens: Tokens;
  now: () => number;
  setTimer: (work: () => void, ms: number) => () => void;
  /** What else goes with the session: the selected client's cookie (spec §4), the remembered path, the conversation. */
  forget: () => void;
}

export type Session = ReturnType<typeof createSession>;

export function createSession({ call, tokens, now, setTimer, forget }: Deps) {
  let state: SessionState = { status: 'checking' };
  let stopTimer = () => {};
  /** Raised by every sign-in and sign-out, so that an answer that comes late changes nothing. */
  let turn = 0;
  const listeners = new Set<() => void>();

  const become = (next: SessionState) => {
    state = next;
    for (const listener of listeners) listener();
  };

  const end = (notice?: string) => {
    turn++;
    stopTimer();
    tokens.clear();
    forget();
    become(notice === undefined ? { status: 'guest' } : { status: 'guest', notice });
  };

  const plan = (token: string) => {
    stopTimer();
    const claims = claimsOf(token);
    if (!claims) return;
    // The browser's clock may be wrong; how long a token lives does not depend on it.
    const lifeMs = claims.issuedAt === undefined ? claims.expiresAt - now() : claims.expiresAt - claims.issuedAt;
    const receivedAt = now();
    const renewIn = Math.min(Math.max(lifeMs * renewAfterShare, 1000), longestTimerMs);
    stopTimer = setTimer(() => renew(receivedAt + lifeMs), renewIn);
  };

  const renew = async (expiresAt: number) => {
    const mine = turn;
    const token = tokens.stored() ?? tokens.current();
    if (!token) return end(reasons.invalid);
    try {
      const { user } = await call(endpointDescriptors.accessToken, { body: { accessToken: token } });
      if (mine === turn) signedIn(user);
    } catch (error) {
      if (mine !== turn) return;
      if (isRefusal(error)) return end(reasons.expired);
      if (now() >= expiresAt) return end(reasons.expired);
      stopTimer = setTimer(() => renew(expiresAt), Math.max(Math.min(retryMs, expiresAt - now()), 1000));
    }
  };

  const signedIn = (user: SessionUser) => {
    turn++;
    tokens.keep(user.accessToken);
    plan(user.accessToken);
    become({ status: 'signedIn', user });
  };

  const leave = async (notice?: string): Promise<void> => {
    if (state.status !== 'signedIn') return end(notice);
    const telling = call(endpointDescriptors.logout, {}, { keepalive: true }).catch(() => {});
    end(notice);
    await telling;
  };

  const byToken = async (token: string | undefined) => {
    turn++;
    const mine = turn;
    if (!token) return end(reasons.noToken);
    try {
      const { user } = await call(endpointDescriptors.accessToken, { body: { accessToken: token } });
      if (mine === turn) signedIn(user);
    } catch (error) {
      if (mine !== turn) return;
      if (isRefusal(error)) return end(reasons.tokenRefused);
      become({ status: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    }
  };

  return {
    state: () => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** The token check at start-up; again after Retry. */
    async start(): Promise<void> {
      if (state.status !== 'checking') become({ status: 'checking' });
      const token = tokens.stored();
      if (!token) return become({ status: 'guest' });
      const claims = claimsOf(token);
      if (claims && claims.expiresAt <= now()) return end(reasons.expired);
      await byToken(token);
    },

    /** With the user that a sign-in answered. */
    signIn: signedIn,

    /** With a token that came from elsewhere. */
    signInWithToken: byToken,

    /** What the user asked for. The session ends here even when the server cannot be told. */
    logout: () => leave(),

    /** To prove anew who one is: the path stays remembered. */
    signInAgain: () => leave(texts.signInAgainText),

    /** 'Invalid access_token': the server refused the token, and so did the second try. */
    invalidate() {
      if (state.status === 'signedIn') end(reasons.invalid);
    },

    /** The server gave the user's own fields anew. */
    updateUser(user: SessionUser) {
      if (state.status === 'signedIn') become({ status: 'signedIn', user });
    },

    /** The stored token changed in another tab. `null`: it was signed out. */
    async tokenChangedElsewhere(token: string | null): Promise<void> {
      if (token === tokens.current()) return;
      const known = tokens.current();
      if (!token) {
        if (state.status === 'guest') return;
        // Nobody asked for it there either, when its time was over.
        const expiresAt = known === undefined ? undefined : claimsOf(known)?.expiresAt;
        return end(expiresAt !== undefined && expiresAt <= now() ? reasons.expired : undefined);
      }
      const isSameUser = known !== undefined && claimsOf(known)?.sub === claimsOf(token)?.sub;
      if (state.status === 'signedIn' && isSameUser) {
        tokens.adopt(token);
        plan(token);
        return;
      }
      become({ status: 'checking' });
      await byToken(token);
    },
  };
}

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
  },
});

/** Ties the session to this browser: other tabs, refused tokens, a laptop that woke up. Called once, by main. */
export function connectSession(): void {
  readChoice();
  onInvalidToken(() => session.invalidate());
  window.addEventListener('storage', (event) => {
    if (event.key === tokenKey) session.tokenChangedElsewhere(event.newValue);
    else if (event.key === null) session.tokenChangedElsewhere(null);
  });
  // A page that Back brings to life again has slept through what other tabs did, and may have left for good while it signed in.
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
    // Timers stand still while a machine sleeps. Another tab may have renewed the token meanwhile.
    const stored = tokens.stored();
    if (stored && stored !== token) session.tokenChangedElsewhere(stored);
    else if (claims && claims.expiresAt <= Date.now() && session.state().status === 'signedIn') session.start();
  });
}
