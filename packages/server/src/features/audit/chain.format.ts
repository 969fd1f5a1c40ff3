/**
 * Hashed and signed format of the audit log; docs/audit.md describes it for independent verification.
 *
 *     leaf = SHA-256(JCS(entry))       hash = SHA-256(JCS({ leaf, organisationId, position, previous }))
 *
 * A leaf can be disclosed without its entry, so that readers can verify the chain across entries that they may not see.
 */
import { createHash, createHmac } from 'node:crypto';
import { canonicalJson, parseStored } from '../../core/canonical.ts';
import { isSignedBy, signingKey } from '../../core/keys/signing.ts';

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

/** Leaf of a sealed entry; undefined where the content was erased, but something is left of it or its leaf is missing. */
export function leafOfSealed(
  entry: StoredEntry,
  { salt, erasedLeaf }: { salt: Buffer; erasedLeaf: string | null },
): string | undefined {
  if (erasedLeaf === null) return leafOf(entry, salt);
  const isEmpty = entry.target === '' && entry.before === null && entry.after === null && entry.address === '';
  return isEmpty ? erasedLeaf : undefined;
}

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
  const key = signingKey(seed);
  return {
    publicKey: key.publicKey,
    sign: (checkpoint) => ({
      ...checkpoint,
      publicKey: key.publicKey,
      signature: key.sign(signedText(checkpoint, key.publicKey)),
    }),
  };
}

export const isSigned = (checkpoint: SignedCheckpoint): boolean =>
  isSignedBy(checkpoint.publicKey, signedText(checkpoint, checkpoint.publicKey), checkpoint.signature);
