import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectFile } from './evidence.ts';

let folder: string;
let state: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-evidence-'));
  state = join(folder, 'state');
  mkdirSync(state);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const collect = (path: string, most = 0) => collectFile(state, 1, path, most);
const copies = () => readdirSync(join(state, 'collected'));

test('copies and hashes a file and returns its real path for any name', async () => {
  mkdirSync(join(folder, 'real'));
  const path = join(folder, 'real', '-rf $(x)\n; ü');
  writeFileSync(path, 'evidence');
  symlinkSync('real', join(folder, 'link'));
  const { file, upload } = await collect(join(folder, 'link', '-rf $(x)\n; ü'));
  expect(file).toEqual({ path, size: 8, sha256: createHash('sha256').update('evidence').digest('hex') });
  expect(readFileSync(upload, 'utf8')).toBe('evidence');
});

test('refuses links, folders, devices, kernel files and agent files, leaving no copy', async () => {
  writeFileSync(join(folder, 'file'), 'x');
  symlinkSync('file', join(folder, 'link'));
  symlinkSync('/proc', join(folder, 'proc'));
  writeFileSync(join(state, 'agent.json'), 'key');
  symlinkSync('state', join(folder, 'others'));
  for (const [path, why] of [
    [join(folder, 'link'), /link/],
    [folder, /isn’t a regular file/],
    ['/dev/null', /isn’t a regular file/],
    ['/dev/zero', /isn’t a regular file/],
    ['/proc/self/environ', /kernel/],
    [join(folder, 'proc', 'version'), /kernel/],
    [join(state, 'agent.json'), /own/],
    [join(folder, 'others', 'agent.json'), /own/],
    [join(folder, 'none'), /no such file/],
    ['relative', /isn’t a whole path/],
    [`${folder}/../x`, /isn’t a whole path/],
    [`${folder}/x\0y`, /isn’t a whole path/],
    ['', /isn’t a whole path/],
  ] as const)
    await expect(collect(path), path).rejects.toThrow(why);
  expect(copies()).toEqual([]);
});

test('refuses a file above the size limit without a partial copy', async () => {
  writeFileSync(join(folder, 'file'), 'x'.repeat(11));
  await expect(collect(join(folder, 'file'), 10)).rejects.toThrow(/11 bytes; the limit is 10/);
  linkSync(join(folder, 'file'), join(folder, 'hard'));
  expect((await collect(join(folder, 'hard'), 11)).file.size).toBe(11);
});

test('leaves pipes unopened, so that their writers keep waiting', async () => {
  const pipe = join(folder, 'pipe');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  const writer = spawn('sh', ['-c', `echo ready; echo x >'${pipe}'`]);
  const ended = once(writer, 'close');
  await once(writer.stdout, 'data');
  // Asleep: it opens the pipe, and waits for a reader.
  await expect.poll(() => readFileSync(`/proc/${writer.pid}/stat`, 'utf8')).toMatch(/\) S /);
  await expect(collect(pipe)).rejects.toThrow(/isn’t a regular file/);
  // A reader before this one would have had its line.
  expect(spawnSync('timeout', ['10', 'cat', pipe], { encoding: 'utf8' }).stdout).toBe('x\n');
  await ended;
});

const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END OPENSSH PRIVATE KEY-----\n';
const written = (name: string, text: string) => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

test('refuses keys, password hashes and keytabs by name, inode and content', async () => {
  const names = [
    '.ssh/id_ed25519',
    '.ssh/work',
    'etc/ssh/ssh_host_rsa_key',
    'host.keytab',
    'server.KEY',
    'etc/Shadow',
    'shadow-',
    'gshadow.bak',
  ];
  for (const name of [...names, 'store.p12', 'etc/letsencrypt/archive/a/privkey1.pem', 'var/krb5kdc/principal'])
    await expect(collect(written(name, 'x')), name).rejects.toThrow(/deny list keeps it on this host/);
  // A copy under a harmless name, with the key below the first line.
  await expect(collect(written('notes.txt', key))).rejects.toThrow(/holds a private key/);
  await expect(collect(written('bundle.pem', `${'#'.repeat(5_000)}\n${key.replace('OPENSSH ', 'RSA ')}`))).rejects.toThrow(
    /private key/,
  );
  // Files that investigations need contain no keys.
  for (const name of [
    '.ssh/authorized_keys',
    '.ssh/known_hosts',
    '.ssh/id_rsa.pub',
    'ssh_host_rsa_key.pub',
    'shadowsocks.json',
    'keys.log',
  ])
    expect((await collect(written(name, 'evidence'))).file.size, name).toBe(8);
});

test('refuses denied files through /proc links, linked folders and hard links', async () => {
  await expect(collect('/proc/self/root/etc/shadow')).rejects.toThrow(/password hashes/);
  symlinkSync('/etc', join(folder, 'config'));
  await expect(collect(join(folder, 'config', 'shadow'))).rejects.toThrow(/password hashes/);
  writeFileSync(join(state, 'agent.json'), 'key');
  linkSync(join(state, 'agent.json'), join(folder, 'mine'));
  await expect(collect(join(folder, 'mine'))).rejects.toThrow(/the agent’s own/);
});

test('detects a hard link to the password hashes by inode', async () => {
  const other = join(folder, 'innocent');
  try {
    linkSync('/etc/shadow', other);
  } catch {
    // The folder is on another file system, which allows no such link.
    return;
  }
  await expect(collect(other)).rejects.toThrow(/under another name/);
});

test('allows denied files only by host configuration, and never agent files', async () => {
  const path = written('server.key', key);
  writeFileSync(join(state, 'agent.json'), 'key');
  const collectable = [path, join(state, 'agent.json')];
  expect((await collectFile(state, 1, path, 0, collectable)).file.path).toBe(path);
  await expect(collectFile(state, 1, join(state, 'agent.json'), 0, collectable)).rejects.toThrow(/the agent’s own/);
});
