/** Release archive: tracked files of a commit and the built pages, the same bytes at each build; its manifest is signed. */
import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { licencesOf, type Sbom } from './release.materials.ts';
import { formerBuilds } from './web-builds.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const manifestSchema = z.object({
  name: z.literal('parapet'),
  version: z.string().regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/),
  /** Provenance. */
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  committedAt: z.string(),
  /** Hash of the lock file, which pins every dependency by its own. */
  lockSha256: sha256,
  sbomSha256: sha256,
  hasModules: z.boolean(),
  archive: z.object({ file: z.string().regex(/^[\w.-]+$/), sha256, size: z.number().int().positive() }),
});
export type Manifest = z.infer<typeof manifestSchema>;

export interface ReleaseOptions {
  root: string;
  out: string;
  privateKeyPem: string;
  sbomOf: (root: string, at: Date) => Sbom;
  /** Adds the modules of production, for machines without a registry. */
  withModules: boolean;
  /** For tests. */
  allowsChanges?: boolean;
}

function run(program: string, args: string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${error?.message ?? stderr.trim().slice(0, 500)}`);
  return stdout.trim();
}

const hashOf = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

function ed25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key must be an Ed25519 key.');
  return key;
}

/** Folders of built files that a release needs. */
const built = ['packages/web/dist', 'packages/agent/dist'];

/** Returns the paths of manifest and archive. */
export function makeRelease(options: ReleaseOptions): { manifest: string; archive: string } {
  const { root, out, sbomOf, withModules } = options;
  const key = ed25519(createPrivateKey(options.privateKeyPem));
  if (!options.allowsChanges && run('git', ['status', '--porcelain'], root) !== '')
    throw new Error('The working tree has changes that are not committed. A release is made of a commit.');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const commit = run('git', ['rev-parse', 'HEAD'], root);
  const committedAt = new Date(run('git', ['show', '-s', '--format=%cI', 'HEAD'], root));
  const sbom = `${JSON.stringify(sbomOf(root, committedAt), null, 2)}\n`;
  const { text: licences, refused } = licencesOf(JSON.parse(sbom));
  if (refused.length > 0) throw new Error(`Licences to look at: ${refused.join('; ')}`);

  const name = `parapet-${version}`;
  const stage = mkdtempSync(join(tmpdir(), 'parapet-stage-'));
  try {
    const inside = join(stage, name);
    mkdirSync(inside);
    run('git', ['archive', '--format=tar', '-o', join(stage, 'tree.tar'), 'HEAD'], root);
    run('tar', ['-xf', join(stage, 'tree.tar'), '-C', inside], stage);
    for (const folder of built)
      if (existsSync(join(root, folder)))
        cpSync(join(root, folder), join(inside, folder), {
          recursive: true,
          filter: (source) => source !== join(root, folder, formerBuilds),
        });
    if (withModules) run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], inside);
    writeFileSync(join(inside, 'sbom.cdx.json'), sbom);
    writeFileSync(join(inside, 'LICENCES.txt'), licences);
    mkdirSync(out, { recursive: true });
    const archive = join(out, `${name}.tar.gz`);
    pack(stage, name, archive, committedAt);
    const bytes = readFileSync(archive);
    const manifest: Manifest = {
      name: 'parapet',
      version,
      commit,
      committedAt: committedAt.toISOString(),
      lockSha256: hashOf(readFileSync(join(root, 'package-lock.json'))),
      sbomSha256: hashOf(sbom),
      hasModules: withModules,
      archive: { file: basename(archive), sha256: hashOf(bytes), size: bytes.length },
    };
    const text = `${JSON.stringify(manifestSchema.parse(manifest), null, 2)}\n`;
    const file = join(out, `${name}.json`);
    writeFileSync(file, text);
    writeFileSync(`${file}.sig`, `${sign(null, Buffer.from(text), key).toString('base64url')}\n`);
    return { manifest: file, archive };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Same bytes for the same files: order, owner, times and modes are fixed, and gzip stores no name. */
function pack(folder: string, name: string, archive: string, at: Date): void {
  const tar = join(folder, 'release.tar');
  const fixed = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', '--format=gnu'];
  run('tar', ['-cf', tar, ...fixed, `--mtime=@${Math.floor(at.getTime() / 1000)}`, name], folder);
  run('gzip', ['-9', '-n', '-f', tar], folder);
  cpSync(`${tar}.gz`, archive);
}

/** Returns the manifest of a genuine archive; throws what is wrong. `publicKey`: PEM, or base64 of its DER form. */
export function verifyRelease(manifestFile: string, publicKey: string): Manifest {
  const key = ed25519(
    publicKey.includes('BEGIN')
      ? createPublicKey(publicKey)
      : createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' }),
  );
  const text = readFileSync(manifestFile);
  const signature = Buffer.from(readFileSync(`${manifestFile}.sig`, 'utf8').trim(), 'base64url');
  if (!verify(null, text, key, signature))
    throw new Error(`The signature of ${basename(manifestFile)} is not valid for this key.`);
  const manifest = manifestSchema.parse(JSON.parse(text.toString('utf8')));
  const archive = join(dirname(manifestFile), manifest.archive.file);
  if (statSync(archive).size !== manifest.archive.size || hashOf(readFileSync(archive)) !== manifest.archive.sha256)
    throw new Error(`${manifest.archive.file} differs from the one that was signed.`);
  return manifest;
}
