import { expect, test } from 'vitest';
import { seeded } from './random.ts';
import { splitOutside, templateOf } from './template.ts';

const gaps = (name: string) => (name === 'u' ? (_: unknown, { user }: { user: string }) => user : undefined);
const fill = (text: string, seed = 1) => templateOf(text, gaps)(seeded(seed), { user: 'm.keller' });

test('fills gaps by name, also within choices', () => {
  expect(fill('C:\\Users\\«u»\\notes.txt')).toBe('C:\\Users\\m.keller\\notes.txt');
  expect(fill('«=«u»|«u»»')).toBe('m.keller');
});

test('draws every choice, and a broken bar stands for a pipe', () => {
  const drawn = new Set(Array.from({ length: 40 }, (_, seed) => fill('«=a|b|c ¦ d»', seed + 1)));
  expect([...drawn].sort()).toEqual(['a', 'b', 'c | d']);
});

test('throws for an unknown gap and one that is not closed', () => {
  expect(() => fill('«v»')).toThrow('There is no gap «v».');
  expect(() => fill('«=a|b')).toThrow('A gap is not closed');
});

test('splits outside of gaps only', () => {
  expect(splitOutside('a ;; «=b ;; c|d» ;; e', ' ;; ')).toEqual(['a', '«=b ;; c|d»', 'e']);
});
