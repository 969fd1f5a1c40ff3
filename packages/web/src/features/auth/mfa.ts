/** The second factor’s rules (spec §5): what a code must be, and what a refusal means. */
import { Problem } from '@parapet/contract/problem.ts';
import { limits, texts, tooLong, tooShort } from '../../lib/endpointDescriptors.ts';

/** Apps show codes in two groups, and people copy them so. */
export const codeOf = (typed: string): string => typed.replace(/\s/g, '');

/** undefined: it can be sent. */
export function codeFault(code: string): string | undefined {
  if (code.length < limits.mfaCodeLength) return tooShort(limits.mfaCodeLength);
  if (code.length > limits.mfaCodeLength) return tooLong(limits.mfaCodeLength);
  return /^\d+$/.test(code) ? undefined : 'The code has digits only.';
}

/** In groups of four, as it is typed; copied whole. */
export const grouped = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');

/** The server's drawing as an image: an image runs no script and loads nothing, whatever stands in it. */
export const imageOf = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/**
 * `again`: another code may be tried, and the text stands at the field. `restart`: this sign-in is over (five minutes have passed, too many
 * codes were tried, it was used) and begins anew, with the text.
 */
export function refusalOf(error: unknown): { kind: 'again' | 'restart'; text: string } {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Problem)) return { kind: 'again', text };
  const [own] = error.errors?.recoveryCode ?? error.errors?.passkey ?? [];
  if (own) return { kind: 'again', text: own };
  const isWrongCode = text === texts.wrongCodeText || error.errors?.code !== undefined || error.errors?.wrongCode !== undefined;
  if (isWrongCode) return { kind: 'again', text: texts.wrongCodeText };
  return { kind: error.status >= 500 || error.status === 429 ? 'again' : 'restart', text };
}
