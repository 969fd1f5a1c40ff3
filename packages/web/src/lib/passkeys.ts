/** Passkeys in the browser. The library is loaded with the first use, as most sign-ins need none. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { PasskeyAnswer, PasskeyRequest } from '@parapet/contract/secondFactor.proof.ts';
import type { NewPasskey, secondFactorApi } from '@parapet/contract/secondFactor.ts';

export const canUsePasskeys = (): boolean => typeof PublicKeyCredential === 'function';

/** True when the user closed the browser’s dialog or it timed out. */
export const isDismissed = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError');

export async function provePasskey(request: PasskeyRequest): Promise<PasskeyAnswer> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { id, rawId, type, response } = await startAuthentication({ optionsJSON: request });
  const { clientDataJSON, authenticatorData, signature } = response;
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature }, clientExtensionResults: {} };
}

export async function makePasskey(creation: AnswerOf<typeof secondFactorApi.startPasskey>): Promise<NewPasskey> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const { id, rawId, type, response } = await startRegistration({ optionsJSON: creation });
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, rawId, type, response: { clientDataJSON, attestationObject, transports }, clientExtensionResults: {} };
}
