/** Undo of an assignment: a case returns to the analyst who had it, also one whom the person can’t assign otherwise. */
import { providerId } from '@parapet/contract/access.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { casesWorld } from '../../../test/cases.fixture.ts';
import { seedCase } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';

const { t, client, analyst, colleague, clientAnalyst, stranger, ok, row, history, detail } = await casesWorld();
let provider: TestUser;
let other: TestUser;
let id: number;
beforeAll(async () => {
  await t.organisation({ id: providerId, isPartner: true });
  provider = await t.user({ organisationId: providerId, role: 'Analyst' });
  other = await t.user({ organisationId: providerId, role: 'Analyst' });
});
beforeEach(async () => {
  id = (await seedCase(t.db, { organisationId: client })).id;
  await give(provider, provider.id);
});
afterAll(() => t.close());

const body = (to: number | null, version?: number) => ({
  body: { caseID: id, analystUserAccountID: to, ...(version !== undefined && { version }) },
});
const give = (user: TestUser, to: number | null) => ok(casesApi.changeAnalyst, body(to), user);
const statusOf = async (user: TestUser, to: number | null, version?: number) =>
  (await t.call(casesApi.changeAnalyst, body(to, version), user)).statusCode;
const analystOf = async () => (await row(id)).analyst_user_id;

test.each([
  ['a partner’s analyst', analyst, analyst.id],
  ['a partner’s analyst who unassigned it', analyst, null],
  ['a partner’s analyst who gave it to a colleague', analyst, colleague.id],
])('returns a case to the provider’s analyst: %s', async (_title, user, to) => {
  const { results } = await ok(casesApi.analysts, { params: { clientOrgId: client } }, user);
  expect(results.map((each: { id: number }) => each.id)).not.toContain(provider.id);
  const { case: taken } = await give(user, to);
  expect(await statusOf(user, provider.id, taken.version - 1)).toBe(409);
  const { case: returned } = await ok(casesApi.changeAnalyst, body(provider.id, taken.version), user);
  expect(returned).toMatchObject({ analystUserAccountID: provider.id, version: taken.version + 1 });
  expect((await history(id)).at(-1)).toMatchObject({
    kind: 'assignment',
    actor_user_id: user.id,
    before: { analystUserId: to },
    after: { analystUserId: provider.id },
  });
});

test('returns it after other changes of the case, and after it was taken again', async () => {
  await give(analyst, analyst.id);
  await ok(casesApi.changeStatus, { body: { incidentID: id, caseStatus: 'investigating' } }, analyst);
  await give(analyst, provider.id);
  expect(await row(id)).toMatchObject({ analyst_user_id: provider.id, status: 'investigating' });
  await give(analyst, analyst.id);
  await give(analyst, provider.id);
  expect(await analystOf()).toBe(provider.id);
});

test('grants no right to assign the provider’s analysts', async () => {
  expect(await statusOf(analyst, other.id)).toBe(400);
  await give(analyst, analyst.id);
  for (const [user, to] of [
    [analyst, other.id],
    [colleague, provider.id],
    [analyst, stranger.id],
  ] as const)
    expect(await statusOf(user, to)).toBe(400);
  expect(await statusOf(clientAnalyst, provider.id)).toBe(403);
  expect(await statusOf(stranger, provider.id)).toBe(404);
  await give(colleague, colleague.id);
  expect(await statusOf(analyst, provider.id)).toBe(400);
  await give(analyst, analyst.id);
  expect(await statusOf(analyst, provider.id)).toBe(400);
  expect(await analystOf()).toBe(analyst.id);
});

test('ends with the analyst: one who left or has another role gets no case back', async () => {
  await give(analyst, analyst.id);
  const set = (values: object) =>
    scoped(t.db, 'system', (tx) => tx.updateTable('users').set(values).where('id', '=', provider.id).execute());
  await set({ is_deleted: true });
  expect(await statusOf(analyst, provider.id)).toBe(400);
  await set({ is_deleted: false, role: 'Manager' });
  expect(await statusOf(analyst, provider.id)).toBe(400);
  await set({ role: 'Analyst' });
  expect(await statusOf(analyst, provider.id)).toBe(200);
});

test('names no one whom the person may not know', async () => {
  await give(analyst, analyst.id);
  const { case: returned } = await give(analyst, provider.id);
  expect(JSON.stringify([returned, await detail(clientAnalyst, id)])).not.toContain(provider.email);
});
