/** List parameters of the analysts' queue: cases waiting for the client, and sort by urgency. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { casesWorld } from '../../../test/cases.fixture.ts';
import { seedCase } from '../../../test/seed.ts';

const { t, partner, list } = await casesWorld();
afterAll(() => t.close());

let org: number;
let owner: TestUser;
const ids: number[] = [];
beforeAll(async () => {
  org = await t.organisation({ parentId: partner, name: 'Queue' });
  owner = await t.user({ organisationId: org, role: 'Administrator' });
  const now = Date.now();
  const waits = { waiting_since: new Date(now - 5 * hourMs) };
  const cases = [
    { criticality: 3, set: { ...waits, wait_expires_at: new Date(now + hourMs) } },
    { criticality: 5, set: { ...waits, wait_expires_at: new Date(now - hourMs) } },
    { criticality: 5, set: { ...waits, status: 'closed' as const, closed_at: new Date(now - hourMs) } },
    { criticality: 3, set: waits },
    { criticality: 5, set: {} },
  ];
  for (const [index, { criticality, set }] of cases.entries()) {
    ids.push((await seedCase(t.db, { organisationId: org, at: now - (50 - index) * hourMs, criticality, set })).id);
  }
});

const found = async (body: object) =>
  (await list(owner, { selectedClientOrganizationID: org, ...body })).results.map((row: { id: number }) => ids.indexOf(row.id));

test('lists open cases with an unexpired wait', async () => {
  expect(await found({ filters: { waiting: true } })).toEqual([3, 0]);
  expect(await found({ filters: { waiting: false } })).toEqual([4, 2, 1]);
});

test('sorts by urgency, worst and then oldest first', async () => {
  expect(await found({ sort: 'urgency', order: 'asc' })).toEqual([1, 2, 4, 0, 3]);
});
