/** Verification of signed archives of cases. */
import { createHash } from 'node:crypto';
import { unzipSync } from 'fflate';
import { z } from 'zod';
import { isSignedBy, keyName } from '../../core/keys/signing.ts';

const manifestShape = z.object({
  format: z.literal('case-archive/1'),
  contents: z.enum(['client', 'all']),
  files: z.array(z.object({ name: z.string(), bytes: z.number().int(), sha256: z.string() })).max(100),
  publicKey: z.string().regex(/^[0-9a-f]{64}$/),
});

interface Verified {
  /** Names of intact files. */
  files: string[];
  faults: string[];
  /** Of the key; undefined without a readable manifest. */
  fingerprint: string | undefined;
  contents: string;
}

function readManifest(bytes: Buffer) {
  try {
    return manifestShape.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

function isSigned(publicKey: string, manifest: Buffer, signature: string): boolean {
  return /^[0-9a-f]{128}$/.test(signature) && isSignedBy(publicKey, manifest, signature);
}

export function verifyArchive(archive: Buffer): Verified {
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(archive);
  } catch {
    return { files: [], faults: ['The file is no ZIP archive, or it is torn.'], fingerprint: undefined, contents: '' };
  }
  const bytesOf = (name: string) => Buffer.from(entries[name] ?? []);
  const manifest = readManifest(bytesOf('manifest.json'));
  if (!manifest) return { files: [], faults: ['manifest.json is missing or unreadable.'], fingerprint: undefined, contents: '' };
  const { files, publicKey, contents } = manifest;
  const isIntact = ({ name, bytes, sha256 }: (typeof files)[number]) =>
    name in entries && bytesOf(name).length === bytes && createHash('sha256').update(bytesOf(name)).digest('hex') === sha256;
  const listed = new Set([...files.map(({ name }) => name), 'manifest.json', 'manifest.sig']);
  const faults = [
    ...(isSigned(publicKey, bytesOf('manifest.json'), bytesOf('manifest.sig').toString('latin1').trim())
      ? []
      : ['The signature of manifest.json is wrong.']),
    ...files.filter((file) => !isIntact(file)).map(({ name }) => `${name} is missing or was changed.`),
    ...Object.keys(entries)
      .filter((name) => !listed.has(name))
      .map((name) => `${name} is not listed in the manifest.`),
  ];
  return { files: files.filter(isIntact).map(({ name }) => name), faults, fingerprint: keyName(publicKey), contents };
}
