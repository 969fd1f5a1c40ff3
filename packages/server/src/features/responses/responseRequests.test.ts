/** The page of responses: approvals, protected assets, the limit of isolations, manual release and undo. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { responseRequestsApi as api, type ResponseDetail, type ResponseRow } from '@parapet/contract/responseRequests.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { responsesWorld } from '../../../test/responses.fixture.ts';
import { seedAlerts, seedCase, seedRule } from '../../../test/seed.ts';

type World = Awaited<ReturnType<typeof responsesWorld>>;
let get: (id: number, by?: TestUser) => Promise<ResponseDetail>;
let t: World['t'];
let client: World['client'];
let admin: World['admin'];
let clientAdmin: World['clientAdmin'];
let reader: World['reader'];
let stranger: World['stranger'];
let system: World['system'];
let analyst: World['analyst'];
let aClient: World['aClient'];
let aDevice: World['aDevice'];
let request: World['request'];
let requestResponse: World['requestResponse'];
let approve: World['approve'];
let undo: World['undo'];
let confirm: World['confirm'];
let flagsOf: World['flagsOf'];
let later: World['later'];

beforeAll(async () => {
  const world = await responsesWorld();
  ({
    t,
    client,
    admin,
    clientAdmin,
    reader,
    stranger,
    system,
    analyst,
    aClient,
    aDevice,
    request,
    requestResponse,
    approve,
    undo,
    confirm,
    flagsOf,
    later,
  } = world);
  get = (id, by = admin) => world.get(id, by);
});
afterAll(() => t.close());

const stateOf = async (id: number) => (await get(id)).state;
const stepsOf = async (id: number) => (await get(id)).steps.map(({ state }) => state);
const addRule = (body: object, by = admin, organisation = client) =>
  t.call(api.addRule, { params: { client: organisation }, body: body as never }, by);
const everyRule = { action: null, deviceType: null, hours: 'always', approvers: 'provider' };
let next = 0;

describe('approval', () => {
  test('blocks manual confirmation and jobs until it is given', async () => {
    const organisation = await aClient();
    expect((await addRule({ ...everyRule, persons: 2 }, admin, organisation)).statusCode).toBe(200);
    const { name } = await aDevice(organisation);
    const by = await analyst();
    const row = await requestResponse(by, { clientOrganizationID: organisation, target: name.toLowerCase() });
    expect(row).toMatchObject({ state: 'requested', target: name, approvalsNeeded: 2, mayApprove: false, mayUndo: true });
    const early = await confirm(by, row.id);
    expect([early.statusCode, early.json().error]).toEqual([409, expect.stringContaining('waiting for approval')]);
    // The requester, another kind of approver, a reader, another tenant.
    expect((await approve(by, row.id)).statusCode).toBe(403);
    expect((await approve(admin, row.id)).json().error).toContain('the staff of the provider');
    expect((await approve(await analyst(organisation, 'Analyst'), row.id)).statusCode).toBe(403);
    expect((await approve(stranger, row.id)).statusCode).toBe(404);
    expect(await stepsOf(row.id)).toEqual(['requested']);

    const [one, two] = [await analyst(1, 'Analyst'), await analyst(1, 'Analyst')];
    expect((await approve(one, row.id)).json()).toMatchObject({ state: 'requested', approvalsNeeded: 1, mayApprove: false });
    // Twice by the same person, at once, is one approval.
    await Promise.all([approve(one, row.id), approve(one, row.id)]);
    expect(await stateOf(row.id)).toBe('requested');
    expect((await approve(two, row.id, true, 'seen')).json()).toMatchObject({
      state: 'approved',
      via: 'manual',
      approvalsNeeded: 0,
    });
    expect((await confirm(by, row.id)).statusCode).toBe(200);
    const detail = await get(row.id, one);
    expect(detail.steps.map(({ state }) => state)).toEqual(['requested', 'approval', 'approval', 'approved', 'acknowledged']);
    expect(detail.rule).toBe('Every response is approved by 2 people of the provider; after 1 h of silence it expires.');
    expect((await approve(one, row.id)).statusCode).toBe(200);
    expect((await approve(await analyst(1, 'Analyst'), row.id)).statusCode).toBe(409);
  });

  test('counts two concurrent approvals', async () => {
    const organisation = await aClient();
    await addRule({ ...everyRule, persons: 2 }, admin, organisation);
    const { name } = await aDevice(organisation);
    const { id } = await requestResponse(await analyst(), { clientOrganizationID: organisation, target: name });
    const people = [await analyst(1, 'Analyst'), await analyst(1, 'Analyst')];
    await Promise.all(people.map((one) => approve(one, id)));
    expect(await stepsOf(id)).toEqual(['requested', 'approval', 'approval', 'approved']);
  });

  test('fails the request on refusal and allows a new one', async () => {
    const organisation = await aClient();
    await addRule({ ...everyRule, approvers: 'client' }, admin, organisation);
    const { name } = await aDevice(organisation);
    const by = await analyst();
    const { id } = await requestResponse(by, { clientOrganizationID: organisation, target: name });
    const its = await analyst(organisation, 'Administrator');
    expect((await approve(its, id, false, 'payroll runs')).json()).toMatchObject({
      state: 'failed',
      detail: 'It was refused: payroll runs',
    });
    expect((await approve(await analyst(organisation, 'Administrator'), id)).statusCode).toBe(409);
    const again = await requestResponse(by, { clientOrganizationID: organisation, target: name });
    expect(again.id).not.toBe(id);
  });

  test('expires or approves by silence, as the rule says', async () => {
    for (const [silence, expected] of [
      ['expire', 'expired'],
      ['approve', 'approved'],
    ] as const) {
      const organisation = await aClient();
      await addRule({ ...everyRule, silence, waitMinutes: 30 }, admin, organisation);
      const { name } = await aDevice(organisation);
      const { id } = await requestResponse(await analyst(), { clientOrganizationID: organisation, target: name });
      await later(29 * 60_000).expire();
      expect(await stateOf(id)).toBe('requested');
      await Promise.all([later(31 * 60_000).expire(), later(31 * 60_000).expire()]);
      expect(await stepsOf(id)).toEqual(['requested', expected]);
      // An approved request expires a day after its approval.
      if (expected === 'approved') {
        await later(24 * hourMs).expire();
        expect(await stateOf(id)).toBe('approved');
        await later(25 * hourMs).expire();
        expect(await stateOf(id)).toBe('expired');
      }
    }
  });

  test('waives approval of one action by a rule', async () => {
    const organisation = await aClient();
    await addRule(everyRule, admin, organisation);
    await addRule({ ...everyRule, action: 'isolate', deviceType: 'workstation', approvers: 'nobody' }, admin, organisation);
    const [server, workstation] = [
      await aDevice(organisation, { type: 'server' }),
      await aDevice(organisation, { type: 'workstation' }),
    ];
    const by = await analyst();
    expect(await requestResponse(by, { clientOrganizationID: organisation, target: server.name })).toMatchObject({
      state: 'requested',
    });
    expect(await requestResponse(by, { clientOrganizationID: organisation, target: workstation.name })).toMatchObject({
      state: 'approved',
    });
  });
});

describe('protected assets', () => {
  const protect = (kind: 'device' | 'user', value: string, by = admin) =>
    t.call(api.addProtected, { params: { client }, body: { kind, value, reason: 'Holds the directory' } }, by);

  test('need two other approvers under any name, even with a waiving rule', async () => {
    const main = await aDevice();
    const alias = await aDevice(client, { mergedInto: main.id });
    expect((await protect('device', main.name.toUpperCase())).statusCode).toBe(200);
    for (const target of [main.name, main.id, alias.name]) {
      const row = await requestResponse(await analyst(), { target });
      expect(row).toMatchObject({
        state: 'requested',
        approvalsNeeded: 2,
        detail: expect.stringContaining('Holds the directory'),
      });
    }
    // Silence never lets it through.
    const [{ id } = { id: 0 }] = await system((tx) =>
      tx.selectFrom('responses').select('id').where('target', '=', main.name).execute(),
    );
    await later(2 * hourMs).expire();
    expect(await stateOf(id)).toBe('expired');
  });

  test('match accounts by bare name and exempt file collection', async () => {
    const { name } = await aDevice();
    await protect('user', 'svc-backup');
    await protect('device', name);
    expect(
      await requestResponse(await analyst(), { action: 'blockUser', target: 'CORP\\SVC-backup', acknowledgesWarning: true }),
    ).toMatchObject({
      approvalsNeeded: 2,
    });
    expect(await requestResponse(await analyst(), { action: 'unblockUser', target: 'svc-backup' })).toMatchObject({
      approvalsNeeded: 0,
    });
    expect(
      await requestResponse(await analyst(), { action: 'collectFile', target: '/etc/passwd', deviceName: name }),
    ).toMatchObject({
      approvalsNeeded: 1,
    });
    expect(
      await requestResponse(await analyst(), { action: 'killProcess', target: '77', expectedName: 'x', deviceName: name }),
    ).toMatchObject({ approvalsNeeded: 2 });
  });

  test('accept changes by authorised administrators only, once each, and audit them', async () => {
    const value = `DC-${++next}`;
    for (const [by, status] of [
      [clientAdmin, 403],
      [await analyst(), 403],
      [stranger, 403],
      [admin, 200],
      [admin, 409],
    ] as const)
      expect((await protect('device', value, by)).statusCode).toBe(status);
    const listed = (await t.call(api.listProtected, { params: { client } }, reader)).json();
    const found = listed.results.find((asset: { value: string }) => asset.value === value);
    expect(found).toMatchObject({ kind: 'device', reason: 'Holds the directory', createdBy: 'Test Administrator' });
    const remove = (organisation: number, by: TestUser) =>
      t.call(api.removeProtected, { params: { client: organisation, asset: found.id } }, by);
    expect((await remove(await aClient(), admin)).statusCode).toBe(404);
    expect((await remove(client, stranger)).statusCode).toBe(403);
    expect((await remove(client, admin)).statusCode).toBe(200);
    expect((await remove(client, admin)).statusCode).toBe(404);
    const audit = await system((tx) =>
      tx
        .selectFrom('audit')
        .select('action')
        .where('target', '=', String(found.id))
        .where('action', 'like', 'asset.%')
        .orderBy('id')
        .execute(),
    );
    expect(audit.map(({ action }) => action)).toEqual(['asset.protected', 'asset.unprotected']);
  });
});

describe('the limit of isolations', () => {
  test('requires approval after five in 10 minutes by one person over all clients', async () => {
    const by = await analyst();
    const clients = [client, await aClient()];
    const devices = await Promise.all(Array.from({ length: 8 }, (_, n) => aDevice(clients[n % 2])));
    const rows = await Promise.all(
      devices.map(({ name }, n) => requestResponse(by, { clientOrganizationID: clients[n % 2]!, target: name })),
    );
    expect(rows.filter(({ state }) => state === 'approved')).toHaveLength(5);
    const waiting = rows.filter(({ state }) => state === 'requested');
    expect(waiting).toHaveLength(3);
    expect(waiting[0]!.approvalsNeeded).toBe(1);
    expect((await approve(by, waiting[0]!.id)).statusCode).toBe(403);
    expect((await approve(await analyst(), waiting[0]!.id)).json()).toMatchObject({ state: 'approved' });
    // A repeated request is deduplicated, and releases are not limited.
    expect((await requestResponse(by, { clientOrganizationID: rows[0]!.clientOrganizationID, target: rows[0]!.target })).id).toBe(
      rows[0]!.id,
    );
    expect((await undo(by, rows[0]!.id)).json()).toMatchObject({ state: 'released' });
    expect(await requestResponse(await analyst(), { target: (await aDevice()).name })).toMatchObject({ state: 'approved' });
  });
});

describe('a request without a case', () => {
  test('rejects unknown and invalid targets', async () => {
    const { name } = await aDevice();
    const foreign = await aDevice(stranger.organisationId);
    const by = await analyst();
    for (const [body, field] of [
      [{ target: 'nowhere' }, 'target'],
      [{ target: foreign.name }, 'target'],
      [{ target: foreign.id }, 'target'],
      [{ action: 'killProcess', target: '12', expectedName: 'sshd' }, 'deviceName'],
      [{ action: 'killProcess', target: '12', deviceName: name }, 'expectedName'],
      [{ action: 'killProcess', target: '-1', expectedName: 'sshd', deviceName: name }, 'target'],
      [{ action: 'collectFile', target: 'passwd', deviceName: name }, 'target'],
      [{ action: 'collectFile', target: `/${'ü'.repeat(1_500)}`, deviceName: name }, 'target'],
      [{ action: 'collectFile', target: '/etc/a\nb', deviceName: name }, 'target'],
      [{ action: 'collectFile', target: '/etc/passwd', deviceName: 'nowhere' }, 'deviceName'],
    ] as const) {
      const answer = await request(by, body);
      expect([answer.statusCode, Object.keys(answer.json().errors ?? {})], JSON.stringify(body)).toEqual([400, [field]]);
    }
    expect((await request(stranger, { target: name })).statusCode).toBe(403);
    expect((await request(reader, { target: name })).statusCode).toBe(403);
    const theirs = await seedCase(t.db, { organisationId: stranger.organisationId });
    expect((await request(by, { target: name, caseID: theirs.id })).statusCode).toBe(404);
    const sibling = await seedCase(t.db, { organisationId: await aClient() });
    expect((await request(by, { target: name, caseID: sibling.id })).statusCode).toBe(404);
  });

  test('accepts the longest path and deduplicates it', async () => {
    const { name } = await aDevice();
    const target = `/${'x'.repeat(1_900)}`;
    const body = { action: 'collectFile', target, deviceName: name } as const;
    const rows = await Promise.all([await analyst(), await analyst()].map((by) => requestResponse(by, body)));
    expect(rows[0]!.id).toBe(rows[1]!.id);
    expect((await get(rows[0]!.id)).instructions.length).toBeGreaterThan(1);
  });
});

describe('the list', () => {
  test('shows pending requests first and of any time, counts states and stays within the scope', async () => {
    const organisation = await aClient();
    const devices = await Promise.all(Array.from({ length: 4 }, () => aDevice(organisation)));
    const by = await analyst();
    const rows: ResponseRow[] = [];
    for (const { name } of devices) rows.push(await requestResponse(by, { clientOrganizationID: organisation, target: name }));
    await confirm(by, rows[3]!.id);
    await confirm(by, rows[2]!.id, false);
    const range = { start: new Date(Date.now() - hourMs).toISOString(), end: new Date(Date.now() + hourMs).toISOString() };
    const list = async (query = {}, asker = by, of = organisation) =>
      t.call(api.list, { params: { client: of, ...range }, query }, asker);
    const all = (await list()).json();
    expect(all.results.map(({ id }: ResponseRow) => id)).toEqual([rows[1]!.id, rows[0]!.id, rows[3]!.id, rows[2]!.id]);
    expect(all).toMatchObject({
      total: 4,
      states: expect.arrayContaining([
        { state: 'approved', count: 2 },
        { state: 'acknowledged', count: 1 },
      ]),
    });
    expect((await list({ state: 'acknowledged,failed', pageSize: 1 })).json()).toMatchObject({
      total: 2,
      results: [{ id: rows[3]!.id }],
    });
    expect((await list({ text: devices[0]!.name.toLowerCase() })).json().results).toHaveLength(1);
    expect((await list({ text: '%' })).json().results).toHaveLength(0);
    expect((await list({ action: 'blockUser' })).json().total).toBe(0);
    const earlier = { client: organisation, start: new Date(0).toISOString(), end: range.start };
    const pendingOnly = (await t.call(api.list, { params: earlier, query: {} }, by)).json();
    expect(pendingOnly.results.map(({ id }: ResponseRow) => id)).toEqual([rows[1]!.id, rows[0]!.id]);
    expect(pendingOnly).toMatchObject({ total: 2, states: [{ state: 'approved', count: 2 }] });
    expect((await list({}, stranger)).statusCode).toBe(403);
    expect((await list({}, stranger, 0)).statusCode).toBe(403);
    expect((await list({}, by, 0)).json().total).toBeGreaterThanOrEqual(4);
    expect((await t.call(api.get, { params: { id: rows[0]!.id } }, stranger)).statusCode).toBe(404);
    expect((await t.call(api.file, { params: { id: rows[0]!.id } }, by)).statusCode).toBe(409);
  });
});

describe('rules', () => {
  test('reject duplicates by action, type and hours, and removal from another client', async () => {
    const organisation = await aClient();
    const body = { ...everyRule, action: 'isolate', persons: 2 };
    const added = await addRule(body, admin, organisation);
    expect(added.json()).toMatchObject({
      clientOrganizationID: organisation,
      text: expect.stringContaining('2 people of the provider'),
    });
    expect((await addRule({ ...body, persons: 1 }, admin, organisation)).statusCode).toBe(409);
    expect((await addRule({ ...body, hours: 'workingHours' }, admin, organisation)).statusCode).toBe(200);
    for (const by of [clientAdmin, reader, await analyst()]) expect((await addRule(body, by, organisation)).statusCode).toBe(403);
    expect((await addRule({ ...body, persons: 3 }, admin, organisation)).statusCode).toBe(400);
    const { id } = added.json();
    expect((await t.call(api.removeRule, { params: { client, rule: id } }, admin)).statusCode).toBe(404);
    expect((await t.call(api.removeRule, { params: { client: organisation, rule: id } }, admin)).statusCode).toBe(200);
    expect((await t.call(api.listRules, { params: { client: organisation } }, admin)).json().total).toBe(1);
  });
});

describe('release and undo', () => {
  test('request the release of a manual action when its hours are over', async () => {
    const { name } = await aDevice();
    const by = await analyst();
    const { id } = await requestResponse(by, { target: name, releaseAfterHours: 2 });
    await confirm(by, id);
    const { releaseAt } = await get(id);
    expect(Math.round((Date.parse(releaseAt!) - Date.now()) / hourMs)).toBe(2);
    await later(1.9 * hourMs).release();
    expect(await system((tx) => tx.selectFrom('responses').select('id').where('undoes_id', '=', id).execute())).toEqual([]);
    await Promise.all([later(2.1 * hourMs).release(), later(2.1 * hourMs).release()]);
    const [back] = await system((tx) => tx.selectFrom('responses').selectAll().where('undoes_id', '=', id).execute());
    expect(back).toMatchObject({ action: 'unisolate', state: 'approved', is_manual: true, requested_by: null });
    expect(await flagsOf(name)).toHaveLength(1);
    // Not confirmed in time: requested again until a person confirms it.
    await later(27 * hourMs).expire();
    expect(await stateOf(back!.id)).toBe('expired');
    await later(29 * hourMs).release();
    const again = await system((tx) =>
      tx.selectFrom('responses').selectAll().where('undoes_id', '=', id).orderBy('id').execute(),
    );
    expect(again.map(({ state }) => state)).toEqual(['expired', 'approved']);
    await confirm(by, again[1]!.id);
    expect(await flagsOf(name)).toEqual([]);
    expect(await get(id)).toMatchObject({ state: 'released', releaseAt: null, mayUndo: false });
    await later(200 * hourMs).release();
    expect(await system((tx) => tx.selectFrom('responses').select('id').where('undoes_id', '=', id).execute())).toHaveLength(2);
  });

  test('cancel before completion, request the opposite after it, and refuse what cannot be undone', async () => {
    const { name } = await aDevice();
    const by = await analyst();
    const first = await requestResponse(by, { target: name });
    expect((await undo(reader, first.id)).statusCode).toBe(403);
    expect((await undo(stranger, first.id)).statusCode).toBe(404);
    expect((await undo(by, first.id)).json()).toMatchObject({ id: first.id, state: 'released' });
    expect((await undo(by, first.id)).json()).toMatchObject({ id: first.id, state: 'released' });
    const second = await requestResponse(by, { target: name });
    await confirm(by, second.id);
    const backs = await Promise.all([undo(by, second.id), undo(clientAdmin, second.id), undo(by, second.id)]);
    expect(new Set(backs.map((answer) => answer.json().id)).size).toBe(1);
    const back = backs[0]!.json();
    expect(back).toMatchObject({ action: 'unisolate', state: 'approved', via: 'manual' });
    await confirm(by, back.id);
    expect(await stateOf(second.id)).toBe('released');
    expect((await undo(by, back.id)).statusCode).toBe(409);
    const file = await requestResponse(by, { action: 'collectFile', target: '/etc/hosts', deviceName: name });
    await approve(clientAdmin, file.id);
    await confirm(by, file.id);
    expect(await get(file.id)).toMatchObject({ mayUndo: false });
    expect((await undo(by, file.id)).statusCode).toBe(409);
  });
});

test('hides names of provider staff from clients', async () => {
  const soc = await analyst(1, 'Analyst');
  const { name } = await aDevice();
  const { id } = await requestResponse(soc, { target: name, note: 'please' });
  const seen = await get(id, clientAdmin);
  expect(seen.requestedBy).toBe('SOC Analyst');
  expect(seen.steps[0]).toMatchObject({ state: 'requested', actor: 'SOC Analyst', detail: 'please' });
  expect((await get(id, soc)).requestedBy).toBe('Test Analyst');
});

test('flags alerts under every name of an isolated device', async () => {
  const main = await aDevice();
  const alias = await aDevice(client, { mergedInto: main.id });
  const [alert] = await seedAlerts(t.db, client, [{ at: Date.now(), rule: await seedRule(t.db), device: alias.name }]);
  const by = await analyst();
  const { id } = await requestResponse(by, { target: main.name });
  await confirm(by, id);
  expect((await t.call(alertsApi.detail, { params: { alertId: alert!.id } }, by)).json()).toMatchObject({ deviceIsolated: true });
  await confirm(by, (await undo(by, id)).json().id);
  expect(await flagsOf(alias.name)).toEqual([]);
});
