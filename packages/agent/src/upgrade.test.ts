import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PortalUnavailableError } from './client.ts';
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

test('compares versions numerically', () => {
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

describe('checking an offer', () => {
  const bytes = script('1.1.0');
  const good = offerOf('1.1.0', bytes);
  test.each([
    ['signed with another key', offerOf('1.1.0', bytes, { key: strangers.privateKey }), /signature/],
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

  test('refuses offers without a pinned key and outside an installation', () => {
    expect(reasonAgainst(good, { version: '1.0.0', releaseKey: '', home })).toMatch(/key/);
    expect(reasonAgainst(good, { version: '1.0.0', releaseKey, home: undefined })).toMatch(/not installed/);
    expect(reasonAgainst(good, { version: '1.0.0', releaseKey, home })).toBe(undefined);
  });

  test('reports wrong bytes, a failing start or another version without changes', async () => {
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
      await upgrades.reported();
    }
  });

  test('retries a package that cannot be downloaded', async () => {
    const upgrades = upgradesOf(new PortalUnavailableError('away'));
    await expect(upgrades.take(good)).rejects.toThrow(PortalUnavailableError);
    expect(upgrades.report()).toBe(undefined);
  });
});

describe('trying a new version', () => {
  const bytes = script('1.1.0');
  /** A signed package with the right version; each of its starts appends a line. */
  const program = (body: string) =>
    Buffer.from(`import { appendFileSync } from 'node:fs';
if (process.argv.includes('--version')) { console.log('1.1.0'); process.exit(); }
appendFileSync(process.env.STARTS, process.pid + '\\n');
${body}
`);
  const hangs = "process.on('SIGTERM', () => {});\nsetInterval(() => {}, 1000);";
  const starts = () => (existsSync(join(root, 'starts')) ? readFileSync(join(root, 'starts'), 'utf8').trim().split('\n') : []);
  const upgradesFor = (bytes: Buffer, trialMs = 20_000) =>
    createUpgrades({
      ...{ home, state, releaseKey, trialMs, version: '1.0.0', trouble: () => {}, pauseMs: 10 },
      client: { call: async () => bytes },
    });
  const isAlive = (pids: string[]) => pids.some((pid) => existsSync(`/proc/${pid}`));
  const never = new AbortController().signal;
  beforeEach(() => vi.stubEnv('STARTS', join(root, 'starts')));
  afterEach(() => void vi.unstubAllEnvs());

  async function given(body: string, trialMs?: number) {
    const bytes = program(body);
    const upgrades = upgradesFor(bytes, trialMs);
    const offer = offerOf('1.1.0', bytes);
    expect(await upgrades.take(offer)).toBe(true);
    expect(current()).toBe('releases/1.0.0');
    return { upgrades, offer };
  }

  test('makes it current after its check-in and keeps the previous one', async () => {
    mkdirSync(join(home, 'releases', '0.9.0'));
    // Stands in for the new version's check-in; it sees its trial and runs until it is terminated.
    const { upgrades } = await given('setInterval(() => {}, 1000);');
    const trying = upgrades.tryOut(never);
    await expect.poll(starts).toHaveLength(1);
    const after = upgradesOf(bytes, '1.1.0');
    await after.healthy();
    await trying;
    expect(current()).toBe('releases/1.1.0');
    expect(after.report()).toMatchObject({ version: '1.1.0', state: 'installed' });
    expect(existsSync(join(state, 'trial.json'))).toBe(false);
    expect(existsSync(join(home, 'releases', '1.0.0'))).toBe(true);
    expect(existsSync(join(home, 'releases', '0.9.0'))).toBe(false);
    expect(isAlive(starts())).toBe(false);
  });

  test('starts a crashing version three times and never makes it current or tries it again', async () => {
    const { upgrades, offer } = await given('process.exit(1);');
    await upgrades.tryOut(never);
    expect(starts()).toHaveLength(3);
    expect(current()).toBe('releases/1.0.0');
    expect(upgrades.report()).toMatchObject({
      version: '1.1.0',
      state: 'failed',
      detail: expect.stringMatching(/started 3 times/),
    });
    expect(await upgradesFor(bytes).take(offer)).toBe(false);
  });

  test('gives up a version that kills the agent after as many starts', async () => {
    const { offer } = await given(hangs);
    for (let start = 1; start <= 3; start++) {
      const upgrades = upgradesFor(program(hangs));
      expect(await upgrades.take(offer)).toBe(true);
      // Everything dies at once here: only the file counts starts.
      const trial = JSON.parse(readFileSync(join(state, 'trial.json'), 'utf8'));
      expect(trial.starts).toBe(start - 1);
      writeFileSync(join(state, 'trial.json'), JSON.stringify({ ...trial, starts: start }));
    }
    const upgrades = upgradesFor(program(hangs));
    expect(await upgrades.take(offer)).toBe(true);
    await upgrades.tryOut(never);
    expect(upgrades.report()).toMatchObject({ state: 'failed' });
    expect(starts()).toEqual([]);
    expect(current()).toBe('releases/1.0.0');
  });

  test.each([
    ['nothing but the mark was written', true],
    ['the report was written', false],
  ])('completes a giving up that a kill cut short after %s', async (_, isUnreported) => {
    const { upgrades, offer } = await given('process.exit(1);');
    const trial = readFileSync(join(state, 'trial.json'));
    await upgrades.tryOut(never);
    const report = upgrades.report();
    writeFileSync(join(state, 'trial.json'), trial);
    if (isUnreported) await upgrades.reported();

    const after = upgradesFor(bytes);
    await after.recover();
    expect(after.report()).toEqual(report);
    expect(existsSync(join(state, 'trial.json'))).toBe(false);
    await after.reported();
    await after.recover();
    expect(after.report()).toBe(undefined);
    expect(await after.take(offer)).toBe(false);
  });

  test('kills a version that ignores SIGTERM at the time limit', async () => {
    const { upgrades } = await given(hangs, 3_000);
    await upgrades.tryOut(never);
    expect(starts()).toHaveLength(1);
    expect(isAlive(starts())).toBe(false);
    expect(upgrades.report()).toMatchObject({ state: 'failed', detail: expect.stringMatching(/did not reach the portal/) });
    expect(current()).toBe('releases/1.0.0');
  });

  test('continues later without a failure when the service is stopped', async () => {
    const { upgrades } = await given('setInterval(() => {}, 1000);');
    const stop = new AbortController();
    const trying = upgrades.tryOut(stop.signal);
    await expect.poll(starts).toHaveLength(1);
    stop.abort();
    await trying;
    expect(isAlive(starts())).toBe(false);
    expect(upgrades.report()).toBe(undefined);
    expect(JSON.parse(readFileSync(join(state, 'trial.json'), 'utf8'))).toEqual({ from: '1.0.0', to: '1.1.0', starts: 0 });
  });

  test('ignores a check-in of a version that is not on trial', async () => {
    await given('');
    await upgradesOf(bytes).healthy();
    expect([current(), existsSync(join(state, 'trial.json'))]).toEqual(['releases/1.0.0', true]);
  });
});

test('reports an installation that is not writable', async () => {
  const bytes = script('1.1.0');
  writeFileSync(join(home, 'releases', '1.1.0'), 'in the way');
  chmodSync(join(home, 'releases', '1.1.0'), 0o400);
  const upgrades = upgradesOf(bytes);
  expect(await upgrades.take(offerOf('1.1.0', bytes))).toBe(false);
  expect(upgrades.report()).toMatchObject({ state: 'failed' });
});
