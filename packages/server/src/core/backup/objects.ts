/**
 * Objects of a backup: compressed (zstd), then encrypted (AES-256-GCM) with a key of their own, derived from the backup key. Each can be read by
 * itself and only under its name.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { ListableBlobs } from '../blobs.ts';
import type { MasterKey } from '../keys/master.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const mark = Buffer.from('PBK1');
const [saltBytes, ivBytes, tagBytes, idBytes] = [32, 12, 16, 8];
const headerBytes = mark.length + idBytes + saltBytes + ivBytes;

export interface StoredObject {
  name: string;
  /** Encrypted size. */
  bytes: number;
  /** SHA-256 of the encrypted object, in hex. */
  sha256: string;
}

/** The object needs the key of its time. */
export class OtherKeyError extends Error {
  override name = 'OtherKeyError';
}

export interface BackupStore {
  /** Names the key of new objects. */
  readonly keyId: string;
  put(name: string, plain: Buffer): Promise<StoredObject>;
  /** Throws when it is missing, changed, or encrypted with another key. */
  get(name: string): Promise<Buffer>;
  list(folder: string): Promise<string[]>;
  remove(name: string): Promise<void>;
  /** Name for a content, which reveals nothing of it without the key. */
  digest(content: Buffer): string;
}

export type BackupKey = Pick<MasterKey, 'id' | 'key'>;

export const openBackupStore = (blobs: ListableBlobs, key: BackupKey): BackupStore => ({
  keyId: key.id,
  async put(name, plain) {
    const sealed = seal(key, name, await compress(plain));
    await blobs.put(name, sealed, 'application/octet-stream');
    return { name, bytes: sealed.length, sha256: createHash('sha256').update(sealed).digest('hex') };
  },
  async get(name) {
    const sealed = await blobs.get(name);
    if (!sealed) throw new Error(`${name} is missing from the backup.`);
    return decompress(open(key, name, sealed));
  },
  list: (folder) => blobs.list(folder),
  remove: (name) => blobs.remove(name),
  digest: (content) => createHmac('sha256', key.key).update('backup file').update(content).digest('hex'),
});

const objectKey = ({ key }: BackupKey, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, 'parapet backup object', 32));

function seal(key: BackupKey, name: string, plain: Buffer): Buffer {
  const [salt, iv] = [randomBytes(saltBytes), randomBytes(ivBytes)];
  const header = Buffer.concat([mark, Buffer.from(key.id, 'hex'), salt, iv]);
  const cipher = createCipheriv('aes-256-gcm', objectKey(key, salt), iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.concat([header, Buffer.from(name)]));
  const body = [cipher.update(plain), cipher.final()];
  return Buffer.concat([header, cipher.getAuthTag(), ...body]);
}

function open(key: BackupKey, name: string, sealed: Buffer): Buffer {
  if (sealed.length < headerBytes + tagBytes || !sealed.subarray(0, mark.length).equals(mark))
    throw new Error(`${name} is not an object of a backup, or was cut.`);
  const header = sealed.subarray(0, headerBytes);
  const keyId = header.subarray(mark.length, mark.length + idBytes).toString('hex');
  if (keyId !== key.id)
    throw new OtherKeyError(
      `${name} is encrypted with another key (${keyId}) than BACKUP_KEY (${key.id}). Set the key of its time.`,
    );
  const salt = header.subarray(mark.length + idBytes, headerBytes - ivBytes);
  const cipher = createDecipheriv('aes-256-gcm', objectKey(key, salt), header.subarray(-ivBytes), { authTagLength: tagBytes });
  cipher.setAAD(Buffer.concat([header, Buffer.from(name)]));
  cipher.setAuthTag(sealed.subarray(headerBytes, headerBytes + tagBytes));
  try {
    return Buffer.concat([cipher.update(sealed.subarray(headerBytes + tagBytes)), cipher.final()]);
  } catch {
    throw new Error(`${name} was changed since it was written, or has another name.`);
  }
}
