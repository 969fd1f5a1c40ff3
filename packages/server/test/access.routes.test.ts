/** Every route of the running server is a call of the contract, or an open one. */
import { endpoints } from '@parapet/contract/api.ts';
import { expect, test } from 'vitest';
import { openRoutes } from './access.open.ts';
import { useTestApp } from './app.ts';

const t = useTestApp();

test('lists every registered route exactly once', () => {
  const { routes } = t.application;
  const known = new Map(endpoints.map((endpoint) => [endpoint.id, `${endpoint.method} ${endpoint.prefix}${endpoint.path}`]));
  expect(known.size).toBe(endpoints.length);
  const calls = routes.filter(({ operation }) => operation !== 'open');
  expect(calls.map(({ operation, route }) => `${operation} ${route}`).sort()).toEqual(
    [...known].map(([id, route]) => `${id} ${route}`).sort(),
  );
  const strangers = routes.filter(
    ({ operation, route }) =>
      operation === 'open' &&
      !openRoutes.includes(route) &&
      !/^[A-Z]+ \/(ingest|services\/collector|v1\/logs|webhook|agent)(\/|$)/.test(route) &&
      !/^GET \/[\w.-]+\.\w+$/.test(route),
  );
  expect(strangers).toEqual([]);
});
