import { authApi, emailMinLength, loginPasswordMinLength } from '@parapet/contract/auth.ts';
import { brandApi } from '@parapet/contract/brand.ts';
import { expect, test } from 'vitest';
import * as doors from './doors.ts';

const contract = {
  authenticate: authApi.authenticate,
  accessToken: authApi.accessToken,
  logout: authApi.logout,
  brand: brandApi.get,
};

test.each(Object.entries(doors.doors))('%s is the contract’s', (name, door) => {
  const { id, method, path, prefix, allow, answers, upload } = contract[name as keyof typeof contract];
  expect(door).toEqual({ id, method, path, prefix, allow, answers, upload });
});

test('the limits are the contract’s', () => {
  expect(doors.emailMinLength).toBe(emailMinLength);
  expect(doors.loginPasswordMinLength).toBe(loginPasswordMinLength);
});
