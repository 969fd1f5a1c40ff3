import { expect, test, vi } from 'vitest';
import { createRedirectMemory } from '../lib/redirects.ts';
import { guard } from './guard.ts';

const analyst = { role: 'Analyst', isPartner: false, organisationId: 10 };
const empty = { role: '', isPartner: false, organisationId: 10 };

function memoryOf() {
  const stored = new Map<string, string>();
  return createRedirectMemory(() => ({
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => stored.set(key, value),
    removeItem: (key) => stored.delete(key),
  }));
}

test('redirects a guest to /login and once to the remembered path', () => {
  const memory = memoryOf();
  expect(guard('user', undefined, '/apps/alerts/10?severity=high', memory)).toBe('/login');
  expect(guard('onlyGuest', undefined, '/login', memory)).toBeUndefined();
  expect(guard('onlyGuest', analyst, '/login', memory)).toBe('/apps/alerts/10?severity=high');
  expect(guard('onlyGuest', analyst, '/login', memory)).toBe('/');
});

test('peeks at and forgets a remembered path', () => {
  const memory = memoryOf();
  memory.remember('/apps/alerts');
  expect([memory.peek(), memory.peek()]).toEqual(['/apps/alerts', '/apps/alerts']);
  memory.forget();
  expect(memory.peek()).toBeUndefined();
});

test('treats an empty role as a guest', () => {
  expect(guard('user', empty, '/apps/alerts', memoryOf())).toBe('/login');
});

test('lets the group pass, and everyone on open pages', () => {
  expect(guard('user', analyst, '/apps/alerts', memoryOf())).toBeUndefined();
  expect(guard(undefined, undefined, '/pages/faq', memoryOf())).toBeUndefined();
  expect(guard(undefined, analyst, '/pages/faq', memoryOf())).toBeUndefined();
});

test('redirects users without the group to /', () => {
  expect(guard('admin', analyst, '/apps/settings', memoryOf())).toBe('/');
});

test.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/a\nb', '/login', '/logout?x=1', 'apps'])(
  'never remembers %j',
  (path) => {
    const memory = memoryOf();
    memory.remember('/apps/dashboard');
    memory.take();
    memory.remember(path);
    expect(memory.take()).toBeUndefined();
  },
);

test('works without storage', () => {
  const getItem = vi.fn(() => {
    throw new Error('denied');
  });
  const memory = createRedirectMemory(() => ({ getItem, setItem: getItem, removeItem: getItem }));
  memory.remember('/apps/dashboard');
  expect(memory.take()).toBeUndefined();
  expect(getItem).toHaveBeenCalledTimes(3);
});
