/**
 * Passkeys (WebAuthn) for MFA. A passkey belongs to one brand host, the RP ID, taken from stored brands and configuration; the Host
 * header only selects among them. The library is loaded on first use: it costs 0.2 s and 20 MB.
 */
import { createHash } from 'node:crypto';
import { problem } from '@parapet/contract/problem.ts';
import type { PasskeyAnswer, PasskeyRequest } from '@parapet/contract/secondFactor.proof.ts';
import type { NewPasskey } from '@parapet/contract/secondFactor.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { newToken } from '../../core/secrets.ts';
import type { BrandService } from '../brand/brand.service.ts';
import {
  findPasskey,
  insertPasskeyChallenge,
  markPasskeyUsed,
  type NewPasskeyRow,
  type PasskeyRow,
  type PasskeySite,
  takePasskeyChallenge,
} from './passkeys.store.ts';

const timeoutMs = 5 * 60_000;
/** COSE identifiers of Ed25519, ECDSA P-256 and RSA (Windows Hello). */
const algorithms = [-8, -7, -257];

export interface PasskeyOwner {
  id: number;
  organisationId: number;
  email: string;
  firstName: string;
  lastName: string;
}

const scopeOfOwner = (owner: PasskeyOwner): Scope => ({ organisationIds: [owner.organisationId] });

const knownTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
type Transport = (typeof knownTransports)[number];
const descriptorOf = ({ credentialId, transports }: PasskeyRow) => ({
  id: credentialId,
  type: 'public-key' as const,
  transports: transports.filter((each): each is Transport => knownTransports.includes(each as Transport)),
});

/** Challenge in the browser’s client data; empty when unreadable. */
function challengeOf(clientDataJson: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8')) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

/** Brand host of a request; undefined for unknown hosts and where browsers do not support passkeys. */
export async function passkeySiteOf(brand: Pick<BrandService, 'siteOf'>, host: string): Promise<PasskeySite | undefined> {
  const { origin } = await brand.siteOf(host);
  const url = new URL(origin);
  if (url.host !== host.toLowerCase()) return undefined;
  const isSecure = url.protocol === 'https:' || url.hostname === 'localhost' || url.hostname.endsWith('.localhost');
  // An IP address cannot be an RP ID.
  const isName = /[a-z]/.test(url.hostname) && !url.hostname.startsWith('[');
  return isSecure && isName ? { rpId: url.hostname, origin: url.origin } : undefined;
}

interface Ceremony<Site = PasskeySite> {
  owner: PasskeyOwner;
  passkeys: PasskeyRow[];
  site: Site;
  /** Nonce of the sign-in, or id of the session. */
  boundTo: string;
}

/** WebAuthn request options for the passkeys of this host; null without any. */
export async function passkeyRequestFor(
  tx: Tx,
  { owner, passkeys, site, boundTo }: Ceremony<PasskeySite | undefined>,
): Promise<PasskeyRequest | null> {
  const usable = passkeys.filter(({ rpId }) => rpId === site?.rpId);
  if (!site || usable.length === 0) return null;
  const challenge = newToken();
  await insertPasskeyChallenge(tx, { challenge, user: owner, purpose: 'prove', boundTo, site });
  return {
    rpId: site.rpId,
    challenge,
    allowCredentials: usable.map(descriptorOf),
    timeout: timeoutMs,
    userVerification: 'preferred',
  };
}

/** Verifies a passkey assertion. Consumes the challenge either way; refuses a counter that does not increase. */
export async function provePasskey(tx: Tx, owner: PasskeyOwner, answer: PasskeyAnswer, boundTo: string): Promise<boolean> {
  const challenge = challengeOf(answer.response.clientDataJSON);
  const site = await takePasskeyChallenge(tx, { challenge, userId: owner.id, purpose: 'prove', boundTo });
  const passkey = site && (await findPasskey(tx, scopeOfOwner(owner), owner.id, site.rpId, answer.id));
  if (!site || !passkey) return false;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      // Follows the password, so user presence is enough.
      requireUserVerification: false,
      credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.counter },
    });
    if (verified) await markPasskeyUsed(tx, scopeOfOwner(owner), passkey.id, authenticationInfo.newCounter);
    return verified;
  } catch {
    // The library throws on a wrong origin, RP ID, presence, counter or format.
    return false;
  }
}

/** WebAuthn creation options for a passkey of this host. */
export async function passkeyCreationFor(tx: Tx, { owner, passkeys, site, boundTo }: Ceremony, brandName: string) {
  const challenge = newToken();
  await insertPasskeyChallenge(tx, { challenge, user: owner, purpose: 'register', boundTo, site });
  return {
    rp: { id: site.rpId, name: brandName },
    user: {
      id: createHash('sha256').update(`user ${owner.id}`).digest('base64url'),
      name: owner.email,
      displayName: `${owner.firstName} ${owner.lastName}`.trim(),
    },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' as const })),
    timeout: timeoutMs,
    excludeCredentials: passkeys.filter(({ rpId }) => rpId === site.rpId).map(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred' as const, userVerification: 'preferred' as const },
    attestation: 'none' as const,
  };
}

const refused = () => problem.invalid({}, 'The passkey was not accepted. Try again on this page.');

/** Verifies a new passkey and returns its row; throws invalid on a wrong challenge, session, host or format. Consumes the challenge either way. */
export async function checkNewPasskey(
  db: Database,
  owner: PasskeyOwner,
  { name, passkey, boundTo }: { name: string; passkey: NewPasskey; boundTo: string },
): Promise<NewPasskeyRow> {
  const challenge = challengeOf(passkey.response.clientDataJSON);
  const taken = { challenge, userId: owner.id, purpose: 'register', boundTo } as const;
  const site = await scoped(db, 'system', (tx) => takePasskeyChallenge(tx, taken));
  if (!site) throw refused();
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { transports = [], ...response } = passkey.response;
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...passkey, response },
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: false,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => ({ registrationInfo: undefined }));
  if (!registrationInfo) throw refused();
  const { credential } = registrationInfo;
  return {
    organisation_id: owner.organisationId,
    user_id: owner.id,
    rp_id: site.rpId,
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports,
    name,
  };
}
