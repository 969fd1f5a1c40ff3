/**
 * What is hashed and signed of the audit log. docs/audit.md describes the same for those who verify an export by themselves.
 *
 *     leaf = SHA-256(JCS(entry))       hash = SHA-256(JCS({ leaf, organisationId, position, previous }))
 *
 * A leaf can be shown without its entry, so that a reader who may not see one entry can still verify the chain through it.
 */
import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, parseStored } from '../../core/canonical.ts';

/** Before the first entry of a log. */
export const noHash = '0'.repeat(64);

/** A row of `audit`. Times are UTC with microseconds, `before` and `after` the texts of their `jsonb`. */
export interface StoredEntry {
  id: number;
  organisationId: number;
  at: string;
  actorUserId: number | null;
  actorOrganisationId: number | null;
  action: string;
  target: string;
  before: string | null;
  after: string | null;
  address: string;
  visibility: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const stored = (text: string | null) => (text === null ? null : parseStored(text));

/**
 * The entry as its leaf is made of it. Who acted is hashed by itself, so that it can be shown without: the salt opens it, and the nonce, made of the
 * salt, keeps the rest from being guessed by whoever has the leaf alone.
 */
export function sealedEntry(entry: StoredEntry, salt: Buffer) {
  return {
    id: entry.id,
    organisationId: entry.organisationId,
    at: entry.at,
    action: entry.action,
    target: entry.target,
    before: stored(entry.before),
    after: stored(entry.after),
    address: entry.address,
    visibility: entry.visibility,
    actor: createHmac('sha256', salt)
      .update(canonicalJson([entry.actorOrganisationId, entry.actorUserId]))
      .digest('hex'),
    nonce: createHash('sha256').update(salt).digest('hex'),
  };
}

export const leafOf = (entry: StoredEntry, salt: Buffer): string => sha256(canonicalJson(sealedEntry(entry, salt)));

export const linkHash = (link: { leaf: string; organisationId: number; position: number; previous: string }): string =>
  sha256(
    canonicalJson({ leaf: link.leaf, organisationId: link.organisationId, position: link.position, previous: link.previous }),
  );

export interface Checkpoint {
  organisationId: number;
  /** Of the last entry that it covers. */
  position: number;
  hash: string;
  /** Entries in the log then: pruned ones are not among them. */
  count: number;
  /** Time of the newest entry that it covers; UTC with microseconds, as `at`. */
  through: string;
  at: string;
}

export interface SignedCheckpoint extends Checkpoint {
  /** Raw Ed25519, hex; its first 16 digits of SHA-256 name the key. */
  publicKey: string;
  signature: string;
}

/** The installation's key, from the 32 bytes that its processes share. */
export interface CheckpointKey {
  publicKey: string;
  sign(checkpoint: Checkpoint): SignedCheckpoint;
}

const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

const signedText = (checkpoint: Checkpoint, publicKey: string): Buffer =>
  Buffer.from(
    canonicalJson({
      type: 'audit checkpoint',
      organisationId: checkpoint.organisationId,
      position: checkpoint.position,
      hash: checkpoint.hash,
      count: checkpoint.count,
      through: checkpoint.through,
      at: checkpoint.at,
      publicKey,
    }),
  );

export function checkpointKey(seed: Buffer): CheckpointKey {
  const key = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(publicPrefix.length).toString('hex');
  return {
    publicKey,
    sign: (checkpoint) => ({
      ...checkpoint,
      publicKey,
      signature: sign(null, signedText(checkpoint, publicKey), key).toString('hex'),
    }),
  };
}

const publicKeys = new Map<string, KeyObject>();
function publicKeyOf(hex: string): KeyObject {
  const key =
    publicKeys.get(hex) ??
    createPublicKey({ key: Buffer.concat([publicPrefix, Buffer.from(hex, 'hex')]), format: 'der', type: 'spki' });
  publicKeys.set(hex, key);
  return key;
}

export const isSigned = (checkpoint: SignedCheckpoint): boolean =>
  verify(
    null,
    signedText(checkpoint, checkpoint.publicKey),
    publicKeyOf(checkpoint.publicKey),
    Buffer.from(checkpoint.signature, 'hex'),
  );

/** What people compare a key by. */
export const keyName = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'hex')).digest('hex').slice(0, 16);
