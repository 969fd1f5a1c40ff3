/** Signed packages are accepted by the agent's check, altered ones are not. */
import { spawnSync } from 'node:child_process';
import { createPublicKey, hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reasonAgainst } from '@parapet/agent/upgrade.ts';
import { expect, test } from 'vitest';

const tool = fileURLToPath(new URL('./agent-release.ts', import.meta.url));
const run = (...words: string[]) => spawnSync(process.execPath, [tool, ...words], { encoding: 'utf8' });

test('creates a key once and builds and signs an acceptable package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-release-'));
  try {
    const keyFile = join(folder, 'release.key');
    const made = run('key', '--out', keyFile);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(run('key', '--out', keyFile).status).toBe(1);
    const der = /^AGENT_RELEASE_KEY=(.+)$/m.exec(made.stdout)?.[1] as string;
    const releaseKey = createPublicKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'spki' })
      .export({ type: 'spki', format: 'pem' })
      .toString();

    const packed = run('package', '--key', keyFile, '--version', '7.1.0', '--out', folder);
    const bytes = readFileSync(join(folder, 'agent-7.1.0.mjs'));
    expect(bytes.length).toBeLessThan(1024 * 1024);
    expect(spawnSync(process.execPath, [join(folder, 'agent-7.1.0.mjs'), '--version'], { encoding: 'utf8' }).stdout).toBe(
      '7.1.0\n',
    );
    const platform = process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64';
    const signature = new RegExp(`/agentreleases/7\\.1\\.0/${platform}\\?signature=([\\w-]+)`).exec(packed.stdout)?.[1] as string;
    const offer = { version: '7.1.0', platform, sha256: hash('sha256', bytes, 'hex'), size: bytes.length, signature };
    const host = { version: '1.0.0', releaseKey, home: folder };
    expect(reasonAgainst(offer, host)).toBe(undefined);
    expect(reasonAgainst({ ...offer, size: offer.size + 1 }, host)).toMatch(/signature/);
    expect(run('package', '--key', keyFile, '--version', 'latest').status).toBe(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
