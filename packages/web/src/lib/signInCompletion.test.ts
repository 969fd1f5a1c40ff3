import type { SessionUser } from '@parapet/contract/auth.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Call } from './call.ts';
import { createSignInCompletion, outsideAddress } from './signInCompletion.ts';

const user = { id: 7, accessToken: 'a.b.c' } as SessionUser;
const call = vi.fn();
const means = {
  call: call as unknown as Call,
  hasCustomerSuccess: () => true,
  redirects: { peek: () => '/apps/alerts?page=2' as string | undefined, forget: vi.fn() },
  keep: vi.fn(),
  signIn: vi.fn(),
  leave: vi.fn(),
};
beforeEach(() => {
  vi.resetAllMocks();
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});

test('without customer success a sign-in begins the session and asks nobody', async () => {
  const { enter } = createSignInCompletion({ ...means, hasCustomerSuccess: () => false });
  expect(await enter(user)).toBe(false);
  expect(means.signIn).toHaveBeenCalledWith(user);
  expect(call).not.toHaveBeenCalled();
});

test('with it the browser goes there first, with the remembered path, and finds the token when it comes back', async () => {
  call.mockResolvedValueOnce({ url: 'https://tool.example/go?contactID=7' });
  expect(await createSignInCompletion(means).enter(user)).toBe(true);
  expect(call.mock.calls[0]).toMatchObject([
    { id: 'auth.customerSuccess' },
    { query: { link: '/apps/alerts?page=2' } },
    { headers: { Authorization: 'Bearer a.b.c' } },
  ]);
  expect(means.keep).toHaveBeenCalledWith('a.b.c');
  expect(means.leave).toHaveBeenCalledWith('https://tool.example/go?contactID=7');
  expect(means.signIn).not.toHaveBeenCalled();
  expect(means.redirects.forget).toHaveBeenCalled();
});

test('nothing remembered: it comes back to the dashboard', async () => {
  call.mockResolvedValueOnce({ url: 'https://tool.example/' });
  await createSignInCompletion({ ...means, redirects: { ...means.redirects, peek: () => undefined } }).enter(user);
  expect(call.mock.calls[0]![1]).toEqual({ query: { link: '/apps/dashboard' } });
});

test('a tool that is away keeps nobody out', async () => {
  call.mockRejectedValueOnce(new Error('away'));
  expect(await createSignInCompletion(means).enter(user)).toBe(false);
  expect(means.signIn).toHaveBeenCalledWith(user);
  expect(means.leave).not.toHaveBeenCalled();
});

test.each([
  ['https://tool.example/a?b=c', true],
  ['http://tool.example/', false],
  ['javascript:alert(1)', false],
  [' https://tool.example/', false],
  ['//tool.example', false],
  ['https://', false],
  ['/apps/dashboard', false],
  [undefined, false],
])('%j is gone to: %s', async (url, isGoneTo) => {
  expect(outsideAddress(url)).toBe(isGoneTo ? url : undefined);
  call.mockResolvedValueOnce({ url });
  expect(await createSignInCompletion(means).enter(user)).toBe(isGoneTo);
});
