/**
 * Who may call what, as a table that is read in review: one row for each call, one column for each kind of user. A change of permissions shows
 * as a change of access.txt; `UPDATE=1` writes it anew. The running server is then asked the same questions.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { kindOf, may, type RoleHolder } from '@parapet/contract/access.ts';
import { endpoints } from '@parapet/contract/api.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from './app.ts';

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

function table(): string {
  const names = Object.keys(holders);
  const rows = endpoints
    .map((endpoint) => [
      endpoint.id,
      ...names.map((name) => (may({ ...(holders[name] as RoleHolder), organisationId: 9 }, endpoint.allow) ? 'yes' : '-')),
    ])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const cells = [['call', ...names], ...rows];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  return `${cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`;
}

test('the table is the reviewed one', () => {
  if (process.env.UPDATE === '1') writeFileSync(file, table());
  expect(table()).toBe(readFileSync(file, 'utf8'));
});

test('each column is the kind that it says', () => {
  for (const [name, holder] of Object.entries(holders)) expect(kindOf({ ...holder, organisationId: 9 })).toBe(name);
});

let t: TestApp;
const users = new Map<string, TestUser>();

beforeAll(async () => {
  t = await testApp();
  const partner = await t.organisation({ isPartner: true });
  const client = await t.organisation({ parentId: partner });
  for (const [name, { role, isPartner }] of Object.entries(holders))
    users.set(name, await t.user({ organisationId: isPartner ? partner : client, role }));
});
afterAll(() => t.close());

test('the running server answers as the table says', async () => {
  for (const endpoint of endpoints) {
    // Streams stay open for those who may; they have tests of their own.
    if (endpoint.answers === 'events' || endpoint.allow === 'anyone' || endpoint.id === 'auth.logout') continue;
    const url =
      endpoint.prefix +
      endpoint.path
        .replace(':start', '2026-01-01T00:00:00Z')
        .replace(':end', '2026-02-01T00:00:00Z')
        .replace(/:[a-zA-Z]+/g, '999999');
    for (const [name, user] of users) {
      const { statusCode, body } = await t.house.app.inject({
        method: endpoint.method,
        url,
        headers: { authorization: `Bearer ${user.token}` },
        ...(endpoint.method !== 'GET' && { payload: {} }),
      });
      const isDenied = statusCode === 403 && body.includes('may not do this');
      const mayCall = may({ ...(holders[name] as RoleHolder), organisationId: user.organisationId }, endpoint.allow);
      expect(`${endpoint.id} ${name} ${isDenied ? 'denied' : 'let in'}`).toBe(
        `${endpoint.id} ${name} ${mayCall ? 'let in' : 'denied'}`,
      );
    }
  }
});
