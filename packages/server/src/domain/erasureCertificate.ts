/** Certificate of an erasure: its content in canonical JSON (RFC 8785), the SHA-256 of that, and a signature over both (docs/retention.md). */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { canonicalJson } from '../core/canonical.ts';
import type { Tx } from '../core/db/scope.ts';
import { isSignedBy, type SigningKey } from '../core/keys/signing.ts';

export type Person = { id: number | null; name: string };

export type ErasureContent = {
  version: 1;
  organisationId: number;
  clientName: string;
  reason: string;
  requestedBy: Person;
  requestedAt: string;
  confirmedBy: Person;
  confirmedAt: string;
  startedAt: string;
  finishedAt: string;
  /** Rows deleted of each table, and their bytes. */
  tables: { table: string; rows: number; bytes: number }[];
  files: { count: number; bytes: number };
  /** Audit entries that were reduced to identifiers. */
  auditEntries: number;
};

export interface ErasureCertificate {
  content: ErasureContent;
  /** SHA-256 of the content’s canonical JSON, in hex. */
  sha256: string;
  publicKey: string;
  signature: string;
}

const signedText = (sha256: string, publicKey: string): Buffer =>
  Buffer.from(canonicalJson({ type: 'erasure certificate', sha256, publicKey }));

const hashOf = (content: ErasureContent): string => createHash('sha256').update(canonicalJson(content)).digest('hex');

export function certify(content: ErasureContent, key: SigningKey): ErasureCertificate {
  const sha256 = hashOf(content);
  return { content, sha256, publicKey: key.publicKey, signature: key.sign(signedText(sha256, key.publicKey)) };
}

export const isCertified = ({ content, sha256, publicKey, signature }: ErasureCertificate): boolean =>
  hashOf(content) === sha256 && isSignedBy(publicKey, signedText(sha256, publicKey), signature);

/** Reason why audit entries of an organisation must not be reduced; undefined where its erasure explains their number. */
export async function erasureFault(tx: Tx, organisationId: number, entries: number): Promise<string | undefined> {
  const { rows } = await sql<{ certificate: ErasureCertificate | null }>`
    select certificate from erasures where organisation_id = ${organisationId}`.execute(tx);
  const [erasure] = rows;
  if (!erasure) return 'entries have no content, but the organisation was not erased';
  const { certificate } = erasure;
  if (!certificate) return undefined;
  if (!isCertified(certificate) || certificate.content.organisationId !== organisationId)
    return 'the certificate of the erasure is not valid';
  return entries > certificate.content.auditEntries
    ? `${entries} entries have no content, but the certificate of the erasure names ${certificate.content.auditEntries}`
    : undefined;
}
