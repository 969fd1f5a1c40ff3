/** Keys that all processes of one installation share: made once, kept in the database, or derived from SECRET_KEY where that is set. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import type { Database } from './db/connect.ts';
import { scoped } from './db/scope.ts';

/** 32 bytes named by their purpose. */
export async function sharedSecret(db: Database, name: string, secretKey: string | undefined): Promise<Buffer> {
  if (secretKey) return createHmac('sha256', secretKey).update(name).digest();
  return scoped(db, 'system', async (tx) => {
    await tx
      .insertInto('secrets')
      .values({ name, value: randomBytes(32) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { value } = await tx.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow();
    return value;
  });
}

/** Text that only this installation can read again: AES-256-GCM, nonce and tag before the ciphertext. `about` binds it to its place. */
export interface Seal {
  seal(text: string, about: string): Buffer;
  /** Throws when the key, the place or a bit is another. */
  open(sealed: Buffer, about: string): string;
}

export function createSeal(key: Buffer): Seal {
  return {
    seal(text, about) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, about) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
        .setAAD(Buffer.from(about))
        .setAuthTag(sealed.subarray(12, 28));
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}

/** 256 bits for a link or a nonce, as 43 URL-safe characters. */
export const newToken = (): string => randomBytes(32).toString('base64url');
/** What is stored of a token. Tokens are random, so that a plain hash is enough. */
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();
/** SHA-256 of a file, in hex. */
export const hashOfBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
