/**
 * The access table, reviewed as text: one row per call, one column per persona, each cell the reach: `s` the scope, `own` the own organisation,
 * `me` oneself, `pub` without sign-in, `-` none; before them the step-up requirement and whether it needs MFA. Any change of access shows in
 * access.txt; `UPDATE=1` rewrites it. access.matrix.long.test.ts checks the running server.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { kindOf, type RoleHolder, reachOf } from '@parapet/contract/access.ts';
import { endpoints } from '@parapet/contract/api.ts';
import type { Freshness } from '@parapet/contract/endpoint.ts';
import { expect, test } from 'vitest';
import { openRoutes } from './access.open.ts';

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

/** Step-up requirement, with MFA for accounts that have it; where it depends on the input, the inputs. */
function proofCells(freshness: Freshness): string[] {
  if (freshness === 'none') return ['-', '-'];
  const [needs, when] = typeof freshness === 'string' ? [freshness, ''] : [freshness.needs, '*'];
  return [`${needs === 'freshOrKey' ? 'freshOrKey' : 'fresh'}${when}`, needs === 'freshSecondFactor' ? 'yes' : '-'];
}

/** Meaning of the asterisks. */
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

test('matches the reviewed table', () => {
  if (process.env.UPDATE === '1') writeFileSync(file, table());
  expect(table()).toBe(readFileSync(file, 'utf8'));
});

test('uses personas of the kind each column names', () => {
  for (const [name, holder] of Object.entries(holders)) expect(kindOf({ ...holder, organisationId: 9 })).toBe(name);
});
