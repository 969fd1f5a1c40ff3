import { devicesApi } from '@parapet/contract/devices.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedAlerts, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { countAlerts, listDevices } from './devices.store.ts';

const now = Date.now();
const start = now - 20 * dayMs - 5.5 * hourMs;
const end = now + hourMs;

const t = useTestApp();
let client: number;
let sibling: number;
let elsewhere: number;
let analyst: TestUser;
let admin: TestUser;
let partnerAdmin: TestUser;
let uuids: Map<string, string>;

const insert = (organisationId: number, name: string, type: string) =>
  scoped(t.db, { organisationIds: [organisationId] }, (tx) =>
    tx
      .insertInto('devices')
      .values({
        organisation_id: organisationId,
        name,
        device_type: type,
        agent_version: '8.1',
        agent_updated_at: new Date(now - dayMs),
        last_event_at: new Date(now),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
const list = (id: number, query: object = {}, user = analyst) =>
  t.call(
    devicesApi.list,
    { params: { client: id, start: new Date(start).toISOString(), end: new Date(end).toISOString() }, query } as never,
    user,
  );
const names = async (query: object, id = client, user = analyst): Promise<string[]> =>
  (await list(id, query, user)).json().results.map((device: { name: string }) => device.name);

beforeAll(async () => {
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  elsewhere = await t.organisation();
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  uuids = new Map();
  for (const [name, type] of [
    ['Zulu', 'server'],
    ['alpha', 'workstation'],
    ['100%_real', 'workstation'],
    ['m365', 'productivity'],
    [`back\\slash "quoted" it's`, 'networkDevice'],
  ] as const) {
    uuids.set(name, (await insert(client, name, type)).id);
  }
  await insert(sibling, 'alpha', 'server');
  await insert(elsewhere, 'alpha', 'server');
  const rule = await seedRule(t.db);
  const at = (device: string, ...times: number[]) => times.map((time) => ({ at: time, rule, device }));
  await seedAlerts(t.db, client, [
    ...at('alpha', start - 1, start, start + hourMs, now - 1),
    ...at('Zulu', start + 3 * dayMs),
    { at: now, rule, device: null },
  ]);
  await seedAlerts(t.db, sibling, at('alpha', now - 2 * dayMs));
  await seedAlerts(t.db, elsewhere, at('alpha', now - 2 * dayMs, now - dayMs));
});

describe('devices of a client', () => {
  test('sorts by name, each with its tags and its alerts in exactly the timeframe', async () => {
    const tag = async (name: string) =>
      (await t.call(tagsApi.saveNew, { body: { clientOrganizationID: client, name } }, admin)).json().id as number;
    const [second, first, gone] = [await tag('zone'), await tag('Accounting'), await tag('gone')];
    const devices = [uuids.get('alpha')!];
    await t.call(
      tagsApi.tagDevices,
      { body: { devices, tags: [second, first, gone].map((id) => ({ id, isDeleted: false })) } },
      admin,
    );
    await t.call(tagsApi.remove, { body: { id: gone } }, admin);

    const answer = devicesApi.list.answer.parse((await list(client)).json());
    expect(answer.total).toBe(5);
    expect(answer.results.map(({ name, alertCount }) => [name, alertCount])).toEqual([
      ['100%_real', 0],
      ['alpha', 3],
      [`back\\slash "quoted" it's`, 0],
      ['m365', 0],
      ['Zulu', 1],
    ]);
    expect(answer.results[1]).toMatchObject({
      uuid: uuids.get('alpha'),
      clientOrganizationID: client,
      deviceType: 'workstation',
      agentUpdateVersion: '8.1',
      agentUpdateDateTime: new Date(now - dayMs).toISOString(),
      lastEventAt: new Date(now).toISOString(),
      deviceTags: [
        { id: first, name: 'Accounting', clientOrganizationID: client, isDeleted: false },
        { id: second, name: 'zone', clientOrganizationID: client, isDeleted: false },
      ],
    });
    expect(await names({ tag: `${first},999999` })).toEqual(['alpha']);
    expect(await names({ tag: gone })).toEqual([]);
  });

  test('distinguishes equally named devices of different clients', async () => {
    const { results, total } = (await list(0, { text: 'ALPHA' }, partnerAdmin)).json();
    expect(total).toBe(2);
    expect(
      results.map((row: { clientOrganizationID: number; alertCount: number }) => [row.clientOrganizationID, row.alertCount]),
    ).toEqual([
      [client, 3],
      [sibling, 1],
    ]);
  });

  test('searches a part of the name literally', async () => {
    expect(await names({ text: '%' })).toEqual(['100%_real']);
    expect(await names({ text: '0%_' })).toEqual(['100%_real']);
    expect(await names({ text: 'k\\s' })).toEqual([`back\\slash "quoted" it's`]);
    expect(await names({ text: `"quoted" IT'S` })).toEqual([`back\\slash "quoted" it's`]);
  });

  test('filters by type', async () => {
    expect(await names({ type: 'workstation' })).toEqual(['100%_real', 'alpha']);
    expect(await names({ type: 'server,productivity' })).toEqual(['m365', 'Zulu']);
    expect((await list(client, { type: 'toaster' })).statusCode).toBe(400);
  });

  test('pages through the whole list in order', async () => {
    const all = await names({ pageSize: 200 });
    const paged: string[] = [];
    for (let page = 1; page <= 4; page++) paged.push(...(await names({ page, pageSize: 2 })));
    expect(paged).toEqual(all);
    expect((await list(client, { page: 4, pageSize: 2 })).json()).toEqual({ results: [], total: 5 });
  });

  test('returns 403 to a client’s user for other organisations, siblings and All, 401 to anonymous callers', async () => {
    for (const id of [sibling, elsewhere, 0]) expect((await list(id)).statusCode).toBe(403);
    expect(
      (await t.call(devicesApi.list, { params: { client, start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' } } as never))
        .statusCode,
    ).toBe(401);
  });

  test('returns nothing for a foreign scope inside another’s transaction', async () => {
    const theirs = { organisationIds: [elsewhere] };
    const nothing = await scoped(t.db, { organisationIds: [client] }, async (tx) => ({
      listed: await listDevices(tx, theirs, { text: '', types: [], states: [], tags: [], limit: 10, offset: 0 }, now),
      counted: await countAlerts(
        tx,
        theirs,
        [{ name: 'alpha', clientOrganizationID: elsewhere, aliases: [] }],
        { start, end },
        { now },
      ),
    }));
    expect(nothing).toEqual({ listed: { results: [], total: 0 }, counted: [0] });
  });
});
