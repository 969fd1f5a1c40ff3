/**
 * The manifest of a pack: name, version and the SHA-256 of each file, signed with Ed25519. A signed pack whose signature or files do not fit is
 * refused, and one that was signed stays with its key.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isSignedBy, type SigningKey } from '../../core/keys/signing.ts';
import { type Archive, ArchiveError, manifestName, type PackFile, signatureName } from './packs.files.ts';

const manifestShape = z.object({
  name: z.string().trim().min(1).max(200),
  version: z.string().trim().max(200).default(''),
  publisher: z.string().trim().max(200).default(''),
  /** Raw Ed25519 key in hex. */
  publicKey: z.string().regex(/^[0-9a-f]{64}$/),
  files: z.record(z.string().max(500), z.string().regex(/^[0-9a-f]{64}$/)),
});
export type Manifest = z.infer<typeof manifestShape>;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Manifest of a signed pack; undefined for a pack without one. Throws `ArchiveError` if anything does not fit. */
export function readManifest({ rules, manifest, signature }: Archive, folder = ''): Manifest | undefined {
  if (!manifest && !signature) return undefined;
  if (!manifest) throw new ArchiveError(`The archive has ${signatureName}, but no ${manifestName}.`);
  if (!signature) throw new ArchiveError(`The archive has ${manifestName}, but its signature ${signatureName} is missing.`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(manifest).toString('utf8'));
  } catch {
    throw new ArchiveError(`${manifestName} is no JSON.`);
  }
  const read = manifestShape.safeParse(parsed);
  if (!read.success)
    throw new ArchiveError(`${manifestName}: ${read.error.issues[0]?.path.join('.') ?? ''} is missing or not valid.`);
  const written = Buffer.from(signature).toString('latin1').trim();
  if (!/^[0-9a-f]{128}$/.test(written) || !isSignedBy(read.data.publicKey, Buffer.from(manifest), written))
    throw new ArchiveError('The signature of the manifest is forged or damaged.');
  const files = new Map(Object.entries(read.data.files));
  for (const { path, bytes } of rules) {
    if (!files.has(path)) throw new ArchiveError(`The signed manifest does not name the file ${path.slice(0, 200)}.`);
    if (files.get(path) !== sha256(bytes))
      throw new ArchiveError(`The file ${path.slice(0, 200)} differs from the signed manifest.`);
  }
  const present = new Set(rules.map(({ path }) => path));
  const below = folder.replace(/^\/+|\/+$/g, '');
  for (const path of files.keys())
    if (!present.has(path) && (below === '' || path.startsWith(`${below}/`)))
      throw new ArchiveError(`The file ${path.slice(0, 200)} of the signed manifest is missing.`);
  return read.data;
}

/** Files of a signed pack: its rules, the manifest and the signature. */
export function signed(
  rules: readonly PackFile[],
  { name, version, publisher }: Pick<Manifest, 'name' | 'version' | 'publisher'>,
  key: SigningKey,
): PackFile[] {
  const files = Object.fromEntries(rules.map(({ path, bytes }) => [path, sha256(bytes)]));
  const manifest = Buffer.from(`${JSON.stringify({ name, version, publisher, publicKey: key.publicKey, files }, null, 2)}\n`);
  return [
    { path: manifestName, bytes: manifest },
    { path: signatureName, bytes: Buffer.from(`${key.sign(manifest)}\n`) },
    ...rules,
  ];
}
