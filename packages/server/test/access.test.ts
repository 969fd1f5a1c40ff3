/**
 * Who may call what, as a table that is read in review: one row for each call, one column for each kind of user, in the cells how far it reaches:
 * `s` inside the scope, `own` the own organisation, `me` oneself, `pub` without a sign-in, `-` not at all; before them whether the call asks for a
 * recent proof of identity, and whether by a second factor. A change of any of it shows as a change of access.txt; `UPDATE=1` writes it anew. access.matrix.test.ts asks the running server the same questions.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { kindOf, type RoleHolder, reachOf } from '@parapet/contract/access.ts';
import { endpoints } from '@parapet/contract/api.ts';
import type { Freshness } from '@parapet/contract/endpoint.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from './app.ts';

const file = new URL('./access.txt', import.meta.url);

const holders: Record<string, Pick<RoleHolder, 'role' | 'isPartner'>> = {
  guest: { role: '', isPartner: false },
  host: { role: 'Host', isPartner: true },
  partnerAdmin: { role: 'Administrator', isPartner: true },
  partnerAnalyst: { role: 'Partner Analyst', isPartner: true },
  superAnalyst: { role: 'Analyst', isPartner: true },
  partnerManager: { role: 'Manager', isPartner: true },
  clientAdmin: { role: 'Administrator', isPartner: false },
  manager: { role: 'Manager', isPartner: false },
  analyst: { role: 'Analyst', isPartner: false },
  other: { role: 'Auditor', isPartner: false },
};

/** Routes that are no calls: each guards itself, or has nothing to guard. */
const openRoutes = [
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /api/v1/openapi.json',
  // What browsers report of a page: written down, bounded.
  'POST /api/v1/csp-report',
  'GET /assets/*',
  // The intake: an ingest key decides.
  'ANY /ingest/*',
  // Agents: their own key decides; what installs one holds no secret.
  'ANY /agent/*',
];

/** Whether a recent proof of identity is asked for, and of accounts that have one a second factor; where it depends on what is asked, on what. */
function proofCells(freshness: Freshness): string[] {
  if (freshness === 'none') return ['-', '-'];
  const [needs, when] = typeof freshness === 'string' ? [freshness, ''] : [freshness.needs, '*'];
  return [`${needs === 'freshOrKey' ? 'freshOrKey' : 'fresh'}${when}`, needs === 'freshSecondFactor' ? 'yes' : '-'];
}

/** What the asterisks stand for. */
const conditions = (): string[] =>
  endpoints.flatMap(({ id, freshness }) => {
    if (typeof freshness === 'string') return [];
    const fields = Object.entries(freshness.fields).map(([field, values]) =>
      values === 'given' ? `with ${field}` : `with ${field} ${values.join(' or ')}`,
    );
    return [`fresh*  ${id}: ${[...fields, ...(freshness.also ? [freshness.also] : [])].join('; ')}`];
  });

function table(): string {
  const names = Object.keys(holders);
  const rows = endpoints
    .map((endpoint) => [
      endpoint.id,
      ...proofCells(endpoint.freshness),
      ...names.map((name) => {
        if (endpoint.allow === 'anyone') return 'pub';
        return reachOf({ ...(holders[name] as RoleHolder), organisationId: 9 }, endpoint.allow) ?? '-';
      }),
    ])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const cells = [['call', 'fresh', 'secondFactor', ...names], ...rows];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${[...lines, '', ...conditions().sort(), '', ...openRoutes.map((route) => `open  ${route}`)].join('\n')}\n`;
}

test('the table is the reviewed one', () => {
  if (process.env.UPDATE === '1') writeFileSync(file, table());
  expect(table()).toBe(readFileSync(file, 'utf8'));
});

test('each column is the kind that it says', () => {
  for (const [name, holder] of Object.entries(holders)) expect(kindOf({ ...holder, organisationId: 9 })).toBe(name);
});

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

test('every route that is registered has exactly one row, and every row its route', () => {
  const { routes } = t.house;
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
      !/^[A-Z]+ \/(ingest|agent)(\/|$)/.test(route) &&
      !/^GET \/[\w.-]+\.\w+$/.test(route),
  );
  expect(strangers).toEqual([]);
});
