import type { SessionUser } from '@parapet/contract/auth.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Call } from './call.ts';
import { createSession, noticeText, reasons, roleHolderOf, type Session } from './session.ts';
import { createTokens, type Tokens, tokenKey } from './tokens.ts';

const start = 1_800_000_000_000;
let clock = start;
let kept: Map<string, string>;
let tokens: Tokens;
let session: Session;
let timer: { work: () => void; ms: number } | undefined;
const call = vi.fn();
const forget = vi.fn();

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
  logoURL: '',
  profileURL: '',
  data: { settings: {}, shortcuts: [] },
  partnerOrg: null,
});
const stored = () => kept.get(tokenKey);
const refused = new Problem('signInNeeded', 'Please sign in.');
const away = new Problem('unavailable', 'Away.');

beforeEach(() => {
  clock = start;
  kept = new Map();
  timer = undefined;
  call.mockReset();
  forget.mockReset();
  tokens = createTokens(() => ({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
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
  });
});

describe('start', () => {
  test('the splash stands until the check ends', () => {
    expect(session.state()).toEqual({ status: 'checking' });
  });

  test('no token: a guest, without a call', async () => {
    await session.start();
    expect(session.state()).toEqual({ status: 'guest' });
    expect(call).not.toHaveBeenCalled();
  });

  test('an expired token logs out by itself, with the reason', async () => {
    kept.set(tokenKey, tokenOf(1, -5));
    await session.start();
    expect(session.state()).toEqual({ status: 'guest', notice: 'access_token expired' });
    expect(stored()).toBeUndefined();
    expect(forget).toHaveBeenCalled();
    expect(call).not.toHaveBeenCalled();
  });

  test('a living token signs in and is renewed', async () => {
    const old = tokenOf(1);
    kept.set(tokenKey, old);
    call.mockResolvedValueOnce({ user: userOf(1, 'a.b.c') });
    await session.start();
    expect(call.mock.calls[0]).toMatchObject([{ id: 'auth.accessToken' }, { body: { accessToken: old } }]);
    expect(session.state()).toMatchObject({ status: 'signedIn', user: { id: 1 } });
    expect(stored()).toBe('a.b.c');
  });

  test('a refused token logs out', async () => {
    kept.set(tokenKey, tokenOf(1));
    call.mockRejectedValueOnce(refused);
    await session.start();
    expect(session.state()).toEqual({ status: 'guest', notice: 'Failed to login with token.' });
    expect(stored()).toBeUndefined();
  });

  test('a server error is told, the token kept, and Retry works', async () => {
    const token = tokenOf(1);
    kept.set(tokenKey, token);
    call.mockRejectedValueOnce(away).mockResolvedValueOnce({ user: userOf(1) });
    await session.start();
    expect(session.state()).toEqual({ status: 'failed', error: away });
    expect(stored()).toBe(token);
    await session.start();
    expect(session.state().status).toBe('signedIn');
  });

  test('no token where one is needed', async () => {
    await session.signInWithToken(undefined);
    expect(session.state()).toEqual({ status: 'guest', notice: 'No access token available' });
  });
});

describe('while signed in', () => {
  beforeEach(() => session.signIn(userOf(1)));

  test('the token is renewed before it expires', async () => {
    expect(timer?.ms).toBe(0.8 * 3600 * 1000);
    const next = tokenOf(1, 7200);
    call.mockResolvedValueOnce({ user: userOf(1, next) });
    await timer!.work();
    expect(stored()).toBe(next);
    expect(timer?.ms).toBe(0.8 * 7200 * 1000);
  });

  test('a clock that is wrong by hours does not matter', () => {
    const token = tokenOf(1);
    clock += 5 * 3600 * 1000;
    session.signIn(userOf(1, token));
    expect(timer?.ms).toBe(0.8 * 3600 * 1000);
  });

  test('a renewal that fails is tried again, until the token is over', async () => {
    call.mockRejectedValue(away);
    clock += 0.8 * 3600 * 1000;
    await timer!.work();
    expect(session.state().status).toBe('signedIn');
    expect(timer?.ms).toBe(30_000);
    clock = start + 3600 * 1000;
    await timer!.work();
    expect(session.state()).toEqual({ status: 'guest', notice: reasons.expired });
  });

  test('a renewal that is refused ends the session', async () => {
    call.mockRejectedValueOnce(refused);
    await timer!.work();
    expect(session.state()).toEqual({ status: 'guest', notice: reasons.expired });
  });

  test('logout tells the server and ends here, whatever that says', async () => {
    call.mockRejectedValueOnce(away);
    await session.logout();
    expect(call.mock.calls[0]![0]).toMatchObject({ id: 'auth.logout' });
    expect(session.state()).toEqual({ status: 'guest' });
    expect(stored()).toBeUndefined();
    expect(timer).toBeUndefined();
    expect(forget).toHaveBeenCalledTimes(1);
  });

  test('to sign in again ends the session with its reason', async () => {
    call.mockResolvedValueOnce({});
    await session.signInAgain();
    expect(call.mock.calls[0]![0]).toMatchObject({ id: 'auth.logout' });
    expect(session.state()).toEqual({ status: 'guest', notice: 'Please sign in again to continue' });
    expect(stored()).toBeUndefined();
  });

  test('Invalid access_token ends the session once', () => {
    const heard = vi.fn();
    session.subscribe(heard);
    session.invalidate();
    session.invalidate();
    expect(session.state()).toEqual({ status: 'guest', notice: 'Invalid access_token' });
    expect(heard).toHaveBeenCalledTimes(1);
  });

  test('an answer that comes after the logout changes nothing', async () => {
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
  test('signs out: so does this one', async () => {
    session.signIn(userOf(1));
    await session.tokenChangedElsewhere(null);
    expect(session.state()).toEqual({ status: 'guest' });
  });

  test('ends because its time was over: so was this one’s', async () => {
    session.signIn(userOf(1));
    clock += 3600 * 1000;
    await session.tokenChangedElsewhere(null);
    expect(session.state()).toEqual({ status: 'guest', notice: 'access_token expired' });
  });

  test('renews: this one takes the token over without a call', async () => {
    session.signIn(userOf(1));
    const next = tokenOf(1, 7200);
    kept.set(tokenKey, next);
    await session.tokenChangedElsewhere(next);
    expect(tokens.current()).toBe(next);
    expect(session.state().status).toBe('signedIn');
    expect(call).not.toHaveBeenCalled();
  });

  test('signs in as somebody else: this one becomes that user too', async () => {
    session.signIn(userOf(1));
    const next = tokenOf(2);
    call.mockResolvedValueOnce({ user: userOf(2, next) });
    await session.tokenChangedElsewhere(next);
    expect(session.state()).toMatchObject({ status: 'signedIn', user: { id: 2 } });
  });

  test('signs in while this one is a guest', async () => {
    await session.start();
    call.mockResolvedValueOnce({ user: userOf(1) });
    await session.tokenChangedElsewhere(tokenOf(1));
    expect(session.state().status).toBe('signedIn');
  });

  test('wrote what this one knows already', async () => {
    session.signIn(userOf(1));
    await session.tokenChangedElsewhere(stored()!);
    expect(call).not.toHaveBeenCalled();
  });
});

test('a user’s role is the first of the list, an empty list a guest’s', () => {
  expect(roleHolderOf(userOf(1))).toEqual({ role: 'Analyst', isPartner: false, organisationId: 10 });
  expect(roleHolderOf({ ...userOf(1), role: [] }).role).toBe('');
});

test('how the end of a session is told', () => {
  expect(noticeText(undefined)).toBeUndefined();
  expect(noticeText(reasons.expired)).toBe('You have been signed out: access_token expired');
  expect(noticeText(reasons.noToken)).toBe('No access token available');
  expect(noticeText('Please sign in again to continue')).toBe('Please sign in again to continue');
});
