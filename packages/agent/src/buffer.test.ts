import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Buffered, openBuffer } from './buffer.ts';
import { encodeEvent } from './bulk.ts';

let folder: string;
const troubles: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-buffer-'));
  troubles.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (limit = 64 * 1024 * 1024) => openBuffer(folder, limit, (text) => troubles.push(text), 10);
const idsIn = (body: Buffer) => [...body.toString().matchAll(/"_id":"([^"]+)"/g)].map(([, id]) => id as string);

async function drain(buffer: Buffered, bytes = 1_000, events = 10): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const batch = await buffer.next(bytes, events);
    if (!batch) return ids;
    ids.push(...idsIn(batch.body));
    await buffer.done(batch);
  }
}

test('returns complete events once, in order', async () => {
  const buffer = await open();
  for (let n = 0; n < 50; n++)
    await buffer.append(encodeEvent(`id${n}`, JSON.stringify({ message: `line ${n} \u2028 "quoted"\n` })));
  await buffer.sync();
  expect(buffer.figures().events).toBe(50);
  expect(await drain(buffer)).toEqual(Array.from({ length: 50 }, (_, n) => `id${n}`));
  expect(buffer.figures()).toMatchObject({ events: 0, bytes: 0, isFull: false });
  await buffer.close();
});

test('returns an event larger than a batch as its own batch', async () => {
  const buffer = await open();
  await buffer.append(encodeEvent('large', JSON.stringify({ message: 'x'.repeat(50_000) })));
  await buffer.append(encodeEvent('small', '{}'));
  await buffer.sync();
  expect(await drain(buffer, 100)).toEqual(['large', 'small']);
  await buffer.close();
});

test('keeps synced, unshipped events after a crash that tears later data', async () => {
  for (const tear of [
    '',
    '{"create":{"_id":"torn"}}',
    '{"create":{"_id":"torn"}}\n{"message":"ha',
    '\0'.repeat(4096),
    'garbage\nmore\n',
  ]) {
    rmSync(folder, { recursive: true, force: true });
    const buffer = await open();
    for (let n = 0; n < 20; n++) await buffer.append(encodeEvent(`id${n}`, '{"message":"x"}'));
    await buffer.sync();
    const batch = await buffer.next(1_000_000, 5);
    await buffer.done(batch!);
    // Not closed: simulates a crash.
    const file = join(
      folder,
      readdirSync(folder)
        .filter((name) => name.endsWith('.bulk'))
        .at(-1) as string,
    );
    appendFileSync(file, tear);
    const after = await open();
    expect(after.figures().events).toBe(15);
    await after.append(encodeEvent('new', '{}'));
    await after.sync();
    expect(await drain(after)).toEqual([...Array.from({ length: 15 }, (_, n) => `id${n + 5}`), 'new']);
    await after.close();
    await buffer.close();
  }
});

test('returns the complete events before a truncation at any byte', async () => {
  const buffer = await open();
  for (let n = 0; n < 30; n++) await buffer.append(encodeEvent(`id${n}`, JSON.stringify({ message: 'y'.repeat(n) })));
  await buffer.close();
  const file = join(folder, '0000000001.bulk');
  const whole = readFileSync(file);
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), async (length) => {
      writeFileSync(file, whole);
      truncateSync(file, length);
      const after = await open();
      const ids = await drain(after, 1_000_000, 1_000);
      await after.close();
      rmSync(join(folder, 'shipped.json'), { force: true });
      const expected = [];
      let end = 0;
      for (let n = 0; n < 30; n++) {
        end = whole.indexOf('\n', whole.indexOf('\n', end) + 1) + 1;
        if (end <= length) expected.push(`id${n}`);
      }
      expect(ids).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

test('reports a full buffer and blocks until events are shipped, losing none', async () => {
  const limit = 12 * 1024 * 1024;
  const buffer = await open(limit);
  const json = JSON.stringify({ message: 'z'.repeat(20_000) });
  let appended = 0;
  let isWaiting = false;
  const producing = (async () => {
    for (; appended < 1_500; appended++) {
      const room = buffer.append(encodeEvent(`id${appended}`, json));
      isWaiting = room !== undefined;
      await room;
      isWaiting = false;
    }
    await buffer.sync();
  })();
  await expect.poll(() => isWaiting && buffer.figures().isFull, { timeout: 10_000 }).toBe(true);
  const before = appended;
  // Passes through the same queue as room that becomes free.
  await buffer.sync();
  expect(appended).toBe(before);
  expect(buffer.figures().bytes).toBeLessThan(limit + 2 * 1024 * 1024);
  const ids: string[] = [];
  for (let isDone = false; !isDone || buffer.figures().events > 0; ) {
    void producing.then(() => {
      isDone = true;
    });
    const batch = await buffer.next(1_000_000, 1_000);
    if (!batch) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    ids.push(...idsIn(batch.body));
    await buffer.done(batch);
  }
  expect(ids).toEqual(Array.from({ length: 1_500 }, (_, n) => `id${n}`));
  expect(buffer.figures().isFull).toBe(false);
  await buffer.close();
}, 30_000);

test('reports and skips a damaged segment', async () => {
  const buffer = await open();
  await buffer.append(encodeEvent('a', '{}'));
  await buffer.sync();
  const first = await buffer.next(1_000, 10);
  await buffer.done(first!);
  await buffer.append(encodeEvent('b', '{}'));
  await buffer.sync();
  truncateSync(join(folder, '0000000001.bulk'), first!.end + 5);
  expect(await drain(buffer)).toEqual([]);
  expect(troubles.join()).toMatch(/damaged/);
  await buffer.close();
});

test('keeps the order of file lines and other events, and allows reuse of their memory', async () => {
  const buffer = await open();
  const chunk = Buffer.alloc(1_000);
  const put = (text: string, offset: number) =>
    buffer.put(
      { stream: 'st', offset, bytes: chunk.subarray(0, chunk.write(text)), count: text.split('\n').length - 1, isCut: false },
      {},
    );
  await buffer.append(encodeEvent('before', '{}'));
  await put('one\ntwo\n', 0);
  await buffer.append(encodeEvent('between', '{}'));
  await put('three\n', 8);
  chunk.fill(0);
  expect(buffer.figures().events).toBe(5);
  await buffer.close();
  const after = await open();
  expect(after.figures().events).toBe(5);
  const { body, events } = (await after.next(1_000_000, 100))!;
  expect(events).toBe(5);
  expect(
    body
      .toString()
      .replace(/"crc":\d+/g, '')
      .match(/"_id":"\w+"|"offset":\d+|^\w+$/gm),
  ).toEqual(['"_id":"before"', '"offset":0', 'one', 'two', '"_id":"between"', '"offset":8', 'three']);
  await after.close();
});
