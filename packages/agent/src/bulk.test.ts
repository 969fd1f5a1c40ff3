import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOf } from '../test/lines.ts';
import { type Block, blockParts, encodeEvent, eventsOf, scanComplete, scanIntact } from './bulk.ts';

const block = (text: string, offset = 0): Block => {
  const bytes = Buffer.from(text);
  return {
    stream: 'st',
    offset,
    bytes,
    count: linesOf({ stream: 'st', offset, bytes, count: 0, isCut: false }).length,
    isCut: false,
  };
};
const bodyOf = (text: string, offset = 0) => Buffer.concat(blockParts(block(text, offset), { host: { name: 'h' } }));
const pair = Buffer.from(encodeEvent('a', '{"message":"x"}'));

test('yields non-empty lines of a block with offsets, without CR and newline', () => {
  expect(linesOf(block('one\r\n\n\r\ntwo\n\xff', 100))).toEqual([
    { id: 'st-2s', text: 'one', offset: 100, isCut: false },
    { id: 'st-30', text: 'two', offset: 108, isCut: false },
    { id: 'st-34', text: 'ÿ', offset: 112, isCut: false },
  ]);
});

test('ends a batch at a complete pair or block', () => {
  const body = Buffer.concat([pair, bodyOf('1\n2\n3\n'), pair]);
  expect(scanComplete(body, 100)).toEqual({ end: body.length, events: 5 });
  expect(scanComplete(body, 2)).toEqual({ end: body.length - pair.length, events: 4 });
  expect(scanComplete(body.subarray(0, body.length - pair.length - 1), 100)).toEqual({ end: pair.length, events: 1 });
});

test('splits a body into one body per event with the same ids and texts', () => {
  const body = Buffer.concat([bodyOf('one\n\ntwo\n', 7), pair]);
  const all = eventsOf(body);
  expect(all).toHaveLength(3);
  expect(all.map((each) => scanComplete(each, 9))).toEqual(all.map(({ length }) => ({ end: length, events: 1 })));
  expect(all.slice(0, 2).map((each) => /"offset":\d+/.exec(each.toString())?.[0])).toEqual(['"offset":7', '"offset":12']);
  expect(all[1]!.toString()).toMatch(/\ntwo\n$/);
  expect(all[2]).toEqual(pair);
  expect(eventsOf(all[0]!)).toEqual([all[0]]);
});

test('distinguishes intact data from data torn by a crash or power loss', () => {
  const first = bodyOf('first line\n');
  const second = bodyOf('second line\nthird line\n');
  const whole = Buffer.concat([first, pair, second, pair]);
  expect(scanIntact(whole)).toEqual({ end: whole.length, events: 5 });
  const ends = [0, first.length, first.length + pair.length, whole.length - pair.length, whole.length];
  const upTo = (at: number) => ends.findLast((end) => end <= at) as number;
  fc.assert(
    fc.property(fc.nat(whole.length), (at) => {
      expect(scanIntact(whole.subarray(0, at)).end).toBe(upTo(at));
      // Zeros, where the disk had not been written.
      const zeroed = Buffer.from(whole);
      zeroed.fill(0, at);
      expect(scanIntact(zeroed).end).toBe(upTo(at));
    }),
  );
  // A changed byte in the lines invalidates everything from that block on.
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 255 }), (back, by) => {
      const torn = Buffer.from(whole);
      const at = torn.length - pair.length - back;
      torn[at] = ((torn[at] as number) + by) % 256;
      expect(scanIntact(torn).end).toBe(first.length + pair.length);
    }),
  );
});
