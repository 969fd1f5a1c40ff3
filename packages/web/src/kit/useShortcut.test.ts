import { expect, test } from 'vitest';
import { nameOf } from './useShortcut.ts';

const press = (key: string, timeStamp: number) => nameOf({ key, timeStamp });

test('names the pair for a key after g', () => {
  expect(press('a', 10)).toBe('a');
  expect(press('g', 100)).toBe('g');
  expect(press('a', 600)).toBe('g a');
});

test('every listener hears the same of one event', () => {
  press('g', 5000);
  expect([press('g', 5000), press('c', 5400), press('c', 5400)]).toEqual(['g', 'g c', 'g c']);
  // The pair is over: the next key is itself again.
  expect(press('a', 5500)).toBe('a');
});

test('g alone is forgotten after a second', () => {
  press('g', 10_000);
  expect(press('a', 11_001)).toBe('a');
  press('g', 20_000);
  expect(press('a', 21_000)).toBe('g a');
});

test('g twice is a pair of its own', () => {
  press('g', 30_000);
  expect(press('g', 30_200)).toBe('g g');
  expect(press('a', 30_400)).toBe('a');
});
