import { expect, test } from 'vitest';
import { safePath } from './safePath.ts';

test.each([
  ['/apps/alerts/10?severity=high', true],
  ['/', true],
  ['/logins', true],
  ['//evil.example', false],
  ['/\\evil.example', false],
  ['https://evil.example/', false],
  ['javascript:alert(1)', false],
  ['/a\tb', false],
  ['/a\u0000', false],
  ['/login', false],
  ['/LOGIN?x', false],
  ['/logout', false],
  ['/./login', false],
  ['/sso-auth?redirect_url=/apps', false],
  ['/churnzeroauth', false],
  ['/passwordReset/abc', false],
  ['/auth/microsoft/callback?token=x', false],
  ['/authors', true],
  ['/apps/%2F%2Fevil.example', true],
  ['/..//evil.example', false],
  ['/apps/..//evil.example', false],
  ['/%2e%2e//evil.example', false],
  ['/.//evil.example', false],
  [' /apps', false],
  ['/\t/evil.example', false],
  ['', false],
  [undefined, false],
  [`/${'a'.repeat(2000)}`, false],
])('safePath(%j): %s', (path, isSafe) => {
  expect(safePath(path)).toBe(isSafe ? path : undefined);
});
