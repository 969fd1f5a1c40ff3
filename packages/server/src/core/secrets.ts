/** Random tokens, hashes of what is stored of them, and authenticated encryption. The keys of sealed values are core/keys. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** AES-256-GCM: nonce (12 bytes) and tag (16) before the ciphertext. `about` is authenticated with it, not stored. */
export function encrypt(key: Buffer, bytes: Buffer, about: string | Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Throws when the key, `about` or a bit is another. */
export function decrypt(key: Buffer, sealed: Buffer, about: string | Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(about))
    .setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
}

/** 256 bits for a link or a nonce, as 43 URL-safe characters. */
export const newToken = (): string => randomBytes(32).toString('base64url');
/** Stored form of a token. Tokens are random, so a plain hash suffices. */
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();
/** SHA-256 of a file, in hex. */
export const hashOfBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
