import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime, timeOf } from './block.format.ts';

const roundTrip = (value: string): number | undefined => {
  const at = Date.parse(value);
  return Number.isNaN(at) || new Date(at).toISOString() !== value ? undefined : at;
};

test('writes times as toISOString does', () => {
  fc.assert(
    fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), fc.nat(100_000), (at, more) => {
      for (const each of [at, Math.min(at + more, 8.64e15)]) expect(isoTime(each)).toBe(new Date(each).toISOString());
    }),
  );
  for (const at of [0, -0, -1, 59_999, 60_000, -60_000, 1.5]) expect(isoTime(at)).toBe(new Date(at).toISOString());
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});

test('reads the times of the years 100 to 9999 that toISOString writes, and no other text', () => {
  const near = fc.date({ min: new Date('0100-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
  const written = near.map((at) => at.toISOString());
  fc.assert(
    fc.property(written, (value) => {
      expect(timeOf(value)).toBe(Date.parse(value));
    }),
  );
  const changed = fc
    .tuple(written, fc.nat(23), fc.constantFrom(...'0123456789-:.TZ +\n'))
    .map(([value, at, other]) => value.slice(0, at) + other + value.slice(at + 1));
  fc.assert(
    fc.property(changed, (value) => {
      if (!value.startsWith('00')) expect(timeOf(value)).toBe(roundTrip(value));
    }),
    { numRuns: 2_000 },
  );
  for (const value of [
    '2024-02-29',
    '2023-02-29',
    '2000-02-29',
    '1900-02-29',
    '2024-02-30',
    '2024-04-31',
    '2024-13-01',
    '2024-00-10',
  ])
    expect(timeOf(`${value}T00:00:00.000Z`)).toBe(roundTrip(`${value}T00:00:00.000Z`));
  for (const value of ['0099-01-01T00:00:00.000Z', '2024-01-01T24:00:00.000Z', '+02024-01-01T00:00:00.0Z', 'x'.repeat(24)])
    expect(timeOf(value)).toBeUndefined();
});
