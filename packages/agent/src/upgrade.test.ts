import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Away } from './client.ts';
import { createUpgrades, reasonAgainst } from './upgrade.ts';
import { isNewer, platform } from './version.ts';

const keys = generateKeyPairSync('ed25519');
const strangers = generateKeyPairSync('ed25519');
const releaseKey = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const script = (version: string) => Buffer.from(`console.log(${JSON.stringify(version)});\n`);

function offerOf(version: string, bytes: Buffer, { key = keys.privateKey, of = platform } = {}) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const signature = sign(null, Buffer.from(`${version} ${of} ${sha256} ${bytes.length}`), key).toString('base64url');
  return { version, platform: of, sha256, size: bytes.length, signature };
}

let root: string;
let home: string;
let state: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parapet-upgrade-'));
  home = join(root, 'home');
  state = join(root, 'state');
  mkdirSync(join(home, 'releases', '1.0.0'), { recursive: true });
  mkdirSync(state);
  writeFileSync(join(home, 'releases', '1.0.0', 'agent.mjs'), script('1.0.0'));
  symlinkSync('releases/1.0.0', join(home, 'current'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const upgradesOf = (bytes: Buffer | Error, version = '1.0.0') =>
  createUpgrades({
    ...{ home, state, releaseKey, version, trouble: () => {} },
    client: { call: async () => (bytes instanceof Error ? Promise.reject(bytes) : bytes) },
  });
const current = () => readlinkSync(join(home, 'current'));

test('versions are compared as numbers', () => {
  expect(isNewer('1.10.0', '1.9.9')).toBe(true);
  for (const [version, than] of [
    ['1.0.0', '1.0.0'],
    ['0.9.9', '1.0.0'],
    ['1.0', '0.9.0'],
    ['2.0.0-rc', '1.0.0'],
    ['v2.0.0', '1.0.0'],
  ] as const)
    expect(isNewer(version, than)).toBe(false);
});

describe('an offer', () => {
  const bytes = script('1.1.0');
  const good = offerOf('1.1.0', bytes);
  test.each([
    ['signed by somebody else', offerOf('1.1.0', bytes, { key: strangers.privateKey }), /signature/],
    ['with another hash than was signed', { ...good, sha256: 'a'.repeat(64) }, /signature/],
    ['with another size than was signed', { ...good, size: 1 }, /signature/],
    ['of another version than was signed', { ...good, version: '9.0.0' }, /signature/],
    ['with nonsense for a signature', { ...good, signature: '' }, /signature/],
    ['for another platform', offerOf('1.1.0', bytes, { of: 'linux-riscv' as typeof platform }), /is for/],
    ['of the same version', offerOf('1.0.0', bytes), /newer/],
    ['of an older version, though signed', offerOf('0.9.0', bytes), /newer/],
    ['of a path for a version', offerOf('../../../etc', bytes), /newer/],
  ])('%s is refused, and nothing changes', async (_, offer, why) => {
    const upgrades = upgradesOf(bytes);
    expect(await upgrades.take(offer)).toBe(false);
    expect(upgrades.report()).toMatchObject({ state: 'refused', detail: expect.stringMatching(why) });
    expect(current()).toBe('releases/1.0.0');
  });

  test('is refused without a pinned key, and outside of an installation', () => {
    expect(reasonAgainst(good, { version: '1.0.0', releaseKey: '', home })).toMatch(/key/);
    expect(reasonAgainst(good, { version: '1.0.0', releaseKey, home: undefined })).toMatch(/not installed/);
    expect(reasonAgainst(good, { version: '1.0.0', releaseKey, home })).toBe(undefined);
  });

  test('whose bytes are others, or do not start, or call themselves otherwise, fails and nothing changes', async () => {
    const broken = Buffer.from('this is no program');
    const liar = script('7.0.0');
    for (const [offer, given] of [
      [good, liar],
      [offerOf('1.1.0', broken), broken],
      [offerOf('1.2.0', liar), liar],
    ] as const) {
      const upgrades = upgradesOf(given);
      expect(await upgrades.take(offer)).toBe(false);
      expect(upgrades.report()).toMatchObject({ state: 'failed' });
      expect(current()).toBe('releases/1.0.0');
      await upgrades.told();
    }
  });

  test('that cannot be loaded now is no failure', async () => {
    const upgrades = upgradesOf(new Away('away'));
    await expect(upgrades.take(good)).rejects.toThrow(Away);
    expect(upgrades.report()).toBe(undefined);
  });
});

describe('a new version', () => {
  const bytes = script('1.1.0');
  const taken = async () => expect(await upgradesOf(bytes).take(offerOf('1.1.0', bytes))).toBe(true);

  test('is in place, and stays when it has checked in', async () => {
    mkdirSync(join(home, 'releases', '0.9.0'));
    await taken();
    expect(current()).toBe('releases/1.1.0');
    const after = upgradesOf(bytes, '1.1.0');
    expect(await after.begin()).toBe(false);
    expect(after.deadlineMs()).toBeGreaterThan(0);
    await after.healthy();
    expect(after.report()).toMatchObject({ version: '1.1.0', state: 'installed' });
    expect(after.deadlineMs()).toBe(undefined);
    expect(existsSync(join(home, 'releases', '1.0.0'))).toBe(true);
    expect(existsSync(join(home, 'releases', '0.9.0'))).toBe(false);
  });

  test('that dies again and again goes back to the one before, and is not taken again', async () => {
    await taken();
    for (let start = 0; start < 3; start++) expect(await upgradesOf(bytes, '1.1.0').begin()).toBe(false);
    const last = upgradesOf(bytes, '1.1.0');
    expect(await last.begin()).toBe(true);
    expect(current()).toBe('releases/1.0.0');
    const before = upgradesOf(bytes);
    expect(await before.begin()).toBe(false);
    expect(before.report()).toMatchObject({ version: '1.1.0', state: 'failed' });
    expect(await before.take(offerOf('1.1.0', bytes))).toBe(false);
  });

  test('that does not reach the portal in time goes back', async () => {
    await taken();
    const after = upgradesOf(bytes, '1.1.0');
    await after.begin();
    await after.giveUp('It did not reach the portal.');
    expect(current()).toBe('releases/1.0.0');
  });
});

test('an installation that may not be written to says so', async () => {
  const bytes = script('1.1.0');
  writeFileSync(join(home, 'releases', '1.1.0'), 'in the way');
  chmodSync(join(home, 'releases', '1.1.0'), 0o400);
  const upgrades = upgradesOf(bytes);
  expect(await upgrades.take(offerOf('1.1.0', bytes))).toBe(false);
  expect(upgrades.report()).toMatchObject({ state: 'failed' });
});
