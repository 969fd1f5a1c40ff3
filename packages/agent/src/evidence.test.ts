import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('a file is copied and hashed, and its real path is said, whatever its name is', async () => {
  mkdirSync(join(folder, 'real'));
  const path = join(folder, 'real', '-rf $(x)\n; ü');
  writeFileSync(path, 'evidence');
  symlinkSync('real', join(folder, 'link'));
  const { file, upload } = await collect(join(folder, 'link', '-rf $(x)\n; ü'));
  expect(file).toEqual({ path, size: 8, sha256: createHash('sha256').update('evidence').digest('hex') });
  expect(readFileSync(upload, 'utf8')).toBe('evidence');
});

test('links, folders, devices, the kernel’s and the agent’s own are refused, and nothing is left', async () => {
  writeFileSync(join(folder, 'file'), 'x');
  symlinkSync('file', join(folder, 'link'));
  symlinkSync('/proc', join(folder, 'proc'));
  writeFileSync(join(state, 'agent.json'), 'key');
  symlinkSync('state', join(folder, 'others'));
  for (const [path, why] of [
    [join(folder, 'link'), /link/],
    [folder, /no regular file/],
    ['/dev/null', /no regular file/],
    ['/dev/zero', /no regular file/],
    ['/proc/self/environ', /kernel/],
    [join(folder, 'proc', 'version'), /kernel/],
    [join(state, 'agent.json'), /own/],
    [join(folder, 'others', 'agent.json'), /own/],
    [join(folder, 'none'), /no such file/],
    ['relative', /no whole path/],
    [`${folder}/../x`, /no whole path/],
    [`${folder}/x\0y`, /no whole path/],
    ['', /no whole path/],
  ] as const)
    await expect(collect(path), path).rejects.toThrow(why);
  expect(copies()).toEqual([]);
});

test('of a file that has more than was asked for nothing is taken', async () => {
  writeFileSync(join(folder, 'file'), 'x'.repeat(11));
  await expect(collect(join(folder, 'file'), 10)).rejects.toThrow(/11 bytes; at most 10/);
  linkSync(join(folder, 'file'), join(folder, 'hard'));
  expect((await collect(join(folder, 'hard'), 11)).file.size).toBe(11);
});

test('a pipe is not so much as opened: whoever waits at it goes on waiting', async () => {
  const pipe = join(folder, 'pipe');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  const writer = spawn('sh', ['-c', `echo x >'${pipe}'`]);
  let hasEnded = false;
  const ended = new Promise<void>((resolve) =>
    writer.once('close', () => {
      hasEnded = true;
      resolve();
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  await expect(collect(pipe)).rejects.toThrow(/no regular file/);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(hasEnded).toBe(false);
  writer.kill('SIGKILL');
  await ended;
});
