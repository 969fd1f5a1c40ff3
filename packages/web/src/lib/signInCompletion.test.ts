import type { SessionUser } from '@parapet/contract/auth.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Call } from './call.ts';
import { createSignInCompletion, outsideAddress } from './signInCompletion.ts';

const user = { id: 7, accessToken: 'a.b.c' } as SessionUser;
const call = vi.fn();
const deps = {
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

test('starts the session without customer success', async () => {
  const { enter } = createSignInCompletion({ ...deps, hasCustomerSuccess: () => false });
  expect(await enter(user)).toBe(false);
  expect(deps.signIn).toHaveBeenCalledWith(user);
  expect(call).not.toHaveBeenCalled();
});

test('leaves for customer success with the remembered path and stores the token', async () => {
  call.mockResolvedValueOnce({ url: 'https://tool.example/go?contactID=7' });
  expect(await createSignInCompletion(deps).enter(user)).toBe(true);
  expect(call.mock.calls[0]).toMatchObject([
    { id: 'auth.customerSuccess' },
    { query: { link: '/apps/alerts?page=2' } },
    { headers: { Authorization: 'Bearer a.b.c' } },
  ]);
  expect(deps.keep).toHaveBeenCalledWith('a.b.c');
  expect(deps.leave).toHaveBeenCalledWith('https://tool.example/go?contactID=7');
  expect(deps.signIn).not.toHaveBeenCalled();
  expect(deps.redirects.forget).toHaveBeenCalled();
});

test('returns to the dashboard without a remembered path', async () => {
  call.mockResolvedValueOnce({ url: 'https://tool.example/' });
  await createSignInCompletion({ ...deps, redirects: { ...deps.redirects, peek: () => undefined } }).enter(user);
  expect(call.mock.calls[0]![1]).toEqual({ query: { link: '/apps/dashboard' } });
});

test('signs in when the tool is unreachable', async () => {
  call.mockRejectedValueOnce(new Error('away'));
  expect(await createSignInCompletion(deps).enter(user)).toBe(false);
  expect(deps.signIn).toHaveBeenCalledWith(user);
  expect(deps.leave).not.toHaveBeenCalled();
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
])('follows %j: %s', async (url, isGoneTo) => {
  expect(outsideAddress(url)).toBe(isGoneTo ? url : undefined);
  call.mockResolvedValueOnce({ url });
  expect(await createSignInCompletion(deps).enter(user)).toBe(isGoneTo);
});
