import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAddress, noteAddress } from './addressNote.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'address-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('the address of a running portal is found until it stops', async () => {
  expect(await findAddress(folder)).toBeUndefined();
  const remove = await noteAddress(folder, 'http://localhost:9123');
  expect(await findAddress(folder)).toBe('http://localhost:9123');
  await remove();
  expect(await findAddress(folder)).toBeUndefined();
});

test('a note of a process that is gone, or torn, is no address', async () => {
  // Above the greatest process id of Linux.
  await writeFile(join(folder, 'portal.json'), JSON.stringify({ pid: 2 ** 22 + 1, url: 'http://localhost:9123' }));
  expect(await findAddress(folder)).toBeUndefined();
  await writeFile(join(folder, 'portal.json'), '{"pid":');
  expect(await findAddress(folder)).toBeUndefined();
});
