import { expect, test } from 'vitest';
import { initialsOf } from './names.ts';

test.each([
  ['Avery Quinn', 'AQ'],
  ['Avery van der Quinn', 'AQ'],
  ['avery', 'A'],
  ['  ', ''],
  ['𝒜lice Öz', '𝒜Ö'],
])('shortens %j to %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});
