/** MFA proofs at sign-in and step-up: one of three methods, each with its own field. */
import { z } from 'zod';

export const mfaCodeLength = 6;

export const base64Url = (max: number) =>
  z
    .string()
    .regex(/^[\w-]+$/, 'This must be base64url.')
    .max(max);

/** Length as in spec §5. */
export const codeOfApp = z
  .string()
  .min(mfaCodeLength, `Min character length is ${mfaCodeLength}`)
  .max(mfaCodeLength, `Max character length is ${mfaCodeLength}`);

/** Options of `navigator.credentials.get`, as JSON. */
export const passkeyRequest = z.object({
  rpId: z.string().max(253).describe('Host of the passkeys (RP ID).'),
  challenge: base64Url(100).describe('Challenge to sign; single use, valid for five minutes.'),
  allowCredentials: z
    .array(
      z.object({
        id: base64Url(1400).describe('Credential ID.'),
        type: z.literal('public-key').describe('Always public-key.'),
        transports: z
          .array(z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']))
          .max(10)
          .describe('Transports of the authenticator.'),
      }),
    )
    .max(20)
    .describe('The account’s passkeys on that host.'),
  timeout: z.number().int().describe('Timeout in milliseconds.'),
  userVerification: z.literal('preferred').describe('User verification by PIN or biometrics, if available.'),
});
export type PasskeyRequest = z.infer<typeof passkeyRequest>;

/** Result of `navigator.credentials.get`, as JSON. */
export const passkeyAnswer = z.object({
  id: base64Url(1400).describe('Credential ID.'),
  rawId: base64Url(1400).describe('Raw credential ID.'),
  type: z.literal('public-key').describe('Always public-key.'),
  response: z
    .object({
      clientDataJSON: base64Url(4000).describe('Client data as signed by the browser.'),
      authenticatorData: base64Url(4000).describe('Authenticator data: host, presence and counter.'),
      signature: base64Url(2000).describe('Signature over both.'),
    })
    .describe('Response of the authenticator.'),
  clientExtensionResults: z.object({}).default({}).describe('Ignored.'),
});
export type PasskeyAnswer = z.infer<typeof passkeyAnswer>;

/** Fields of a proof, to spread into a body; exactly one is sent. */
export const proofFields = {
  code: codeOfApp.optional().describe('Six digits of the authenticator app.'),
  recoveryCode: z.string().min(1).max(50).optional().describe('A recovery code; it works once.'),
  passkey: passkeyAnswer.optional().describe('Passkey response to the challenge.'),
};
export type SecondFactorProof = { code: string } | { recoveryCode: string } | { passkey: PasskeyAnswer };

interface ProofFields {
  code?: string | undefined;
  recoveryCode?: string | undefined;
  passkey?: PasskeyAnswer | undefined;
}
/** The single proof of a body; undefined for none or several. */
export function proofOf({ code, recoveryCode, passkey }: ProofFields): SecondFactorProof | undefined {
  const proofs: SecondFactorProof[] = [
    ...(code === undefined ? [] : [{ code }]),
    ...(recoveryCode === undefined ? [] : [{ recoveryCode }]),
    ...(passkey === undefined ? [] : [{ passkey }]),
  ];
  return proofs.length === 1 ? proofs[0] : undefined;
}
export const oneProofText = 'Send one of code, recoveryCode and passkey.';
