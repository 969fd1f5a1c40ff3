/** MFA rules (spec §5): format of codes, and handling of rejected ones. */
import { Problem } from '@parapet/contract/problem.ts';
import { limits, texts, tooLong, tooShort } from '../../lib/endpointDescriptors.ts';
import { isDismissed } from '../../lib/passkeys.ts';

/** Removes the spaces with which apps group codes. */
export const codeOf = (typed: string): string => typed.replace(/\s/g, '');

/** Validation error of a code, or undefined. */
export function codeError(code: string): string | undefined {
  if (code.length < limits.mfaCodeLength) return tooShort(limits.mfaCodeLength);
  if (code.length > limits.mfaCodeLength) return tooLong(limits.mfaCodeLength);
  return /^\d+$/.test(code) ? undefined : 'The code has digits only.';
}

/** Groups a secret by four characters for reading. */
export const grouped = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');

/** Data URL of the server's SVG: in an `img`, it can neither run scripts nor load anything. */
export const imageOf = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/**
 * Classifies a rejected code. `again`: retry with another code, error at the field. `restart`: the sign-in has ended (five minutes
 * passed, too many attempts, already used) and starts again.
 */
export function refusalOf(error: unknown): { kind: 'again' | 'restart'; text: string } {
  if (isDismissed(error)) return { kind: 'again', text: 'The passkey was not used. Try again, or choose another method.' };
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Problem)) return { kind: 'again', text };
  const [own] = error.errors?.recoveryCode ?? error.errors?.passkey ?? [];
  if (own) return { kind: 'again', text: own };
  const isWrongCode = text === texts.wrongCodeText || error.errors?.code !== undefined || error.errors?.wrongCode !== undefined;
  if (isWrongCode) return { kind: 'again', text: texts.wrongCodeText };
  return { kind: error.status >= 500 || error.status === 429 ? 'again' : 'restart', text };
}
