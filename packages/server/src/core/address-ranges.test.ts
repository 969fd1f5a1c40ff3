import { expect, test } from 'vitest';
import { isWithin } from './address-ranges.ts';

test.each([
  ['203.0.113.9', [], true],
  ['203.0.113.9', ['203.0.113.0/24'], true],
  ['203.0.114.9', ['203.0.113.0/24'], false],
  ['203.0.113.9', ['203.0.113.9'], true],
  ['203.0.113.9', ['198.51.100.0/24', '203.0.113.8/31'], true],
  // A socket that speaks IPv6 shows IPv4 callers so.
  ['::ffff:203.0.113.9', ['203.0.113.0/24'], true],
  ['2001:db8::1', ['2001:db8::/32'], true],
  ['2001:db9::1', ['2001:db8::/32'], false],
  ['2001:db8::1', ['0.0.0.0/0'], false],
  ['203.0.113.9', ['::/0'], false],
  ['unknown', ['0.0.0.0/0'], false],
  ['', ['0.0.0.0/0'], false],
])('%j within %j: %s', (address, ranges, expected) => {
  expect(isWithin(address, ranges)).toBe(expected);
});
