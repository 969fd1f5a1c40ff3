import { expect, test, vi } from 'vitest';
import { createRedirectMemory } from '../lib/redirects.ts';
import { guard } from './guard.ts';

const analyst = { role: 'Analyst', isPartner: false, organisationId: 10 };
const empty = { role: '', isPartner: false, organisationId: 10 };

function memoryOf() {
  const kept = new Map<string, string>();
  return createRedirectMemory(() => ({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  }));
}

test('a guest goes to /login, and after the sign-in to where they wanted to go, once', () => {
  const memory = memoryOf();
  expect(guard('user', undefined, '/apps/alerts/10?severity=high', memory)).toBe('/login');
  expect(guard('onlyGuest', undefined, '/login', memory)).toBeUndefined();
  expect(guard('onlyGuest', analyst, '/login', memory)).toBe('/apps/alerts/10?severity=high');
  expect(guard('onlyGuest', analyst, '/login', memory)).toBe('/');
});

test('a remembered path can be looked at without being taken, and be forgotten', () => {
  const memory = memoryOf();
  memory.remember('/apps/alerts');
  expect([memory.peek(), memory.peek()]).toEqual(['/apps/alerts', '/apps/alerts']);
  memory.forget();
  expect(memory.peek()).toBeUndefined();
});

test('an empty role is a guest', () => {
  expect(guard('user', empty, '/apps/alerts', memoryOf())).toBe('/login');
});

test('the right group stays, an open page is open', () => {
  expect(guard('user', analyst, '/apps/alerts', memoryOf())).toBeUndefined();
  expect(guard(undefined, undefined, '/pages/faq', memoryOf())).toBeUndefined();
  expect(guard(undefined, analyst, '/pages/faq', memoryOf())).toBeUndefined();
});

test('whoever is signed in without the group goes home, not to /login', () => {
  expect(guard('admin', analyst, '/apps/settings', memoryOf())).toBe('/');
});

test.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/a\nb', '/login', '/logout?x=1', 'apps'])(
  '%j is never gone to',
  (path) => {
    const memory = memoryOf();
    memory.remember('/apps/dashboard');
    memory.take();
    memory.remember(path);
    expect(memory.take()).toBeUndefined();
  },
);

test('storage that refuses is no obstacle', () => {
  const getItem = vi.fn(() => {
    throw new Error('denied');
  });
  const memory = createRedirectMemory(() => ({ getItem, setItem: getItem, removeItem: getItem }));
  memory.remember('/apps/dashboard');
  expect(memory.take()).toBeUndefined();
  expect(getItem).toHaveBeenCalledTimes(3);
});
