import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFramer, type Frame } from './frames.ts';

const long: Frame = { dropped: 'too-long' };
const text = (value: string): Frame => ({ text: value });

/** Feeds the bytes in pieces of the given sizes (repeated) and returns all frames, including those flushed at the end. */
function run(stream: string | Uint8Array, sizes: number[] = [1_000_000], longest?: number): Frame[] {
  const bytes = typeof stream === 'string' ? Buffer.from(stream) : stream;
  const framer = createFramer(longest);
  const frames: Frame[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    frames.push(...framer.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return [...frames, ...framer.end()];
}

const counted = (message: string) => `${Buffer.byteLength(message)} ${message}`;

describe('createFramer', () => {
  it('splits newline-framed and octet-counted messages, mixed', () => {
    const stream = `<1>a\r\n${counted('<2>b\nb')}${counted('<3>c')}\n<4>d\n\n<5>e`;
    expect(run(stream)).toEqual(['<1>a', '<2>b\nb', '<3>c', '<4>d', '<5>e'].map(text));
  });

  it('treats a line that begins with a number as a line', () => {
    expect(run('2026 is over\n2026-10-07 x\n123\n7\n0 <1>z\n')).toEqual(
      ['2026 is over', '2026-10-07 x', '123', '7', '0 <1>z'].map(text),
    );
  });

  it('drops an oversized message and continues behind it', () => {
    expect(run(`<1>${'x'.repeat(100)}\n<1>ok\n`, [7], 50)).toEqual([long, text('<1>ok')]);
    expect(run(`${counted(`<1>${'x\n'.repeat(50)}`)}${counted('<1>ok')}`, [7], 50)).toEqual([long, text('<1>ok')]);
    expect(run(`999999999 <1>never ends\n<1>ok\n`, [3], 50)).toEqual([text('999999999 <1>never ends'), text('<1>ok')]);
    expect(run(`${'y'.repeat(51)}\n`, [1000], 50)).toEqual([long]);
    expect(run(`${'y'.repeat(50)}\n`, [1000], 50)).toEqual([text('y'.repeat(50))]);
  });

  it('emits an unterminated message when the connection ends', () => {
    expect(run('20 <1>cut')).toEqual([text('<1>cut')]);
    expect(run('12')).toEqual([text('12')]);
    expect(run(`<1>${'x'.repeat(100)}`, [10], 50)).toEqual([long]);
  });

  it('decodes characters split between chunks and replaces broken ones', () => {
    expect(run('<1>grün 😀\n', [1])).toEqual([text('<1>grün 😀')]);
    expect(run(Buffer.from([60, 49, 62, 0xff, 0xc3, 10]))).toEqual([text('<1>\ufffd\ufffd')]);
  });

  it('buffers at most one message, however it arrives', () => {
    const framer = createFramer(1000);
    const block = Buffer.alloc(65_536, 120);
    const before = process.memoryUsage().arrayBuffers;
    let dropped = 0;
    for (let turn = 0; turn < 2000; turn++) dropped += framer.push(block).length;
    expect(dropped).toBe(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  });

  it('yields the same messages however the stream is chunked', () => {
    const message = fc.string({ unit: fc.constantFrom('a', '<', '1', ' ', '\n', 'ü', '😀', '\r') }).map((part) => `<1>${part}.`);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(message, fc.boolean())),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (messages, sizes) => {
          const stream = messages
            .map(([part, isCounted]) => (isCounted ? counted(part) : `${part.replaceAll('\n', '_')}\n`))
            .join('');
          const expected = messages.map(([part, isCounted]) => text(isCounted ? part : part.replaceAll('\n', '_')));
          expect(run(stream, sizes)).toEqual(expected);
        },
      ),
    );
  });

  it('survives and discards noise', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
        (bytes, sizes) => {
          for (const frame of run(bytes, sizes, 40))
            expect('dropped' in frame || Buffer.byteLength(frame.text) <= 40 * 3).toBe(true);
        },
      ),
    );
  });
});
