import type { SessionUser } from '@parapet/contract/auth.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Call } from './call.ts';
import { createSession, noticeText, reasons, roleHolderOf, type Session } from './session.ts';
import { createTokens, type Tokens, tokenKey } from './tokens.ts';

const start = 1_800_000_000_000;
let clock = start;
let entries: Map<string, string>;
let tokens: Tokens;
let session: Session;
let timer: { work: () => void; ms: number } | undefined;
const call = vi.fn();
const forget = vi.fn();
const silence = vi.fn();

const part = (value: unknown) => btoa(JSON.stringify(value)).replaceAll('=', '');
function tokenOf(sub: number, lifeSeconds = 3600) {
  const issued = Math.floor(clock / 1000);
  return `${part({ alg: 'HS256' })}.${part({ sub: String(sub), iat: issued, exp: issued + lifeSeconds })}.x`;
}
const userOf = (id: number, accessToken = tokenOf(id)): SessionUser => ({
  id,
  displayName: 'Avery Quinn',
  emailAddress: 'a@alder.example',
  role: ['Analyst'],
  accessToken,
  isPartner: false,
  clientOrganizationID: 10,
  clientOrganizationName: 'Alder Manufacturing',
  logoURL: '',
  profileURL: '',
  data: { settings: {}, shortcuts: [] },
  partnerOrg: null,
});
const stored = () => entries.get(tokenKey);
const refused = new Problem('signInNeeded', 'Please sign in.');
const away = new Problem('unavailable', 'Unavailable.');

beforeEach(() => {
  clock = start;
  entries = new Map();
  timer = undefined;
  call.mockReset();
  forget.mockReset();
  silence.mockReset();
  tokens = createTokens(() => ({
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
  }));
  session = createSession({
    call: call as unknown as Call,
    tokens,
    now: () => clock,
    setTimer: (work, ms) => {
      timer = { work, ms };
      return () => {
        timer = undefined;
      };
    },
    forget,
    silence,
  });
});

describe('start', () => {
  test('checks until the server responds', () => {
    expect(session.state()).toEqual({ status: 'checking' });
  });

  test('becomes a guest without a call when no token is stored', async () => {
    await session.start();
    expect(session.state()).toEqual({ status: 'guest' });
    expect(call).not.toHaveBeenCalled();
  });

  test('ends an expired session with its reason', async () => {
    entries.set(tokenKey, tokenOf(1, -5));
    await session.start();
    expect(session.state()).toEqual({ status: 'guest', notice: 'access_token expired' });
    expect(stored()).toBeUndefined();
    expect(forget).toHaveBeenCalled();
    expect(call).not.toHaveBeenCalled();
  });

  test('signs in with a valid token and renews it', async () => {
    const old = tokenOf(1);
    entries.set(tokenKey, old);
    call.mockResolvedValueOnce({ user: userOf(1, 'a.b.c') });
    await session.start();
    expect(call.mock.calls[0]).toMatchObject([{ id: 'auth.accessToken' }, { body: { accessToken: old } }]);
    expect(session.state()).toMatchObject({ status: 'signedIn', user: { id: 1 } });
    expect(stored()).toBe('a.b.c');
  });

  test('logs out on a refused token', async () => {
    entries.set(tokenKey, tokenOf(1));
    call.mockRejectedValueOnce(refused);
    await session.start();
    expect(session.state()).toEqual({ status: 'guest', notice: 'Failed to login with token.' });
    expect(stored()).toBeUndefined();
  });

  test('keeps the token on a server error and retries', async () => {
    const token = tokenOf(1);
    entries.set(tokenKey, token);
    call.mockRejectedValueOnce(away).mockResolvedValueOnce({ user: userOf(1) });
    await session.start();
    expect(session.state()).toEqual({ status: 'failed', error: away });
    expect(stored()).toBe(token);
    await session.start();
    expect(session.state().status).toBe('signedIn');
  });

  test('reports a missing token', async () => {
    await session.signInWithToken(undefined);
    expect(session.state()).toEqual({ status: 'guest', notice: 'No access token available' });
  });
});

describe('while signed in', () => {
  beforeEach(() => session.signIn(userOf(1)));

  test('renews the token before it expires', async () => {
    expect(timer?.ms).toBe(0.8 * 3600 * 1000);
    const next = tokenOf(1, 7200);
    call.mockResolvedValueOnce({ user: userOf(1, next) });
    await timer!.work();
    expect(stored()).toBe(next);
    expect(timer?.ms).toBe(0.8 * 7200 * 1000);
  });

  test('tolerates a clock that is off by hours', () => {
    const token = tokenOf(1);
    clock += 5 * 3600 * 1000;
    session.signIn(userOf(1, token));
    expect(timer?.ms).toBe(0.8 * 3600 * 1000);
  });

  test('retries a failed renewal until the token expires', async () => {
    call.mockRejectedValue(away);
    clock += 0.8 * 3600 * 1000;
    await timer!.work();
    expect(session.state().status).toBe('signedIn');
    expect(timer?.ms).toBe(30_000);
    clock = start + 3600 * 1000;
    await timer!.work();
    expect(session.state()).toEqual({ status: 'guest', notice: reasons.expired });
  });

  test('ends the session on a refused renewal', async () => {
    call.mockRejectedValueOnce(refused);
    await timer!.work();
    expect(session.state()).toEqual({ status: 'guest', notice: reasons.expired });
  });

  test('calls the server on logout and ends whatever the result', async () => {
    call.mockRejectedValueOnce(away);
    await session.logout();
    expect(call.mock.calls[0]![0]).toMatchObject({ id: 'auth.logout' });
    expect(session.state()).toEqual({ status: 'guest' });
    expect(stored()).toBeUndefined();
    expect(timer).toBeUndefined();
    expect(forget).toHaveBeenCalledTimes(1);
    expect(silence).toHaveBeenCalledTimes(1);
  });

  test('ends the session with its reason for a new sign-in', async () => {
    call.mockResolvedValueOnce({});
    await session.signInAgain();
    expect(call.mock.calls[0]![0]).toMatchObject({ id: 'auth.logout' });
    expect(session.state()).toEqual({ status: 'guest', notice: 'Please sign in again to continue' });
    expect(stored()).toBeUndefined();
  });

  test('ends the session once on Invalid access_token', () => {
    const received = vi.fn();
    session.subscribe(received);
    session.invalidate();
    session.invalidate();
    expect(silence).not.toHaveBeenCalled();
    expect(session.state()).toEqual({ status: 'guest', notice: 'Invalid access_token' });
    expect(received).toHaveBeenCalledTimes(1);
  });

  test('ignores a response after the logout', async () => {
    let answer: (value: unknown) => void = () => {};
    call.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const renewal = timer!.work();
    call.mockResolvedValueOnce({});
    await session.logout();
    answer({ user: userOf(1) });
    await renewal;
    expect(session.state()).toEqual({ status: 'guest' });
    expect(stored()).toBeUndefined();
  });
});

describe('another tab', () => {
  test('follows a sign-out', async () => {
    session.signIn(userOf(1));
    await session.tokenChangedElsewhere(null);
    expect(session.state()).toEqual({ status: 'guest' });
  });

  test('follows an expiry with its reason', async () => {
    session.signIn(userOf(1));
    clock += 3600 * 1000;
    await session.tokenChangedElsewhere(null);
    expect(session.state()).toEqual({ status: 'guest', notice: 'access_token expired' });
  });

  test('adopts a renewed token without a call', async () => {
    session.signIn(userOf(1));
    const next = tokenOf(1, 7200);
    entries.set(tokenKey, next);
    await session.tokenChangedElsewhere(next);
    expect(tokens.current()).toBe(next);
    expect(session.state().status).toBe('signedIn');
    expect(call).not.toHaveBeenCalled();
  });

  test('switches to another user who signs in', async () => {
    session.signIn(userOf(1));
    const next = tokenOf(2);
    call.mockResolvedValueOnce({ user: userOf(2, next) });
    await session.tokenChangedElsewhere(next);
    expect(session.state()).toMatchObject({ status: 'signedIn', user: { id: 2 } });
  });

  test('signs in from guest', async () => {
    await session.start();
    call.mockResolvedValueOnce({ user: userOf(1) });
    await session.tokenChangedElsewhere(tokenOf(1));
    expect(session.state().status).toBe('signedIn');
  });

  test('ignores its own token', async () => {
    session.signIn(userOf(1));
    await session.tokenChangedElsewhere(stored()!);
    expect(call).not.toHaveBeenCalled();
  });
});

test('takes the first role of the list, and none of an empty one', () => {
  expect(roleHolderOf(userOf(1))).toEqual({ role: 'Analyst', isPartner: false, organisationId: 10 });
  expect(roleHolderOf({ ...userOf(1), role: [] }).role).toBe('');
});

test('formats the notice of a session’s end', () => {
  expect(noticeText(undefined)).toBeUndefined();
  expect(noticeText(reasons.expired)).toBe('You have been signed out: access_token expired');
  expect(noticeText(reasons.noToken)).toBe('No access token available');
  expect(noticeText('Please sign in again to continue')).toBe('Please sign in again to continue');
});
