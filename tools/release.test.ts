/** Archives are reproducible, verified by their signature, and refused when altered; materials and licences are complete. */
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRelease, verifyRelease } from './release.archive.ts';
import { licencesOf, type Sbom, sbomOf } from './release.materials.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const empty = () => ({ components: [] }) as unknown as Sbom;

let folder: string;
let repository: string;
const git = (...words: string[]) => {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  const { status, stderr } = spawnSync('git', [...identity, ...words], { cwd: repository, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-releases-'));
  repository = join(folder, 'repository');
  mkdirSync(join(repository, 'packages/web/dist'), { recursive: true });
  writeFileSync(join(repository, 'package.json'), '{ "version": "7.1.0" }');
  writeFileSync(join(repository, 'package-lock.json'), '{}');
  writeFileSync(join(repository, '.gitignore'), 'dist/\n*.key\n');
  writeFileSync(join(repository, 'packages/web/dist/index.html'), '<html></html>');
  mkdirSync(join(repository, 'packages/web/dist/former/assets'), { recursive: true });
  writeFileSync(join(repository, 'packages/web/dist/former/assets/a.js'), 'of an earlier build');
  writeFileSync(join(repository, 'secret.key'), 'not tracked');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'A commit');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const made = (out: string) =>
  makeRelease({ root: repository, out: join(folder, out), privateKeyPem, sbomOf: empty, withModules: false });

test('makes the same bytes twice, of tracked files and built pages', () => {
  const [one, other] = [made('one'), made('other')];
  expect(readFileSync(one.archive).equals(readFileSync(other.archive))).toBe(true);
  expect(readFileSync(one.manifest, 'utf8')).toBe(readFileSync(other.manifest, 'utf8'));
  const { stdout } = spawnSync('tar', ['-tzf', one.archive], { encoding: 'utf8' });
  const names = stdout.split('\n').filter((name) => name !== '' && !name.endsWith('/'));
  expect(names.map((name) => name.replace('parapet-7.1.0/', '')).sort()).toEqual(
    ['.gitignore', 'LICENCES.txt', 'package-lock.json', 'package.json', 'packages/web/dist/index.html', 'sbom.cdx.json'].sort(),
  );
});

test('verifies a genuine archive, and refuses another key, an altered manifest and an altered archive', () => {
  const { manifest, archive } = made('verified');
  expect(verifyRelease(manifest, publicPem)).toMatchObject({ version: '7.1.0', commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
  const stranger = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
  expect(() => verifyRelease(manifest, stranger)).toThrow('The signature of parapet-7.1.0.json is not valid for this key.');
  appendFileSync(archive, 'x');
  expect(() => verifyRelease(manifest, publicPem)).toThrow('parapet-7.1.0.tar.gz differs from the one that was signed.');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('7.1.0', '7.2.0'));
  expect(() => verifyRelease(manifest, publicPem)).toThrow('is not valid');
});

test('refuses a working tree with changes, and a licence that is not allowed', () => {
  writeFileSync(join(repository, 'package-lock.json'), '{ "changed": true }');
  expect(() => made('changed')).toThrow('The working tree has changes that are not committed.');
  git('checkout', '-q', '.');
  const component = {
    name: 'copied',
    version: '1.0.0',
    purl: 'pkg:npm/copied@1.0.0',
    licenses: [{ license: { id: 'AGPL-3.0-only' } }],
  };
  expect(licencesOf({ components: [component] }).refused).toEqual(['copied 1.0.0: AGPL-3.0-only']);
  expect(licencesOf({ components: [{ ...component, licenses: [] }] }).refused).toEqual(['copied 1.0.0: no licence']);
  expect(licencesOf({ components: [{ ...component, licenses: [{ expression: '(MIT OR CC0-1.0)' }] }] }).refused).toEqual([]);
});

test('ignores its own keys and archives, and writes no key where it would be committed', () => {
  const ignored = (file: string) => spawnSync('git', ['check-ignore', '-q', file], { cwd: root }).status;
  expect(['release.key', 'release.key.pub', 'release/parapet-1.0.0.tar.gz'].map(ignored)).toEqual([0, 0, 0]);
  const keyAt = (file: string) =>
    spawnSync(process.execPath, ['tools/release.ts', 'key', '--out', file], { cwd: root, encoding: 'utf8' });
  const refused = join(root, 'docs/release.pem');
  const { status, stderr } = keyAt(refused);
  const isWritten = existsSync(refused);
  for (const file of [refused, `${refused}.pub`]) rmSync(file, { force: true });
  expect([status, isWritten, stderr]).toEqual([
    1,
    false,
    `${refused} is in the repository and not ignored by it. Write the key elsewhere.\n`,
  ]);
  expect(keyAt(join(folder, 'release.pem')).status).toBe(0);
});

test('lists the production packages of this repository, all with an allowed licence', { timeout: 60_000 }, () => {
  const sbom = sbomOf(root, new Date(0));
  expect([sbom.bomFormat, sbom.metadata.component.name, sbom.metadata.timestamp]).toEqual([
    'CycloneDX',
    'parapet',
    '1970-01-01T00:00:00.000Z',
  ]);
  expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  const names = sbom.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'react', 'kysely']));
  expect(names.filter((name) => /vitest|playwright|biome/.test(name))).toEqual([]);
  const { text, refused } = licencesOf(sbom);
  expect(refused).toEqual([]);
  expect(text).toMatch(/^fastify \d+\.\d+\.\d+: MIT$/m);
});
