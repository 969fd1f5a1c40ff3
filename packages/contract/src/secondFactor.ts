/** The caller's own MFA: authenticator app, recovery codes and passkeys. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id, instant, line, name } from './primitives.ts';
import { base64Url, codeOfApp, passkeyRequest } from './secondFactor.proof.ts';

export const recoveryCodesPerSet = 10;
export const maxPasskeys = 20;

const host = z.string().max(253);

export const passkey = z.object({
  id: id.describe('Passkey ID.'),
  name: name.describe('Name given by the user.'),
  host: host.describe('Host (RP ID) on which it works.'),
  createdAt: instant.describe('Creation time.'),
  lastUsedAt: instant.nullable().describe('Time of last use; null if never used.'),
});

/** Options of `navigator.credentials.create`, as JSON. */
const passkeyCreation = z.object({
  rp: z
    .object({ id: host.describe('Host of the new passkey (RP ID).'), name: line.describe('Brand name.') })
    .describe('Relying party.'),
  user: z
    .object({
      id: base64Url(100).describe('Account handle for the authenticator.'),
      name: line.describe('Account name.'),
      displayName: line.describe('User name.'),
    })
    .describe('User account.'),
  challenge: base64Url(100).describe('Challenge to sign; single use, valid for five minutes.'),
  pubKeyCredParams: z
    .array(
      z.object({
        alg: z.number().int().describe('COSE algorithm ID.'),
        type: z.literal('public-key').describe('Always public-key.'),
      }),
    )
    .max(10)
    .describe('Accepted algorithms.'),
  timeout: z.number().int().describe('Timeout in milliseconds.'),
  excludeCredentials: passkeyRequest.shape.allowCredentials.describe('Existing passkeys of the account on this host.'),
  authenticatorSelection: z
    .object({
      residentKey: z.literal('preferred').describe('Discoverable credential, if available.'),
      userVerification: z.literal('preferred').describe('User verification by PIN or biometrics, if available.'),
    })
    .describe('Authenticator requirements.'),
  attestation: z.literal('none').describe('Attestation is not requested.'),
});

/** Result of `navigator.credentials.create`, as JSON. */
const newPasskey = z.object({
  id: base64Url(1400).describe('Credential ID.'),
  rawId: base64Url(1400).describe('Raw credential ID.'),
  type: z.literal('public-key').describe('Always public-key.'),
  response: z
    .object({
      clientDataJSON: base64Url(4000).describe('Client data as signed by the browser.'),
      attestationObject: base64Url(20_000).describe('Attestation object with the new public key, in CBOR.'),
      transports: z.array(z.string().max(20)).max(10).optional().describe('Transports of the authenticator.'),
    })
    .describe('Response of the authenticator.'),
  clientExtensionResults: z.object({}).default({}).describe('Ignored.'),
});

const recoveryCodes = z.object({
  recoveryCodes: z
    .array(z.string().max(20))
    .length(recoveryCodesPerSet)
    .describe('Recovery codes, returned only in this response. Each works once.'),
});

export const secondFactorApi = {
  get: endpoint({
    id: 'secondFactor.get',
    route: 'GET /account/second-factor',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Returns the caller’s MFA state.',
    answer: z.object({
      isSet: z.boolean().describe('True when an authenticator app is set up.'),
      isRequired: z
        .boolean()
        .describe('True when the account or its organisation’s policy requires MFA, which then cannot be disabled.'),
      recoveryCodesLeft: z.number().int().describe('Number of unused recovery codes.'),
      passkeys: z.array(passkey).max(maxPasskeys).describe('Passkeys of every host, oldest first.'),
      host: host.describe('Host for new passkeys; empty if none can be created here.'),
    }),
  }),
  startAuthenticator: endpoint({
    id: 'secondFactor.startAuthenticator',
    route: 'POST /account/second-factor/authenticator',
    allow: 'session:use',
    freshness: 'fresh',
    summary: 'Starts the setup of an authenticator app. Takes effect with its first code.',
    answer: z.object({
      nonce: z.string().max(100).describe('Enrolment nonce, valid for five minutes in this session.'),
      qrCodeImage: z.string().max(40_000).describe('Secret as a QR code (SVG).'),
      qrSecret: z.string().max(64).describe('Secret for manual entry.'),
    }),
  }),
  confirmAuthenticator: endpoint({
    id: 'secondFactor.confirmAuthenticator',
    route: 'PUT /account/second-factor/authenticator',
    allow: 'session:use',
    freshness: 'fresh',
    summary: 'Enables MFA with the app’s first code and returns recovery codes.',
    body: z.object({
      nonce: z.string().min(1).max(100).describe('Enrolment nonce.'),
      code: codeOfApp.describe('Six digits.'),
    }),
    answer: recoveryCodes,
  }),
  disable: endpoint({
    id: 'secondFactor.disable',
    route: 'DELETE /account/second-factor',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Disables MFA: authenticator app, recovery codes and passkeys. Refused where MFA is required.',
    answer: nothing,
  }),
  renewRecoveryCodes: endpoint({
    id: 'secondFactor.renewRecoveryCodes',
    route: 'POST /account/second-factor/recovery-codes',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Generates new recovery codes and invalidates the old ones.',
    answer: recoveryCodes,
  }),
  startPasskey: endpoint({
    id: 'secondFactor.startPasskey',
    route: 'POST /account/passkeys/creation',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Returns the browser’s options to create a passkey for this host.',
    answer: passkeyCreation,
  }),
  addPasskey: endpoint({
    id: 'secondFactor.addPasskey',
    route: 'POST /account/passkeys',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Registers a passkey created by the browser.',
    body: z.object({
      name: name.max(100).describe('Display name.'),
      passkey: newPasskey.describe('Credential created by the browser.'),
    }),
    answer: passkey,
  }),
  removePasskey: endpoint({
    id: 'secondFactor.removePasskey',
    route: 'DELETE /account/passkeys/:id',
    allow: 'session:use',
    freshness: 'freshSecondFactor',
    summary: 'Removes one of the caller’s passkeys.',
    params: z.object({ id: id.describe('Passkey ID.') }),
    answer: nothing,
  }),
  requestPasskey: endpoint({
    id: 'secondFactor.requestPasskey',
    route: 'POST /account/passkeys/request',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Returns the browser’s options to prove a passkey of this host within this session.',
    answer: z.object({
      request: passkeyRequest.nullable().describe('Request options; null without a passkey for this host.'),
    }),
  }),
};
export type NewPasskey = z.infer<typeof newPasskey>;
