/** List of users, as a page and as an export. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { usersWorld } from '../../../test/users.fixture.ts';
import { scoped } from '../../core/db/scope.ts';

const { t, aClient, setUser } = await usersWorld();
let client: number;
let admin: TestUser;
beforeEach(async () => {
  ({ client, admin } = await aClient());
});
afterAll(() => t.close());

describe('list', () => {
  const list = (query: InputOf<typeof usersApi.list>['query'] = {}, user = admin, at = user.organisationId) =>
    t.call(usersApi.list, { params: { client: at }, query }, user);
  const names = async (query: InputOf<typeof usersApi.list>['query'], user = admin) =>
    (await list(query, user)).json().results.map(({ displayName }: { displayName: string }) => displayName);

  beforeEach(async () => {
    const people: [string, string, Record<string, unknown>][] = [
      ['Zoe', 'Analyst', { password_hash: 'x', is_mfa_set: true, last_sign_in_at: new Date('2026-01-02') }],
      ['Ben 100%', 'Manager', { password_hash: 'x', last_sign_in_at: new Date('2026-01-03') }],
      ['Eve', 'Analyst', { is_deleted: true, deleted_at: new Date() }],
    ];
    for (const [first_name, role, fields] of people) {
      const { id } = await t.user({ organisationId: client, role });
      await setUser(id, { first_name, last_name: 'X', ...fields });
    }
  });

  test('omits deleted users by default, searches and filters', async () => {
    expect(await names({})).toEqual(['Ben 100% X', 'Test Administrator', 'Zoe X']);
    expect(await names({ state: ['deleted'] })).toEqual(['Eve X']);
    expect(await names({ state: ['invited'] })).toEqual(['Test Administrator']);
    expect(await names({ state: ['active', 'deleted'] })).toEqual(['Ben 100% X', 'Eve X', 'Zoe X']);
    expect(await names({ role: ['Manager', 'Administrator'] })).toEqual(['Ben 100% X', 'Test Administrator']);
    expect(await names({ mfa: 'set' })).toEqual(['Zoe X']);
    expect(await names({ search: '0% x' })).toEqual(['Ben 100% X']);
    expect(await names({ search: '_' })).toEqual([]);
    expect(await names({ search: admin.email.slice(3, 20).toUpperCase() })).toEqual(['Test Administrator']);
  });

  test('sorts users without a sign-in last in both orders, and pages', async () => {
    expect(await names({ sort: 'lastSignInAt' })).toEqual(['Zoe X', 'Ben 100% X', 'Test Administrator']);
    expect(await names({ sort: 'lastSignInAt', order: 'desc' })).toEqual(['Ben 100% X', 'Zoe X', 'Test Administrator']);
    const second = (await list({ page: 2, pageSize: 2 })).json();
    expect([second.total, second.results.length]).toEqual([3, 1]);
  });

  test('exports formulas as text and audits the export', async () => {
    const { id } = await t.user({ organisationId: client, role: 'Analyst' });
    const body = { clientOrganizationID: client, firstName: '=HYPERLINK("http://x")', lastName: 'A, B' };
    expect((await t.call(usersApi.update, { params: { id }, body }, admin)).statusCode).toBe(200);
    const answer = await t.call(
      usersApi.exportList,
      { params: { client }, query: { state: 'active,invited,deleted' } as never },
      admin,
    );
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers['content-disposition']).toContain('users.csv');
    expect(answer.body).toContain(`"'=HYPERLINK(""http://x"") A, B"`);
    expect(answer.body.split('\r\n').length).toBe(1 + 5 + 1);
    const entries = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').where('organisation_id', '=', client).where('action', '=', 'users.exported').selectAll().execute(),
    );
    expect(entries).toMatchObject([{ actor_user_id: admin.id, after: { client, count: 5 } }]);
  });
});
