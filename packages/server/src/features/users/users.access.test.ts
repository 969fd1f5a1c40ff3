/** Access matrix of users: every call by every kind of user on users of every kind of organisation (access table, rows 5–11, 13). */
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { findUser, listUsers } from './users.store.ts';

const t = useTestApp();
const organisations: Record<string, number> = {};
const personas: Record<string, TestUser> = {};
/** Target of the calls, one per organisation. */
const targets: Record<string, TestUser> = {};

beforeAll(async () => {
  const provider = await t.organisation({ id: 1, isPartner: true });
  const partner = await t.organisation({ isPartner: true, parentId: 1 });
  const otherPartner = await t.organisation({ isPartner: true, parentId: 1 });
  Object.assign(organisations, {
    provider,
    partner,
    client: await t.organisation({ parentId: partner }),
    sibling: await t.organisation({ parentId: partner }),
    otherPartner,
    otherClient: await t.organisation({ parentId: otherPartner }),
  });
  const who: [string, string, string][] = [
    ['host', 'provider', 'Host'],
    ['providerAdmin', 'provider', 'Administrator'],
    ['partnerHost', 'partner', 'Host'],
    ['partnerAdmin', 'partner', 'Administrator'],
    ['partnerAnalyst', 'partner', 'Partner Analyst'],
    ['superAnalyst', 'partner', 'Analyst'],
    ['partnerManager', 'partner', 'Manager'],
    ['clientAdmin', 'client', 'Administrator'],
    ['manager', 'client', 'Manager'],
    ['analyst', 'client', 'Analyst'],
    ['other', 'client', 'Auditor'],
    ['guest', 'client', ''],
  ];
  for (const [name, organisation, role] of who)
    personas[name] = await t.user({ organisationId: organisations[organisation] as number, role });
  for (const [name, organisationId] of Object.entries(organisations)) {
    targets[name] = await t.user({ organisationId, role: 'Analyst' });
    // Keeps everyone from being the last one.
    await t.user({ organisationId, role: 'Administrator' });
  }
});

const everywhere = Object.keys({ provider: 0, partner: 0, client: 0, sibling: 0, otherPartner: 0, otherClient: 0 });
const harbour = ['partner', 'client', 'sibling'];
const scopes: Record<string, string[]> = {
  host: everywhere,
  providerAdmin: everywhere,
  partnerHost: harbour,
  partnerAdmin: harbour,
  partnerAnalyst: harbour,
  superAnalyst: harbour,
  partnerManager: ['partner'],
  clientAdmin: ['client'],
  manager: ['client'],
  analyst: ['client'],
  other: ['client'],
};
const admins = ['host', 'providerAdmin', 'partnerHost', 'partnerAdmin', 'clientAdmin'];
const hosts = ['host', 'partnerHost'];

const request = (endpoint: Endpoint, by: TestUser, about: TestUser) => {
  const path = { id: about.id, clientId: about.organisationId, userId: about.id };
  const bodies: Record<string, object> = {
    'users.update': { clientOrganizationID: about.organisationId, firstName: 'Changed' },
    'users.changePassword': {
      clientOrganizationID: about.organisationId,
      newPassword: 'Vexing-Otter-48-Plinth',
      confirmNewPassword: 'Vexing-Otter-48-Plinth',
    },
  };
  return t.call(endpoint, { params: path, body: bodies[endpoint.id] ?? {} } as never, by);
};

/** Call → callers with access to other users within their scope. Expected: 200, or 409 and 400 where the target’s state forbids it. */
const calls: [Endpoint, string[]][] = [
  [usersApi.get, Object.keys(scopes).filter((name) => !['partnerManager', 'manager', 'analyst', 'other'].includes(name))],
  [usersApi.update, admins],
  [usersApi.changePassword, admins.filter((name) => name !== 'clientAdmin')],
  [usersApi.resetMfa, hosts],
  [usersApi.invite, admins],
  [usersApi.makeLink, admins],
  [usersApi.removePicture, admins],
  [usersApi.reactivate, admins],
  [usersApi.remove, admins],
] as unknown as [Endpoint, string[]][];

describe.each(calls.map(([endpoint, allowed]) => [endpoint.id, endpoint, allowed] as const))('%s', (id, endpoint, allowed) => {
  test('follows the access table', async () => {
    for (const [name, by] of Object.entries(personas)) {
      for (const place of everywhere) {
        // A new target each time: the call may change or delete it.
        const about = await t.user({ organisationId: organisations[place] as number, role: 'Analyst' });
        const { statusCode } = await request(endpoint, by, about);
        const isInScope = scopes[name]?.includes(place) ?? false;
        const namesOrganisation = ['users.get', 'users.update', 'users.changePassword'].includes(id);
        const isAdmitted =
          name !== 'guest' &&
          (endpoint.allow !== 'users:remove' && endpoint.allow !== 'users:create' ? true : admins.includes(name));
        const wanted = !isAdmitted
          ? 403
          : !isInScope
            ? namesOrganisation
              ? 403
              : 404
            : !allowed.includes(name)
              ? 403
              : // No target has MFA or is deleted.
                ['users.resetMfa', 'users.reactivate'].includes(id)
                ? 409
                : 200;
        expect(`${id} ${name} → ${place}: ${statusCode}`).toBe(`${id} ${name} → ${place}: ${wanted}`);
      }
    }
  });

  test('allows only Hosts to reach a Host', async () => {
    for (const [name, by] of Object.entries(personas)) {
      if (!scopes[name]?.includes('partner') || id === 'users.get') continue;
      const about = await t.user({ organisationId: organisations.partner as number, role: 'Host' });
      const { statusCode } = await request(endpoint, by, about);
      expect(`${name} ${statusCode === 403 ? 'refused' : 'allowed'}`).toBe(
        `${name} ${hosts.includes(name) ? 'allowed' : 'refused'}`,
      );
    }
  });

  test('treats foreign users as missing and requires a sign-in', async () => {
    const by = personas.clientAdmin as TestUser;
    const foreign = targets.otherClient as TestUser;
    const missing = { ...foreign, id: 2_147_483_647 };
    // Uses the caller’s own organisation, so that only the user is foreign.
    const [one, other] = await Promise.all(
      [foreign, missing].map((about) => request(endpoint, by, { ...about, organisationId: by.organisationId })),
    );
    const view = (answer: typeof one, id: number) => ({
      status: answer?.statusCode,
      body: answer?.body.replace(String(id), 'ID').replace(/"requestId":"[^"]*"/, ''),
      headers: Object.keys(answer?.headers ?? {}),
    });
    expect(view(one, foreign.id)).toEqual(view(other, missing.id));
    expect([403, 404]).toContain(one?.statusCode);
    const path = { id: 1, clientId: 1, userId: 1 };
    expect((await t.call(endpoint, { params: path, body: {} } as never)).statusCode).toBe(401);
  });
});

describe('organisation parameter', () => {
  const make = (by: TestUser, organisationId: number, fields: object = {}) =>
    t.call(
      usersApi.create,
      {
        body: {
          firstName: 'A',
          lastName: 'B',
          emailAddress: `${Math.random()}@x.example`,
          UserRoleID: 5,
          clientOrganizationID: organisationId,
          sendInvitation: true,
          ...fields,
        },
      },
      by,
    );

  test('restricts creation to administrators in scope', async () => {
    for (const [name, by] of Object.entries(personas))
      for (const place of everywhere) {
        const { statusCode } = await make(by, organisations[place] as number, { currentUserID: personas.host?.id });
        const wanted = admins.includes(name) && scopes[name]?.includes(place) ? 200 : 403;
        expect(`${name} → ${place}: ${statusCode}`).toBe(`${name} → ${place}: ${wanted}`);
      }
  });

  test('restricts roles and lists to the scope, and All to users with a client selector', async () => {
    for (const [name, by] of Object.entries(personas)) {
      if (name === 'guest') continue;
      const isStaff = !['partnerManager', 'manager', 'analyst', 'other'].includes(name);
      const hasSelector = isStaff && name !== 'clientAdmin';
      for (const place of everywhere) {
        const client = organisations[place] as number;
        const list = await t.call(usersApi.list, { params: { client } }, by);
        const file = await t.call(usersApi.exportList, { params: { client } }, by);
        const isInScope = scopes[name]?.includes(place);
        expect(`${name} → ${place}: ${list.statusCode}, ${file.statusCode}`).toBe(
          `${name} → ${place}: ${isInScope ? '200, 200' : '403, 403'}`,
        );
        if (isInScope && !isStaff) expect(list.json().results.map(({ id }: { id: number }) => id)).toEqual([by.id]);
        if (isInScope && !isStaff) expect(file.body.trim().split('\r\n').length).toBe(2);
        const roles = await t.call(usersApi.clientRoles, { params: { clientId: client } }, by);
        expect(`${name} → ${place}: ${roles.statusCode}`).toBe(
          `${name} → ${place}: ${isInScope && isStaff && name !== 'superAnalyst' ? 200 : 403}`,
        );
      }
      const all = await t.call(usersApi.list, { params: { client: 0 }, query: { pageSize: 200 } }, by);
      expect(`${name} ${all.statusCode}`).toBe(`${name} ${hasSelector ? 200 : 403}`);
      if (hasSelector) {
        const seen = new Set(all.json().results.map((row: { clientOrganizationID: number }) => row.clientOrganizationID));
        expect([...seen].sort()).toEqual((scopes[name] ?? []).map((place) => organisations[place]).sort());
      }
      const one = await t.call(usersApi.get, { params: { clientId: 0, userId: by.id } }, by);
      expect(`${name} ${one.statusCode}`).toBe(`${name} ${hasSelector ? 200 : 403}`);
    }
  });

  test('lists the role Host for Hosts only', async () => {
    const rolesFor = async (by: TestUser | undefined, clientId: number | undefined) =>
      (await t.call(usersApi.clientRoles, { params: { clientId: clientId as number } }, by))
        .json()
        .results.map(({ name }: { name: string }) => name);
    expect(await rolesFor(personas.host, organisations.partner)).toContain('Host');
    expect(await rolesFor(personas.partnerHost, organisations.client)).toEqual(['Administrator', 'Manager', 'Analyst']);
    for (const by of [personas.providerAdmin, personas.partnerAdmin, personas.partnerAnalyst])
      expect(await rolesFor(by, organisations.partner)).toEqual(['Administrator', 'Manager', 'Partner Analyst', 'Analyst']);
  });

  test('must match the user’s organisation', async () => {
    const by = personas.partnerAdmin as TestUser;
    const about = targets.client as TestUser;
    const answer = await t.call(usersApi.get, { params: { clientId: organisations.sibling as number, userId: about.id } }, by);
    expect(answer.statusCode).toBe(404);
    expect((await t.call(usersApi.get, { params: { clientId: 0, userId: about.id } }, by)).statusCode).toBe(200);
  });
});

test('allow every user to read and change their own phone number, picture and password', async () => {
  for (const [name, by] of Object.entries(personas)) {
    if (name === 'guest') continue;
    const answer = await request(usersApi.get as unknown as Endpoint, by, by);
    expect([name, answer.statusCode]).toEqual([name, 200]);
    expect(answer.json().can).toMatchObject({ editPhoneNumber: true, editPicture: true, changePassword: true, delete: false });
  }
});

test('audit a denied call once and change nothing', async () => {
  const by = personas.analyst as TestUser;
  const about = targets.client as TestUser;
  const entries = () =>
    scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').where('actor_user_id', '=', by.id).select(['action', 'target']).execute(),
    );
  const before = (await entries()).length;
  await request(usersApi.changePassword as unknown as Endpoint, by, about);
  expect((await entries()).slice(before)).toEqual([
    { action: 'call.denied', target: expect.stringContaining('users.changePassword') },
  ]);
});

test('stay protected by row-level security when a store omits its scope', async () => {
  const own = { organisationIds: [organisations.client as number] };
  await scoped(t.db, own, async (tx) => {
    expect(await findUser(tx, 'system', (targets.sibling as TestUser).id)).toBeUndefined();
    expect(await findUser(tx, 'system', (targets.client as TestUser).id)).toBeDefined();
    const { results } = await listUsers(tx, 'system', {
      role: [],
      state: ['active', 'invited', 'deleted'],
      sort: 'displayName',
      order: 'asc',
      limit: 1_000,
      offset: 0,
    });
    expect(new Set(results.map(({ organisationId }) => organisationId))).toEqual(new Set(own.organisationIds));
  });
});
