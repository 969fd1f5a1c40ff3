import { appendFileSync, copyFileSync, mkdtempSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Line, linesOf } from '../test/lines.ts';
import type { Block } from './bulk.ts';
import { longestLine } from './lineBlocks.ts';
import type { Position } from './rotations.ts';
import { createTail, type Tail } from './tail.ts';

let folder: string;
let path: string;
let now = 0;
let lines: Line[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-tail-'));
  path = join(folder, 'auth.log');
  lines = [];
});
const open: Tail[] = [];
afterEach(async () => {
  for (const tail of open.splice(0)) await tail.close();
  rmSync(folder, { recursive: true, force: true });
});

const take = async (blocks: Block[]) => {
  for (const block of blocks) {
    const found = linesOf(block);
    expect(found).toHaveLength(block.count);
    lines.push(...found);
  }
};
const texts = () => lines.map(({ text }) => text);
/** Advances time by some seconds with periodic polls. */
async function pass(tail: Tail): Promise<void> {
  for (let n = 0; n < 10; n++) {
    await tail.poll(take);
    now += 1_000;
  }
}
function follow(saved?: Position, name = path): Tail {
  const tail = createTail(name, saved, () => now);
  open.push(tail);
  return tail;
}
/** A tail that follows the file from its first line. */
async function fromTheStart(): Promise<Tail> {
  const tail = follow();
  await tail.poll(take);
  return tail;
}

test('skips existing lines and reads new ones, also in a file created later', async () => {
  writeFileSync(path, 'old\n');
  const tail = follow();
  await pass(tail);
  appendFileSync(path, 'new\n');
  await pass(tail);
  expect(texts()).toEqual(['new']);
  const late = follow(undefined, join(folder, 'late.log'));
  await late.poll(take);
  writeFileSync(join(folder, 'late.log'), 'first\n');
  await late.poll(take);
  expect(texts()).toEqual(['new', 'first']);
});

test('emits complete lines and handles CR, empty lines and binary data', async () => {
  const tail = await fromTheStart();
  writeFileSync(path, 'begin');
  await pass(tail);
  expect(texts()).toEqual([]);
  appendFileSync(path, 'ning\r\n\n');
  appendFileSync(path, Buffer.from([0xff, 0x41, 10]));
  await pass(tail);
  expect(texts()).toEqual(['beginning', '\ufffdA']);
});

test('reads the rest of a rotated file, including late writes, then the new one', async () => {
  const tail = await fromTheStart();
  writeFileSync(path, '1\n');
  await tail.poll(take);
  renameSync(path, `${path}.1`);
  writeFileSync(path, '3\n');
  await tail.poll(take);
  appendFileSync(`${path}.1`, '2\n');
  await pass(tail);
  expect(texts()).toEqual(['1', '2', '3']);
});

test('reads all files rotated while the agent was stopped', async () => {
  const tail = await fromTheStart();
  writeFileSync(path, '1\n');
  await tail.poll(take);
  const saved = tail.position();
  await tail.close();
  appendFileSync(path, '2\n');
  renameSync(path, `${path}.2`);
  writeFileSync(`${path}.1`, '3\n');
  writeFileSync(path, '4\n');
  for (const [age, file] of [`${path}`, `${path}.1`, `${path}.2`].entries()) utimesSync(file, 0, Date.now() / 1000 - age);
  await pass(follow(saved));
  expect(texts()).toEqual(['1', '2', '3', '4']);
});

test('reads the rest from the copy after copy-truncate, even if the file has grown past the offset', async () => {
  const tail = await fromTheStart();
  writeFileSync(path, '1\n');
  await tail.poll(take);
  appendFileSync(path, '2\n');
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
  appendFileSync(path, '3\nand more than there was before\n');
  await pass(tail);
  expect(texts()).toEqual(['1', '2', '3', 'and more than there was before']);
});

test('starts over after truncation', async () => {
  const tail = await fromTheStart();
  writeFileSync(path, 'one\ntwo\nthree\n');
  await tail.poll(take);
  truncateSync(path);
  await tail.poll(take);
  appendFileSync(path, 'four\n');
  await pass(tail);
  expect(texts()).toEqual(['one', 'two', 'three', 'four']);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(4);
});

test('truncates an endless line and skips its rest', async () => {
  const tail = await fromTheStart();
  writeFileSync(path, `${'x'.repeat(longestLine * 3)}`);
  await pass(tail);
  appendFileSync(path, `${'x'.repeat(longestLine * 5)}\nnext\n`);
  await pass(tail);
  expect(lines.map(({ text, isCut }) => [text.length, isCut])).toEqual([
    [longestLine, true],
    [4, false],
  ]);
});

test('assigns the same ids from any saved position, without gaps', async () => {
  const tail = await fromTheStart();
  const positions: Position[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'ü', '😀', ' ', '\n'), maxLength: 300 }), { maxLength: 8 }),
      async (parts) => {
        for (const part of parts) {
          appendFileSync(path, part);
          await tail.poll(take);
          const position = tail.position();
          if (position) positions.push(position);
        }
      },
    ),
    { numRuns: 15 },
  );
  appendFileSync(path, 'last\n');
  await tail.poll(take);
  const all = lines;
  for (const position of positions) {
    lines = [];
    const again = follow(position);
    await again.poll(take);
    await again.close();
    expect(lines).toEqual(all.slice(all.length - lines.length));
    expect(all.length - lines.length === 0 || all[all.length - lines.length - 1]!.offset < position.offset).toBe(true);
  }
});
