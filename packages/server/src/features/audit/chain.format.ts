/**
 * Hashed and signed format of the audit log; docs/audit.md describes it for independent verification.
 *
 *     leaf = SHA-256(JCS(entry))       hash = SHA-256(JCS({ leaf, organisationId, position, previous }))
 *
 * A leaf can be disclosed without its entry, so that readers can verify the chain across entries that they may not see.
 */
import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, parseStored } from '../../core/canonical.ts';

/** Predecessor of a log’s first entry. */
export const noHash = '0'.repeat(64);

/** Row of `audit`. Times are UTC with microseconds; `before` and `after` are the texts of their `jsonb`. */
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
 * Entry as hashed into its leaf. The actor is hashed separately, so that it can be withheld: the salt opens it, and the nonce, derived
 * from the salt, prevents guessing the rest from the leaf alone.
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
  /** Position of the last covered entry. */
  position: number;
  hash: string;
  /** Entries in the log at that time, without pruned ones. */
  count: number;
  /** Time of the newest covered entry; UTC with microseconds, like `at`. */
  through: string;
  at: string;
}

export interface SignedCheckpoint extends Checkpoint {
  /** Raw Ed25519 key in hex; the first 16 digits of its SHA-256 are the fingerprint. */
  publicKey: string;
  signature: string;
}

/** Signing key of the installation, from 32 bytes shared by its processes. */
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

/** Fingerprint of a key, for comparison by people. */
export const keyName = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'hex')).digest('hex').slice(0, 16);
