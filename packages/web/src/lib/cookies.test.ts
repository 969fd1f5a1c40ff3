import { afterEach, expect, test, vi } from 'vitest';
import { createCookies } from './cookies.ts';

const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
afterEach(() => warn.mockClear());

test('writes for 30 days, on every path, and reads back', () => {
  const jar = { cookie: '' };
  const cookies = createCookies(
    () => jar,
    () => true,
  );
  cookies.write('selectedClient', '10; x');
  expect(jar.cookie).toBe('selectedClient=10%3B%20x; Path=/; Max-Age=2592000; SameSite=Lax; Secure');
  jar.cookie = 'other=1; selectedClient=10%3B%20x; selectedTimeframe=thisWeek';
  expect(cookies.read('selectedClient')).toBe('10; x');
  expect(cookies.read('selectedTimeframe')).toBe('thisWeek');
  expect(cookies.read('elected')).toBeUndefined();
  cookies.remove('selectedClient');
  expect(jar.cookie).toContain('selectedClient=; Path=/; Max-Age=0');
});

test('writes no Secure attribute over http', () => {
  const jar = { cookie: '' };
  createCookies(
    () => jar,
    () => false,
  ).write('a', 'b');
  expect(jar.cookie).not.toContain('Secure');
});

test('logs failures only (spec §8)', () => {
  const cookies = createCookies(
    () => {
      throw new Error('denied');
    },
    () => true,
  );
  cookies.write('a', 'b');
  expect(cookies.read('a')).toBeUndefined();
  expect(warn).toHaveBeenCalledTimes(2);
  expect(
    createCookies(
      () => ({ cookie: 'a=%E0%A4%A' }),
      () => true,
    ).read('a'),
  ).toBeUndefined();
  expect(warn).toHaveBeenCalledTimes(3);
});
