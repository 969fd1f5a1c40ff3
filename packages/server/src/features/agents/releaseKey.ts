/** Key that agent packages must be signed with. The demo generates its own pair, so that rollouts can be tried there. */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** File of the demo’s private key; `npm run -s agent-release` signs with it. */
export const demoKeyFile = 'agent-release.key';

/** Returns the public key as PEM; empty if none is configured. Throws for anything but an Ed25519 key. */
export async function releaseKeyOf({
  agentReleaseKey,
  isDemo,
  dataDir,
}: {
  agentReleaseKey: string | undefined;
  isDemo: boolean;
  dataDir: string;
}): Promise<string> {
  if (agentReleaseKey) {
    const isPem = agentReleaseKey.includes('-----BEGIN');
    const key = isPem
      ? createPublicKey(agentReleaseKey.replaceAll('\\n', '\n'))
      : createPublicKey({ key: Buffer.from(agentReleaseKey, 'base64'), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('AGENT_RELEASE_KEY must be a public Ed25519 key.');
    return pemOf(key);
  }
  if (!isDemo) return '';
  const path = join(dataDir, demoKeyFile);
  const read = async () => pemOf(createPublicKey(createPrivateKey(await readFile(path, 'utf8'))));
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await mkdir(dataDir, { recursive: true });
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  // If another process of the installation was first, its key is used.
  await writeFile(path, pem, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return read();
}

const pemOf = (key: ReturnType<typeof createPublicKey>): string => key.export({ type: 'spki', format: 'pem' }).toString();
