import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packNumbers, unpackNumbers } from './block.numbers.ts';

const textOf = (values: readonly string[]): Buffer => Buffer.from(values.map((value) => `${value}\n`).join(''));

test('returns numbers, marks and other values as written', () => {
  const value = fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 999_999_999 }).map(String) },
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 9 }).map(String) },
    { weight: 3, arbitrary: fc.constantFrom('\x01', '\x04', '\x06') },
    { weight: 1, arbitrary: fc.constantFrom('', '007', '-1', '1e3', '4294967295', 'é', '\x06tail', '12 ') },
  );
  let packed = 0;
  fc.assert(
    fc.property(fc.array(value, { minLength: 60, maxLength: 300 }), (values) => {
      const column = packNumbers(values);
      if (!column) return;
      packed++;
      expect(unpackNumbers(textOf(column.values), column.from, column.width, column.bits)).toEqual(textOf(values));
    }),
    { numRuns: 300 },
  );
  expect(packed).toBeGreaterThan(100);
});

test.each([
  [1_024, 65_535, 2],
  [100_000, 999_999, 2.5],
  [7, 7 + 2 ** 29, 3.75],
])('stores numbers from %i to %i in %d bytes', (from, to, bytes) => {
  const values = Array.from({ length: 800 }, (_, n) =>
    String(n === 0 ? from : n === 1 ? to : from + ((n * 48_271) % (to - from))),
  );
  expect(packNumbers(values)?.bits).toHaveLength(800 * bytes);
});

test('leaves few, repeated and other values as they are', () => {
  const sequence = (count: number) => Array.from({ length: count }, (_, n) => String(1_000 + n));
  expect(packNumbers(sequence(63))).toBeUndefined();
  expect(packNumbers([...sequence(100), ...Array.from({ length: 30 }, () => 'word')])).toBeUndefined();
  expect(packNumbers(Array.from({ length: 500 }, (_, n) => String(n % 100)))).toBeUndefined();
});

test('rejects bits that do not fit', () => {
  const { values, from, width, bits } = packNumbers(Array.from({ length: 100 }, (_, n) => String(n * 977)))!;
  const text = textOf(values);
  expect(() => unpackNumbers(text, from, width, bits.subarray(1))).toThrow(RangeError);
  expect(() => unpackNumbers(text, from, width, Buffer.concat([bits, bits]))).toThrow(RangeError);
  expect(() => unpackNumbers(text, from, 31, bits)).toThrow(RangeError);
  expect(() => unpackNumbers(text, 2 ** 40, width, bits)).toThrow(RangeError);
});
