import { type ViewList, viewsApi } from '@parapet/contract/views.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let partner: number;
let client: number;
let user: TestUser;
let colleague: TestUser;
let administrator: TestUser;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
});
beforeEach(async () => {
  client = await t.organisation({ parentId: partner });
  user = await t.user({ organisationId: client, role: 'Analyst' });
  colleague = await t.user({ organisationId: client, role: 'Administrator' });
  administrator = await t.user({ organisationId: partner, role: 'Administrator' });
});

const view = (
  fields: Partial<{
    list: ViewList;
    name: string;
    query: string;
    columns: string[];
    isShared: boolean;
    isSharedBelow: boolean;
  }> = {},
) => ({
  list: 'alerts' as ViewList,
  name: 'Mine',
  query: 'severity=high',
  columns: ['user'],
  isShared: false,
  isSharedBelow: false,
  ...fields,
});
const create = async (who: TestUser, fields: Parameters<typeof view>[0] = {}) => {
  const answer = await t.call(viewsApi.create, { body: view(fields) }, who);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json() as { id: number };
};
const list = async (who: TestUser, of: ViewList = 'alerts') =>
  (await t.call(viewsApi.list, { params: { list: of } }, who)).json() as { results: { name: string }[]; total: number };
const namesOf = async (who: TestUser, of?: ViewList) => (await list(who, of)).results.map(({ name }) => name);
const audit = (who: TestUser) =>
  scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .select(['action', 'target', 'before', 'after'])
      .where('actor_user_id', '=', who.id)
      .orderBy('id')
      .execute(),
  );

test('saves, lists, changes and deletes views, separately for each list', async () => {
  const { id } = await create(user);
  await create(user, { list: 'devices', name: 'Servers' });
  expect(await list(user)).toEqual({
    total: 1,
    results: [{ ...view(), id, isMine: true, ownerName: 'Test Analyst', clientOrganizationID: client }],
  });
  const changed = await t.call(viewsApi.update, { params: { id }, body: view({ name: 'Other', columns: [] }) }, user);
  expect(changed.json()).toMatchObject({ id, name: 'Other', columns: [] });
  expect(await list(user)).toMatchObject({ results: [changed.json()] });
  expect((await t.call(viewsApi.remove, { params: { id } }, user)).statusCode).toBe(200);
  expect(await namesOf(user)).toEqual([]);
  expect(await namesOf(user, 'devices')).toEqual(['Servers']);
});

test('replaces the own view of the same name in any case, not a colleague’s', async () => {
  const { id } = await create(user);
  expect((await create(user, { name: 'MINE', query: 'x=1' })).id).toBe(id);
  expect(await list(user)).toMatchObject({ total: 1, results: [{ name: 'MINE', query: 'x=1' }] });
  expect((await create(colleague)).id).not.toBe(id);
  expect((await create(user, { list: 'cases' })).id).not.toBe(id);
  const many = await Promise.all(Array.from({ length: 8 }, () => create(user, { name: 'At once' })));
  expect(new Set(many.map((made) => made.id)).size).toBe(1);
});

test('returns 409 for the name of another own view and changes nothing', async () => {
  await create(user, { name: 'Taken' });
  const { id } = await create(user);
  const answer = await t.call(viewsApi.update, { params: { id }, body: view({ name: 'taken' }) }, user);
  expect(answer.statusCode).toBe(409);
  expect(answer.json().error).toContain('"taken"');
  expect(await namesOf(user)).toEqual(['Mine', 'Taken']);
});

test('shares within the owner’s organisation only, own views first', async () => {
  await create(user, { name: 'A shared', isShared: true });
  await create(user, { name: 'Hidden' });
  await create(colleague, { name: 'Z own' });
  await create(administrator, { name: 'Of the partner', isShared: true });
  const stranger = await t.user({ organisationId: await t.organisation({ parentId: partner }), role: 'Administrator' });
  expect(await list(colleague)).toMatchObject({
    total: 2,
    results: [
      { name: 'Z own', isMine: true },
      { name: 'A shared', isMine: false, ownerName: 'Test Analyst', clientOrganizationID: client },
    ],
  });
  expect(await namesOf(stranger)).toEqual([]);
  expect(await namesOf(administrator)).toEqual(['Of the partner']);
  // Views of a deleted owner disappear, as no one could delete them.
  await scoped(t.db, 'system', (tx) => tx.updateTable('users').set({ is_deleted: true }).where('id', '=', user.id).execute());
  expect(await namesOf(colleague)).toEqual(['Z own']);
});

test('lists views shared from above without their owner, and no others', async () => {
  const above = await t.organisation({ isPartner: true });
  const boss = await t.user({ organisationId: above, role: 'Administrator' });
  const below = await t.organisation({ parentId: above });
  const [reader, manager] = [
    await t.user({ organisationId: below, role: 'Analyst' }),
    await t.user({ organisationId: below, role: 'Administrator' }),
  ];
  await create(boss, { name: 'For clients', isShared: true, isSharedBelow: true });
  await create(boss, { name: 'Not shared', isSharedBelow: true });
  await create(manager, { name: 'Of a client', isShared: true, isSharedBelow: true });
  expect(await namesOf(reader)).toEqual(['Of a client', 'For clients']);
  expect((await list(reader)).results.at(-1)).toMatchObject({ isMine: false, ownerName: '', clientOrganizationID: above });
  expect(await namesOf(user)).toEqual([]);
  expect(await namesOf(boss)).not.toContain('Of a client');
});

test('returns 404 to all but the owner on changes', async () => {
  const { id } = await create(user, { isShared: true });
  const missing = 2_000_000_000;
  for (const who of [colleague, administrator]) {
    for (const endpoint of [viewsApi.update, viewsApi.remove] as const) {
      const [foreign, absent] = await Promise.all(
        [id, missing].map((given) => t.call(endpoint, { params: { id: given }, body: view({ name: 'Stolen' }) } as never, who)),
      );
      expect(foreign!.statusCode).toBe(404);
      expect(foreign!.json().error.replace(/\d+/, 'N')).toBe(absent!.json().error.replace(/\d+/, 'N'));
    }
  }
  expect(await namesOf(user)).toEqual(['Mine']);
});

test('audits changes of shared views only', async () => {
  const { id } = await create(user, { isShared: true });
  await create(user, { name: 'Private' });
  await t.call(viewsApi.update, { params: { id }, body: view({ isShared: false }) }, user);
  await t.call(viewsApi.update, { params: { id }, body: view({ query: 'x=2' }) }, user);
  await t.call(viewsApi.update, { params: { id }, body: view({ isShared: true }) }, user);
  await t.call(viewsApi.remove, { params: { id } }, user);
  const target = String(id);
  expect(await audit(user)).toMatchObject([
    { action: 'view.saved', target, before: null, after: { isShared: true } },
    { action: 'view.saved', target, before: { isShared: true }, after: { isShared: false } },
    { action: 'view.saved', target, before: { isShared: false, query: 'x=2' }, after: { isShared: true } },
    { action: 'view.deleted', target, before: { isShared: true }, after: null },
  ]);
});

test('limits views to 200, also concurrently; replacing does not count', async () => {
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('saved_views')
      .values(
        Array.from({ length: 195 }, (_, n) => ({
          organisation_id: client,
          user_id: user.id,
          list: 'alerts' as const,
          name: `View ${n}`,
          query: '',
          columns: [],
        })),
      )
      .execute(),
  );
  const statuses = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      t.call(viewsApi.create, { body: view({ name: `New ${n}` }) }, user).then(({ statusCode }) => statusCode),
    ),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(statuses.filter((status) => status === 409)).toHaveLength(5);
  expect((await t.call(viewsApi.create, { body: view({ name: 'view 7' }) }, user)).statusCode).toBe(200);
  expect((await list(user)).total).toBe(200);
});

describe('refusals', () => {
  test('returns 401 to anonymous callers and 403 to an empty role', async () => {
    const nobodyYet = await t.user({ organisationId: client, role: '' });
    for (const [endpoint, input] of [
      [viewsApi.list, { params: { list: 'alerts' } }],
      [viewsApi.create, { body: view() }],
    ] as const) {
      expect((await t.call(endpoint, input as never)).statusCode).toBe(401);
      expect((await t.call(endpoint, input as never, nobodyYet)).statusCode).toBe(403);
    }
  });

  test('refuses unknown lists, long texts and too many columns', async () => {
    const bodies = [
      view({ list: 'secrets' as never }),
      view({ name: ' ' }),
      view({ query: 'x'.repeat(2001) }),
      view({ columns: Array.from({ length: 51 }, () => 'c') }),
    ];
    for (const body of bodies) expect((await t.call(viewsApi.create, { body }, user)).statusCode).toBe(400);
    expect(await namesOf(user)).toEqual([]);
  });

  test('stores hostile texts literally', async () => {
    const name = `'; drop table saved_views; -- %_\\ <img> ‮ 😀`;
    await create(user, { name, query: name, columns: ['{"a",b}', '\\"'] });
    expect(await list(user)).toMatchObject({ results: [{ name, query: name, columns: ['{"a",b}', '\\"'] }] });
  });
});
