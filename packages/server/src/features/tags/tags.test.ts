import { tagsApi } from '@parapet/contract/tags.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { listTags } from './tags.store.ts';

const t = useTestApp();
let partner: number;
let client: number;
let sibling: number;
let admin: TestUser;
let analyst: TestUser;
let partnerAdmin: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
});

const device = (organisationId: number, name: string) =>
  scoped(t.db, 'system', async (tx) => {
    const row = await tx
      .insertInto('devices')
      .values({
        organisation_id: organisationId,
        name,
        device_type: 'server',
        agent_version: null,
        agent_updated_at: null,
        last_event_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return row.id;
  });
const save = async (name: string, organisationId = client, user = admin): Promise<number> =>
  (await t.call(tagsApi.saveNew, { body: { clientOrganizationID: organisationId, name } }, user)).json().id;
const namesOf = async (user: TestUser, selectedClientOrgID: number) =>
  (await t.call(tagsApi.list, { query: { selectedClientOrgID } }, user)).json().results.map((tag: { name: string }) => tag.name);
const tagsOn = (deviceId: string) =>
  scoped(t.db, 'system', async (tx) =>
    (await tx.selectFrom('device_tags').select('tag_id').where('device_id', '=', deviceId).execute()).map((row) => row.tag_id),
  );

describe('tags', () => {
  test('saves, lists, assigns, unassigns and deletes a tag', async () => {
    const later = await save('zeta');
    const first = await save('Alpha');
    expect(await namesOf(admin, client)).toEqual(['Alpha', 'zeta']);
    const uuid = await device(client, 'one');
    const put = await t.call(
      tagsApi.tagDevices,
      {
        body: {
          devices: [uuid],
          tags: [
            { id: first, isDeleted: false },
            { id: later, isDeleted: false },
          ],
        },
      },
      admin,
    );
    expect(put.statusCode).toBe(200);
    expect((await tagsOn(uuid)).sort()).toEqual([first, later].sort());
    await t.call(tagsApi.tagDevices, { body: { devices: [uuid], tags: [{ id: later, isDeleted: true }] } }, admin);
    expect(await tagsOn(uuid)).toEqual([first]);
    await t.call(tagsApi.remove, { body: { id: first } }, admin);
    expect(await tagsOn(uuid)).toEqual([]);
    expect(await namesOf(admin, client)).toEqual(['zeta']);
  });

  test('matches paths in any case and with a trailing slash', async () => {
    const { statusCode } = await t.application.app.inject({
      url: `/API/v1/TAGS/?selectedClientOrgID=${client}`,
      headers: { authorization: `Bearer ${admin.token}` },
    });
    expect(statusCode).toBe(200);
  });

  test('lists the tags of all clients for a partner under 0', async () => {
    await save('sibling’s', sibling, partnerAdmin);
    expect(await namesOf(partnerAdmin, 0)).toContain('sibling’s');
    expect(await namesOf(partnerAdmin, client)).not.toContain('sibling’s');
  });

  test('audits every change', async () => {
    const id = await save('audited');
    const rows = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', 'tag.saved').where('target', '=', String(id)).execute(),
    );
    expect(rows).toMatchObject([{ actor_user_id: admin.id, organisation_id: client, after: { name: 'audited' } }]);
  });
});

describe('refusals', () => {
  test('returns 409 for a taken name in any case', async () => {
    await save('Taken');
    const answer = await t.call(tagsApi.saveNew, { body: { clientOrganizationID: client, name: 'taken' } }, admin);
    expect(answer.statusCode).toBe(409);
    expect(answer.json().error).toBe('A tag named "taken" already exists.');
  });

  test('returns 400 at the field for an empty or long name', async () => {
    for (const name of ['', '   ', 'x'.repeat(61)]) {
      const answer = await t.call(tagsApi.saveNew, { body: { clientOrganizationID: client, name } }, admin);
      expect(answer.statusCode).toBe(400);
      expect(Object.keys(answer.json().errors)).toEqual(['name']);
    }
  });

  test('returns 401 to anonymous callers and 403 without the permission, audited', async () => {
    expect((await t.call(tagsApi.list, { query: { selectedClientOrgID: client } })).statusCode).toBe(401);
    const answer = await t.call(tagsApi.saveNew, { body: { clientOrganizationID: client, name: 'denied' } }, analyst);
    expect(answer.statusCode).toBe(403);
    expect(await namesOf(admin, client)).not.toContain('denied');
    const rows = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', 'call.denied').where('actor_user_id', '=', analyst.id).execute(),
    );
    expect(rows).toHaveLength(1);
  });

  test('returns 403 for organisations outside the scope, and for 0 without a client selector', async () => {
    expect((await t.call(tagsApi.list, { query: { selectedClientOrgID: sibling } }, admin)).statusCode).toBe(403);
    expect((await t.call(tagsApi.list, { query: { selectedClientOrgID: 0 } }, admin)).statusCode).toBe(403);
    expect((await t.call(tagsApi.saveNew, { body: { clientOrganizationID: sibling, name: 'x' } }, admin)).statusCode).toBe(403);
  });

  test('treats another tenant’s tag as missing', async () => {
    const id = await save('hidden');
    const foreign = await t.call(tagsApi.remove, { body: { id } }, stranger);
    const missing = await t.call(tagsApi.remove, { body: { id: 2_000_000_000 } }, stranger);
    expect(foreign.statusCode).toBe(404);
    const body = (answer: typeof foreign) => ({
      ...answer.json(),
      requestId: '',
      error: answer.json().error.replace(/\d+/, 'N'),
    });
    expect(body(foreign)).toEqual(body(missing));
  });

  test('changes nothing across two organisations', async () => {
    const mine = await device(client, 'mine');
    const theirs = await device(sibling, 'theirs');
    const id = await save('one side');
    const answer = await t.call(
      tagsApi.tagDevices,
      { body: { devices: [mine, theirs], tags: [{ id, isDeleted: false }] } },
      partnerAdmin,
    );
    expect(answer.statusCode).toBe(400);
    expect(await tagsOn(mine)).toEqual([]);
    const foreign = await t.call(
      tagsApi.tagDevices,
      { body: { devices: [mine, theirs], tags: [{ id, isDeleted: false }] } },
      admin,
    );
    expect(foreign.statusCode).toBe(404);
    expect(await tagsOn(mine)).toEqual([]);
  });

  test('refuses unknown query parameters on writes', async () => {
    const { statusCode } = await t.application.app.inject({
      method: 'POST',
      url: '/api/v1/tags/deletetag?force=1',
      headers: { authorization: `Bearer ${admin.token}` },
      payload: { id: 1 },
    });
    expect(statusCode).toBe(400);
  });
});

test('enforces row-level security when a store omits its scope', async () => {
  await save('guarded');
  // The argument spans everything, the transaction only the other tenant.
  const { results } = await scoped(t.db, { organisationIds: [stranger.organisationId] }, (tx) => listTags(tx, 'system'));
  expect(results.filter((tag) => tag.clientOrganizationID !== stranger.organisationId)).toEqual([]);
  const nothing = await scoped(t.db, { organisationIds: [] }, (tx) => listTags(tx, 'system'));
  expect(nothing.results).toEqual([]);
});
