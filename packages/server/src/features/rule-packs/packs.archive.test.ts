import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { packTar } from 'modern-tar';
import { expect, test } from 'vitest';
import { signingKey } from '../../core/keys/signing.ts';
import { readArchive } from './packs.archive.ts';
import { packArchive } from './packs.export.ts';
import { readManifest } from './packs.manifest.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const key = signingKey(Buffer.alloc(32, 7));
const about = { name: 'Pack', version: '1', publisher: 'Tester' };
const rules = [
  { path: 'rules/a.yml', bytes: bytes('title: a') },
  { path: 'rules/b.yaml', bytes: bytes('title: b') },
];
const pathsOf = async (archive: Uint8Array, folder = '') => (await readArchive(archive, folder)).rules.map(({ path }) => path);

test('reads zip, tar and tar.gz, without the folder that all files share', async () => {
  const files = { 'sigma-1/rules/b.yml': bytes('b'), 'sigma-1/rules/a.yml': bytes('a'), 'sigma-1/README.md': bytes('text') };
  const tar = await packTar(
    Object.entries(files).map(([name, body]) => ({ header: { name, size: body.length, type: 'file' as const }, body })),
  );
  for (const archive of [zipSync(files), tar, gzipSync(tar)])
    expect(await pathsOf(archive)).toEqual(['rules/a.yml', 'rules/b.yml']);
  expect(await pathsOf(zipSync({ ...files, 'sigma-1/.github/work.yml': bytes('w') }), 'rules')).toHaveLength(2);
});

test('refuses archives that are damaged, empty, too large or no archives', async () => {
  const zip = zipSync({ 'rules/a.yml': bytes('title: a'.repeat(500)) }, { level: 9 });
  const damaged = Buffer.from(zip);
  damaged.fill(0xff, 45, 60);
  const most = { files: 20, bytes: 3 * 1024 * 1024 };
  const long = new Uint8Array(4 * 1024 * 1024);
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`d/${i}.yml`, bytes(`title: ${i}`)]));
  const tar = await packTar(Object.keys(many).map((name) => ({ header: { name, size: 1, type: 'file' as const }, body: 'a' })));
  for (const [archive, fault] of [
    [bytes('no archive'), /This is no \.zip, \.tar or \.tar\.gz archive/],
    [gzipSync(bytes('no archive')), /The archive is damaged/],
    [damaged, /damaged/],
    [zipSync({ 'a.yml': long }), /more than 3 MB/],
    [gzipSync(long), /more than 3 MB/],
    [zipSync(many), /more than 20 files/],
    [tar, /more than 20 files/],
    [zipSync({ 'README.md': bytes('text') }), /no \.yml or \.yaml file in it/],
  ] as const)
    await expect(readArchive(archive, '', most)).rejects.toThrow(fault);
  await expect(readArchive(zip, 'other')).rejects.toThrow('There is no .yml or .yaml file below “other”.');
});

test('verifies a signed pack, and refuses a changed, added or forged part', async () => {
  const archive = await readArchive(packArchive(rules, about, key), '');
  expect(readManifest(archive)).toMatchObject({ ...about, publicKey: key.publicKey });
  expect(archive.rules.map(({ path }) => path)).toEqual(['rules/a.yml', 'rules/b.yaml']);
  const changed = { ...archive, rules: [{ path: 'rules/a.yml', bytes: bytes('title: x') }] };
  expect(() => readManifest(changed)).toThrow('The file rules/a.yml differs from the signed manifest.');
  const added = { ...archive, rules: [...archive.rules, { path: 'rules/c.yml', bytes: bytes('title: c') }] };
  expect(() => readManifest(added)).toThrow('The signed manifest does not name the file rules/c.yml.');
  const other = packArchive(rules, { ...about, version: '2' }, signingKey(Buffer.alloc(32, 8)));
  const forged = { ...archive, manifest: (await readArchive(other, '')).manifest! };
  expect(() => readManifest(forged)).toThrow('The signature of the manifest is forged or damaged.');
  expect(() => readManifest({ rules: archive.rules, manifest: archive.manifest! })).toThrow(
    'its signature manifest.json.sig is missing',
  );
  const stripped = { ...archive, rules: archive.rules.slice(1) };
  expect(() => readManifest(stripped)).toThrow('The file rules/a.yml of the signed manifest is missing.');
  expect(() => readManifest({ ...archive, signature: bytes('0'.repeat(128)) })).toThrow('forged or damaged');
  expect(readManifest({ rules })).toBeUndefined();
});
