import { expect, test, vi } from 'vitest';
import { claimsOf, createTokens } from './tokens.ts';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (claims: unknown) => `${part({ alg: 'HS256' })}.${part(claims)}.signature`;

test('reads the claims', () => {
  expect(claimsOf(token({ sub: 7, iat: 100, exp: 200, name: 'Zoë ✓' }))).toEqual({
    sub: '7',
    issuedAt: 100_000,
    expiresAt: 200_000,
  });
  expect(claimsOf(token({ exp: 200 }))).toEqual({ sub: undefined, issuedAt: undefined, expiresAt: 200_000 });
});

test.each(['', 'a.b.c', 'nonsense', token({ sub: 1 }), token({ exp: 'soon' }), token(null)])(
  'returns no claims for %j',
  (text) => {
    expect(claimsOf(text)).toBeUndefined();
  },
);

test('keeps the token in this tab without storage', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const tokens = createTokens(() => {
    throw new Error('denied');
  });
  tokens.keep('one');
  expect(tokens.current()).toBe('one');
  expect(tokens.stored()).toBeUndefined();
  tokens.clear();
  expect(tokens.current()).toBeUndefined();
  warn.mockRestore();
});
