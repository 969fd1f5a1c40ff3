/** Identities of a client: joined names, merge and undo. */
import { identitiesApi } from '@parapet/contract/identities.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { placeNames } from './correlation.names.ts';
import { addParties } from './correlation.parties.ts';

const t = useTestApp();
let client: number;
let analyst: TestUser;
let reader: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  reader = await t.user({ organisationId: client, role: 'Administrator' });
  stranger = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Partner Analyst' });
  await scoped(t.db, 'system', async (tx) => {
    const names = { 'ALDER\\ana': 5, ana: 3, 'ana@alder.example': 2, 'a.silva@mail.example': 1 };
    await tx
      .insertInto('rollup_month_user')
      .values(
        Object.entries(names).map(([user_name, count]) => ({ organisation_id: client, month: '2026-11-01', user_name, count })),
      )
      .execute();
    await tx
      .insertInto('identity_rules')
      .values({
        organisation_id: client,
        kind: 'domain',
        name: 'alder.example',
        same_as: 'alder',
        origin: 'default',
        reason: 'Alike.',
      })
      .execute();
    const at = Date.now();
    await addParties(tx, client, [
      { kind: 'account', value: 'ana', party: 'alder', at },
      { kind: 'account', value: 'ana', party: 'alder.example', at },
      { kind: 'account', value: 'a.silva', party: 'mail.example', at },
    ]);
    await placeNames(tx, client, Object.keys(names));
  });
});

const list = async (user = analyst) => t.call(identitiesApi.list, { params: { client } }, user);
const identities = async () => (await list()).json().results as { names: string[]; alerts: number }[];

describe('identities', () => {
  test('join the names of one person by the rules of the client', async () => {
    expect(await identities()).toMatchObject([
      { names: ['ALDER\\ana', 'ana', 'ana@alder.example'], nameCount: 3, alerts: 10 },
      { names: ['a.silva@mail.example'], alerts: 1 },
    ]);
  });

  test('merge and separate names, with an audit entry each', async () => {
    const merge = (name: string, sameAs: string, user = analyst) =>
      t.call(identitiesApi.merge, { body: { clientOrganizationID: client, name, sameAs, reason: 'Private mailbox' } }, user);
    expect((await merge('a.silva@mail.example', 'ALDER\\ana')).statusCode).toBe(200);
    expect(await identities()).toMatchObject([{ nameCount: 4, alerts: 11 }]);
    expect((await merge('a.silva@mail.example', 'bob@alder.example')).statusCode).toBe(409);
    const rule = { clientOrganizationID: client, kind: 'account' as const, name: 'a.silva@mail.example', reason: 'Two people' };
    expect((await t.call(identitiesApi.switchRule, { body: { ...rule, isActive: false } }, analyst)).statusCode).toBe(200);
    expect(await identities()).toHaveLength(2);
    const audit = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .select(['action', 'visibility'])
        .where('organisation_id', '=', client)
        .where('action', 'like', 'identity.%')
        .orderBy('id')
        .execute(),
    );
    expect(audit).toEqual([
      { action: 'identity.merged', visibility: 'internal' },
      { action: 'identity.ruleSwitched', visibility: 'internal' },
    ]);
  });

  test('refuse shared names, equal names and unknown rules', async () => {
    const body = { clientOrganizationID: client, name: 'SYSTEM', sameAs: 'ana', reason: 'x' };
    expect((await t.call(identitiesApi.merge, { body }, analyst)).statusCode).toBe(400);
    expect((await t.call(identitiesApi.merge, { body: { ...body, name: 'ANA' } }, analyst)).statusCode).toBe(400);
    const rule = { clientOrganizationID: client, kind: 'account' as const, name: 'nobody', isActive: false, reason: 'x' };
    expect((await t.call(identitiesApi.switchRule, { body: rule }, analyst)).statusCode).toBe(404);
  });

  test('return 403 to people of the client and outside the scope', async () => {
    expect((await list(reader)).statusCode).toBe(403);
    expect((await list(stranger)).statusCode).toBe(403);
  });
});
