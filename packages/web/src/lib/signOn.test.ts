import { expect, test } from 'vitest';
import { answerIn, callbackPath, signOnAddress } from './signOn.ts';

const at = (search: string, pathname: string = callbackPath) => answerIn({ pathname, search });

test('reads the return of a single sign-on', () => {
  expect(at('?token=abc')).toEqual({ token: 'abc', hasFailed: false });
  expect(at('?token=abc&redirect_url=/apps/alerts%3Fpage%3D2')).toEqual({
    token: 'abc',
    hasFailed: false,
    path: '/apps/alerts?page=2',
  });
  expect(at('?error=access_denied')).toEqual({ hasFailed: true });
  expect(at('?error=')).toEqual({ hasFailed: true });
  expect(at('')).toEqual({ hasFailed: false });
  expect(at('?token=')).toEqual({ hasFailed: false });
  expect(at(`?token=${'x'.repeat(5000)}`)).toEqual({ hasFailed: false });
});

test('leads to no other origin', () => {
  for (const path of ['//evil.example', 'https://evil.example', '/\\evil.example', '/..//evil.example', 'javascript:x'])
    expect(at(`?token=a&redirect_url=${encodeURIComponent(path)}`)).toEqual({ token: 'a', hasFailed: false });
});

test('keeps the query of other pages', () => {
  expect(at('?token=abc', '/apps/alerts')).toBeUndefined();
  expect(at('?token=abc', '/auth/microsoft/callback/more')).toBeUndefined();
  expect(at('?token=abc', '/Auth/Microsoft/Callback/')).toMatchObject({ token: 'abc' });
});

test('builds the start address', () => {
  expect(signOnAddress(undefined)).toBe('/api/v1/Auth/login/microsoft');
  expect(signOnAddress('/apps/alerts?a=b&c=d')).toBe(
    '/api/v1/Auth/login/microsoft?redirect_url=%2Fapps%2Falerts%3Fa%3Db%26c%3Dd',
  );
});
