/** Ed25519 signatures of documents, with the raw public key in hex beside them. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

export interface SigningKey {
  /** Raw key in hex. */
  publicKey: string;
  /** Signature in hex. */
  sign(text: Buffer): string;
}

const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Key of a seed of 32 bytes. */
export function signingKey(seed: Buffer): SigningKey {
  const key = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(publicPrefix.length).toString('hex');
  return { publicKey, sign: (text) => sign(null, text, key).toString('hex') };
}

const publicKeys = new Map<string, KeyObject>();
function publicKeyOf(hex: string): KeyObject {
  const key =
    publicKeys.get(hex) ??
    createPublicKey({ key: Buffer.concat([publicPrefix, Buffer.from(hex, 'hex')]), format: 'der', type: 'spki' });
  publicKeys.set(hex, key);
  return key;
}

export const isSignedBy = (publicKey: string, text: Buffer, signature: string): boolean =>
  verify(null, text, publicKeyOf(publicKey), Buffer.from(signature, 'hex'));

/** Fingerprint of a key, for comparison by people. */
export const keyName = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'hex')).digest('hex').slice(0, 16);
