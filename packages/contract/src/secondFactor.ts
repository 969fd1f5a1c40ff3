/** One's own second factor: the authenticator app, and recovery codes and passkeys beside it. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id, instant, line, name } from './primitives.ts';
import { base64Url, codeOfApp, passkeyRequest } from './secondFactor.proof.ts';

export const recoveryCodesOfASet = 10;
export const maxPasskeys = 20;

const host = z.string().max(253);

export const passkey = z.object({
  id: id.describe('Names the passkey.'),
  name: name.describe('As its owner calls it.'),
  host: host.describe('The host that it belongs to (RP ID): it works there and nowhere else.'),
  createdAt: instant.describe('When it was added.'),
  lastUsedAt: instant.nullable().describe('When it was last used; null before.'),
});

/** Options of `navigator.credentials.create`, as JSON. */
const passkeyCreation = z.object({
  rp: z
    .object({ id: host.describe('The host that the passkey will belong to.'), name: line.describe('The brand’s name.') })
    .describe('Whom the passkey is for.'),
  user: z
    .object({
      id: base64Url(100).describe('Names the account to the authenticator.'),
      name: line.describe('The account’s address.'),
      displayName: line.describe('The person’s name.'),
    })
    .describe('Whose it is.'),
  challenge: base64Url(100).describe('To be signed; single use, five minutes.'),
  pubKeyCredParams: z
    .array(
      z.object({
        alg: z.number().int().describe('COSE algorithm.'),
        type: z.literal('public-key').describe('Always public-key.'),
      }),
    )
    .max(10)
    .describe('Algorithms that are accepted.'),
  timeout: z.number().int().describe('Milliseconds to answer in.'),
  excludeCredentials: passkeyRequest.shape.allowCredentials.describe('Passkeys that the account has on this host already.'),
  authenticatorSelection: z
    .object({
      residentKey: z.literal('preferred').describe('Discoverable where the authenticator can.'),
      userVerification: z.literal('preferred').describe('By PIN or biometry where the authenticator can.'),
    })
    .describe('What is asked of the authenticator.'),
  attestation: z.literal('none').describe('The make of the authenticator is not asked for.'),
});

/** What `navigator.credentials.create` answers, as JSON. */
const newPasskey = z.object({
  id: base64Url(1400).describe('The credential’s id.'),
  rawId: base64Url(1400).describe('The same.'),
  type: z.literal('public-key').describe('Always public-key.'),
  response: z
    .object({
      clientDataJSON: base64Url(4000).describe('What the browser says was signed.'),
      attestationObject: base64Url(20_000).describe('The new public key, in CBOR.'),
      transports: z.array(z.string().max(20)).max(10).optional().describe('How the authenticator is reached.'),
    })
    .describe('The authenticator’s answer.'),
  clientExtensionResults: z.object({}).default({}).describe('Ignored.'),
});

const recoveryCodes = z.object({
  recoveryCodes: z
    .array(z.string().max(20))
    .length(recoveryCodesOfASet)
    .describe('The codes, in this answer and nowhere else. Each works once.'),
});

export const secondFactorApi = {
  get: endpoint({
    id: 'secondFactor.get',
    method: 'GET',
    path: '/account/second-factor',
    allow: 'session:use',
    freshness: 'none',
    summary: 'The state of one’s own second factor.',
    answer: z.object({
      isSet: z.boolean().describe('Whether an authenticator app is set up.'),
      isRequired: z.boolean().describe('Whether the account or its organisation’s policy demands one: then it stays on.'),
      recoveryCodesLeft: z.number().int().describe('How many recovery codes are unused.'),
      passkeys: z.array(passkey).max(maxPasskeys).describe('The passkeys, oldest first, of every host.'),
      host: host.describe('The host that a passkey made here belongs to; empty where none can be made.'),
    }),
  }),
  startAuthenticator: endpoint({
    id: 'secondFactor.startAuthenticator',
    method: 'POST',
    path: '/account/second-factor/authenticator',
    allow: 'session:use',
    freshness: 'fresh',
    summary: 'Begins to set up an authenticator app. Nothing counts before its first code.',
    answer: z.object({
      nonce: z.string().max(100).describe('Names this enrolment; five minutes, this session only.'),
      qrCodeImage: z.string().max(40_000).describe('The secret as a QR code, an SVG image.'),
      qrSecret: z.string().max(64).describe('The secret to type by hand.'),
    }),
  }),
  confirmAuthenticator: endpoint({
    id: 'secondFactor.confirmAuthenticator',
    method: 'PUT',
    path: '/account/second-factor/authenticator',
    allow: 'session:use',
    freshness: 'fresh',
    summary: 'Turns the second factor on by the app’s first code, and answers recovery codes.',
    body: z.object({
      nonce: z.string().min(1).max(100).describe('The enrolment’s nonce.'),
      code: codeOfApp.describe('Six digits.'),
    }),
    answer: recoveryCodes,
  }),
  disable: endpoint({
    id: 'secondFactor.disable',
    method: 'DELETE',
    path: '/account/second-factor',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Turns the second factor off: authenticator app, recovery codes and passkeys. Not where it is demanded.',
    answer: nothing,
  }),
  renewRecoveryCodes: endpoint({
    id: 'secondFactor.renewRecoveryCodes',
    method: 'POST',
    path: '/account/second-factor/recovery-codes',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Makes a new set of recovery codes; the old ones stop working.',
    answer: recoveryCodes,
  }),
  startPasskey: endpoint({
    id: 'secondFactor.startPasskey',
    method: 'POST',
    path: '/account/passkeys/creation',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'What the browser needs to make a passkey for this host.',
    answer: passkeyCreation,
  }),
  addPasskey: endpoint({
    id: 'secondFactor.addPasskey',
    method: 'POST',
    path: '/account/passkeys',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Adds the passkey that the browser made.',
    body: z.object({
      name: name.max(100).describe('What to call it.'),
      passkey: newPasskey.describe('The browser’s answer.'),
    }),
    answer: passkey,
  }),
  removePasskey: endpoint({
    id: 'secondFactor.removePasskey',
    method: 'DELETE',
    path: '/account/passkeys/:id',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Removes one of one’s own passkeys.',
    params: z.object({ id: id.describe('The passkey.') }),
    answer: nothing,
  }),
  requestPasskey: endpoint({
    id: 'secondFactor.requestPasskey',
    method: 'POST',
    path: '/account/passkeys/request',
    allow: 'session:use',
    freshness: 'none',
    summary: 'What the browser needs to prove a passkey of this host within this session.',
    answer: z.object({
      request: passkeyRequest.nullable().describe('Null where the account has no passkey for this host.'),
    }),
  }),
};
export type NewPasskey = z.infer<typeof newPasskey>;
