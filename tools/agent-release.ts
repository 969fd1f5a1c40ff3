/**
 * `npm run -s agent-release -- …`, on a machine without access from the portal:
 *   key --out release.key                                      creates the key pair; prints the value of AGENT_RELEASE_KEY
 *   package --key release.key [--version 1.1.0] [--out FOLDER] builds and signs; prints the upload calls
 */
import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { agentVersion, buildAgent } from './build-agent.ts';

export const releasePlatforms = ['linux-x64', 'linux-arm64'] as const;

/** Signature verified by portal and agent: base64url of Ed25519 over "version platform sha256 size". */
export function signatureOf(bytes: Buffer, version: string, platform: string, privateKeyPem: string): string {
  const key = createPrivateKey(privateKeyPem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key must be a private Ed25519 key.');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return sign(null, Buffer.from(`${version} ${platform} ${sha256} ${bytes.length}`), key).toString('base64url');
}

function makeKey(out: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  // Never overwrite an existing key: agents have pinned it.
  writeFileSync(out, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  const text = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return `The private key is in ${resolve(out)}: keep it away from the portal. Start the portal with\nAGENT_RELEASE_KEY=${text}`;
}

async function makePackage(keyFile: string, version: string, folder: string): Promise<string> {
  if (!/^\d{1,5}\.\d{1,5}\.\d{1,5}$/.test(version)) throw new Error('A version is three numbers, such as 1.4.0.');
  const pem = readFileSync(keyFile, 'utf8');
  const file = resolve(join(folder, `agent-${version}.mjs`));
  await buildAgent(version, file);
  const bytes = readFileSync(file);
  const lines = releasePlatforms.map((platform) => {
    const path = `/api/v1/agentreleases/${version}/${platform}?signature=${signatureOf(bytes, version, platform, pem)}`;
    return `curl -fsS -X POST "$PORTAL${path}" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/octet-stream' --data-binary @${file}`;
  });
  return lines.join('\n');
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' }, key: { type: 'string' }, version: { type: 'string', default: agentVersion() } },
  });
  try {
    if (positionals[0] === 'key' && values.out) console.log(makeKey(values.out));
    else if (positionals[0] === 'package' && values.key)
      console.log(await makePackage(values.key, values.version, values.out ?? '.'));
    else
      throw new Error('Usage: npm run -s agent-release -- key --out FILE | package --key FILE [--version 1.1.0] [--out FOLDER]');
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
