/**
 * Proof of identity from an identity provider’s claims. Without `auth_time` no proof is recent; MFA needs a method in `amr`
 * (RFC 8176) or a configured `acr`. Text messages and calls (`sms`, `tel`) count only together with `mfa`.
 */
import type { Proof } from './auth.store.ts';

const secondFactorMethods: readonly unknown[] = ['mfa', 'ngcmfa', 'otp', 'hwk', 'swk', 'sc', 'pop', 'fido'];
/** Tolerated clock skew of a provider, in milliseconds. */
export const clockSkewMs = 60_000;

export interface AuthenticationClaims {
  auth_time?: unknown;
  amr?: unknown;
  acr?: unknown;
}

export function proofOf(
  { auth_time: time, amr, acr }: AuthenticationClaims,
  { acrValues, now }: { acrValues: readonly string[]; now: number },
): Proof {
  const at = typeof time === 'number' ? time * 1000 : Number.NaN;
  if (!(at > 0 && at <= now + clockSkewMs)) return { provenAt: null, secondFactorAt: null };
  const provenAt = new Date(Math.min(at, now));
  const isSecondFactor =
    (Array.isArray(amr) && amr.some((method) => secondFactorMethods.includes(method))) ||
    (typeof acr === 'string' && acrValues.includes(acr));
  return { provenAt, secondFactorAt: isSecondFactor ? provenAt : null };
}
