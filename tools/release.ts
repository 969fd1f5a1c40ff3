/**
 * `npm run -s release -- …`, on a machine without access from the portal:
 *   key --out release.key                                   creates the key pair; prints the public key
 *   sbom [--out FILE], licences                             prints materials (CycloneDX) and licences of the production packages
 *   archive --key release.key [--out FOLDER] [--with-modules]  builds and signs the archive of this commit
 *   verify --key PUBLIC_KEY_FILE FOLDER/parapet-1.0.0.json  verifies a manifest and its archive
 */
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAgentWhenNeeded } from './build-agent.ts';
import { buildWebWhenNeeded } from './build-web.ts';
import { makeRelease, verifyRelease } from './release.archive.ts';
import { licencesOf, sbomOf } from './release.materials.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const usage = 'Usage: npm run -s release -- key | sbom | licences | archive | verify (see tools/release.ts)';

/** A key that is not ignored would be committed, and refuses the archive before that. */
function requireIgnored(file: string): void {
  const inside = relative(root, resolve(file));
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return;
  if (spawnSync('git', ['check-ignore', '-q', inside], { cwd: root }).status !== 0)
    throw new Error(`${file} is in the repository and not ignored by it. Write the key elsewhere.`);
}

function makeKey(out: string): string {
  for (const file of [out, `${out}.pub`]) requireIgnored(file);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  // Never overwrite an existing key: operators have pinned it.
  writeFileSync(out, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  writeFileSync(`${out}.pub`, publicKey.export({ type: 'spki', format: 'pem' }));
  return `The private key is in ${resolve(out)}: keep it offline. Publish ${resolve(out)}.pub apart from the archives.`;
}

async function work(): Promise<string> {
  const options = { out: { type: 'string' }, key: { type: 'string' }, 'with-modules': { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [verb, file] = positionals;
  const { out, key } = values;
  if (verb === 'key' && out) return makeKey(out);
  if (verb === 'sbom') {
    const text = JSON.stringify(sbomOf(root, new Date()), null, 2);
    if (!out) return text;
    writeFileSync(out, `${text}\n`);
    return `The bill of materials is in ${resolve(out)}.`;
  }
  if (verb === 'licences') {
    const { text, refused } = licencesOf(sbomOf(root, new Date()));
    if (refused.length > 0) throw new Error(`Licences to look at: ${refused.join('; ')}`);
    return text.trimEnd();
  }
  if (verb === 'archive' && key) {
    const privateKeyPem = readFileSync(key, 'utf8');
    if (!privateKeyPem.includes('PRIVATE KEY')) throw new Error(`${key} is not a private key in PEM: create one by "key".`);
    await buildWebWhenNeeded();
    await buildAgentWhenNeeded();
    const withModules = values['with-modules'] ?? false;
    const made = makeRelease({
      root,
      out: resolve(out ?? 'release'),
      privateKeyPem,
      sbomOf,
      withModules,
    });
    return `${made.archive}\n${made.manifest}\n${made.manifest}.sig`;
  }
  if (verb === 'verify' && key && file) {
    const { version, commit, archive } = verifyRelease(file, readFileSync(key, 'utf8').trim());
    return `${archive.file} is genuine: version ${version}, commit ${commit}.`;
  }
  throw new Error(usage);
}

try {
  console.log(await work());
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
