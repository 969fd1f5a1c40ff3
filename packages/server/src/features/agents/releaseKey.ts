/** The key that packages of the agent must be signed with. The demo makes a pair of its own, so that everything can be tried there. */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the demo keeps its private key; `npm run -s agent-release` signs with it. */
export const demoKeyFile = 'agent-release.key';

/** PEM of the public key; empty where none is configured. Throws for what is no Ed25519 key. */
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
  // Another process of the installation may be faster: its key counts.
  await writeFile(path, pem, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return read();
}

const pemOf = (key: ReturnType<typeof createPublicKey>): string => key.export({ type: 'spki', format: 'pem' }).toString();
