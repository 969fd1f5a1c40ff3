import { expect, test } from 'vitest';
import { proofOf } from './sso.proof.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const at = now / 1000 - 60;
const proof = (claims: object) => proofOf(claims, { acrValues: ['urn:bank:2fa'], now });

test('returns no proof without a time of authentication', () => {
  for (const claims of [
    {},
    { amr: ['mfa'] },
    { auth_time: 'now', amr: ['mfa'] },
    { auth_time: 0 },
    { auth_time: now / 1000 + 120 },
  ])
    expect(proof(claims)).toEqual({ provenAt: null, secondFactorAt: null });
});

test('uses the provider’s time, capped at the present', () => {
  expect(proof({ auth_time: at })).toEqual({ provenAt: new Date(at * 1000), secondFactorAt: null });
  expect(proof({ auth_time: now / 1000 + 30 }).provenAt).toEqual(new Date(now));
});

test.each([
  [{ amr: ['pwd'] }, false],
  [{ amr: 'mfa' }, false],
  [{ amr: ['pwd', 'sms'] }, false],
  [{ amr: ['pwd', 'sms', 'mfa'] }, true],
  [{ amr: ['pwd', 'otp'] }, true],
  [{ amr: ['hwk'] }, true],
  [{ acr: '1' }, false],
  [{ acr: 'urn:bank:2fa' }, true],
])('treats %j as MFA: %s', (claims, isSecondFactor) => {
  expect(proof({ auth_time: at, ...claims }).secondFactorAt !== null).toBe(isSecondFactor);
});
