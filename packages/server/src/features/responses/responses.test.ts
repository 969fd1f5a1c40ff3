/** Isolation, blocking and response tasks. */
import { randomUUID } from 'node:crypto';
import { alertsApi } from '@parapet/contract/alerts.ts';
import type { Response } from '@parapet/contract/caseDetail.ts';
import { duplicateTaskText, responsesApi } from '@parapet/contract/responses.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { responsesServiceOn } from '../../../test/responses.fixture.ts';
import { type SeedCase, type SeededCase, seedAlerts, seedCase, seedRule } from '../../../test/seed.ts';
import { movableClock, systemClock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';

const t = useTestApp();
let partner: number;
let client: number;
let analyst: TestUser;
let colleague: TestUser;
let admin: TestUser;
let reader: TestUser;
let stranger: TestUser;
let next = 0;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  colleague = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  reader = await t.user({ organisationId: client, role: 'Analyst' });
  stranger = await t.user({ organisationId: await t.organisation({ parentId: partner }), role: 'Administrator' });
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
/** A case with a device and a user of its own. */
const aCase = async (seed: Partial<SeedCase> = {}): Promise<SeededCase & { device: string; user: string }> => {
  const n = ++next;
  const [device, user] = [`Host-${n}`, `User-${n}`];
  return { ...(await seedCase(t.db, { organisationId: client, device, user, ...seed })), device, user };
};
const isolate = (caseID: number, deviceID: string, isIsolated = true, user: TestUser | undefined = analyst) =>
  t.call(responsesApi.isolateHost, { body: { caseID, deviceID, isIsolated } }, user);
const acknowledge = (id: number, isDone = true, user = analyst, note = '', isVerified = false) =>
  t.call(responsesApi.acknowledge, { params: { id }, body: { isDone, isVerified, note } }, user);
const tokenFor = async (caseID: number, userID: string, user = analyst): Promise<string> =>
  (await t.call(responsesApi.issueBlockToken, { body: { caseID, userID } }, user)).json().token;
const block = (token: string, isDisabled = true, user: TestUser | undefined = analyst) =>
  t.call(responsesApi.blockUser, { params: { token }, body: { userID: 'another user', isDisabled } }, user);
const statesOf = (responseId: number) =>
  system(async (tx) =>
    (await tx.selectFrom('response_steps').select('state').where('response_id', '=', responseId).orderBy('id').execute()).map(
      ({ state }) => state,
    ),
  );
const theCase = (id: number) => system((tx) => tx.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
const alertOf = async (id: number) => (await t.call(alertsApi.detail, { params: { alertId: id } }, analyst)).json();
const historyOf = (id: number) =>
  system(async (tx) =>
    (
      await tx
        .selectFrom('case_history')
        .select('text')
        .where('case_id', '=', id)
        .where('kind', '=', 'response')
        .orderBy('id')
        .execute()
    ).map(({ text }) => text),
  );

describe('containment of the case', () => {
  beforeEach(async () => {
    analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  });

  test('requires a verified response and a note on its verification', async () => {
    const { id, device } = await aCase();
    const requested = (await isolate(id, device)).json().response;
    expect((await acknowledge(requested.id, true, analyst, '', true)).json().errors).toEqual({
      note: ['Enter how the effect was verified.'],
    });
    expect((await acknowledge(requested.id)).json()).toMatchObject({ state: 'acknowledged' });
    expect(await theCase(id)).toMatchObject({ contained_at: null, containment: null });
    expect((await acknowledge(requested.id, true, analyst, 'Ping from the next host fails.', true)).json()).toMatchObject({
      state: 'verified',
      detail: 'Ping from the next host fails.',
    });
    expect(await theCase(id)).toMatchObject({ contained_at: expect.any(Date), containment: 'verified' });
    expect(await statesOf(requested.id)).toEqual(['requested', 'approved', 'acknowledged', 'verified']);
  });
});

describe('isolation', () => {
  // Of one person, more than five in ten minutes need a second one.
  beforeEach(async () => {
    analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  });

  test('shows on the device’s alerts once a person confirms it', async () => {
    const { id, device, alerts } = await aCase();
    const [elsewhere] = await seedAlerts(t.db, client, [
      { at: Date.now() - 5_000_000, rule: await seedRule(t.db), device: device.toUpperCase(), user: null },
    ]);
    const requested = await isolate(id, device.toLowerCase());
    expect(requested.statusCode).toBe(200);
    expect(requested.json()).toMatchObject({
      isolateResult: true,
      response: { action: 'isolate', target: device, state: 'approved' },
    });
    expect(await alertOf(alerts[0]!.id)).toMatchObject({ deviceIsolated: false });
    expect((await theCase(id)).contained_at).toBeNull();

    const done = await acknowledge(requested.json().response.id, true, analyst, 'seen in the console');
    expect(done.json()).toMatchObject({ state: 'acknowledged', detail: 'seen in the console' });
    for (const alert of [alerts[0]!.id, elsewhere!.id])
      expect(await alertOf(alert)).toMatchObject({ deviceIsolated: true, deviceBlocked: false, userDisabled: false });
    expect(await theCase(id)).toMatchObject({ contained_at: null, needs_decision: true });
    expect(await historyOf(id)).toEqual([
      `Isolation of ${device} requested`,
      `Isolation of ${device} confirmed as done: seen in the console`,
    ]);
    const audit = await system((tx) =>
      tx.selectFrom('audit').select('action').where('target', '=', String(id)).orderBy('id').execute(),
    );
    expect(audit.map(({ action }) => action)).toEqual(['response.requested', 'response.acknowledged']);

    const back = (await isolate(id, device, false)).json().response as Response;
    expect(back).toMatchObject({ action: 'unisolate', state: 'approved' });
    expect((await acknowledge(back.id)).statusCode).toBe(200);
    expect(await alertOf(elsewhere!.id)).toMatchObject({ deviceIsolated: false });
    expect(await statesOf(requested.json().response.id)).toEqual(['requested', 'approved', 'acknowledged', 'released']);
  });

  test('shows on alerts of the same organisation only', async () => {
    const { id, device } = await aCase();
    const rule = await seedRule(t.db);
    const [theirs] = await seedAlerts(t.db, stranger.organisationId, [{ at: Date.now(), rule, device }]);
    await acknowledge((await isolate(id, device)).json().response.id);
    expect(await alertOf(theirs!.id)).toMatchObject({ deviceIsolated: false });
  });

  test('deduplicates concurrent requests, also from another case', async () => {
    const { id, device, alerts } = await aCase();
    const other = await aCase({ alerts: [{ at: Date.now(), rule: alerts[0]!.rule, device }] });
    const requested = await Promise.all([id, id, other.id, id, other.id].map((of) => isolate(of, device)));
    expect(requested.map(({ statusCode }) => statusCode)).toEqual(Array(5).fill(200));
    expect(new Set(requested.map((answer) => answer.json().response.id)).size).toBe(1);
    const response = requested[0]!.json().response.id;
    await Promise.all([acknowledge(response), acknowledge(response), acknowledge(response)]);
    expect(await statesOf(response)).toEqual(['requested', 'approved', 'acknowledged']);
    // It holds already: no new request.
    expect((await isolate(id, device)).json().response).toMatchObject({ id: response, state: 'acknowledged' });
  });

  test('cancels a pending request by its opposite', async () => {
    const { id, device } = await aCase();
    const first = (await isolate(id, device)).json().response.id;
    const second = (await isolate(id, device, false)).json().response.id;
    expect(second).not.toBe(first);
    expect(await statesOf(first)).toEqual(['requested', 'approved', 'released']);
    const late = await acknowledge(first);
    expect(late.statusCode).toBe(409);
    expect(late.json().error).toContain('already released');
  });

  test('keeps flags and containment unchanged on failure', async () => {
    const { id, device, alerts } = await aCase();
    const { response } = (await isolate(id, device)).json();
    expect((await acknowledge(response.id, false, analyst, 'no agent')).json()).toMatchObject({
      state: 'failed',
      detail: 'no agent',
    });
    expect(await alertOf(alerts[0]!.id)).toMatchObject({ deviceIsolated: false });
    expect((await theCase(id)).contained_at).toBeNull();
    expect((await acknowledge(response.id, true)).statusCode).toBe(409);
  });

  test('accepts a uuid and reports a silent device', async () => {
    const { id, device } = await aCase();
    const uuid = randomUUID();
    await system((tx) =>
      tx
        .insertInto('devices')
        .values({
          id: uuid,
          organisation_id: client,
          name: device,
          device_type: 'workstation',
          last_event_at: new Date('2026-01-02T03:04:05Z'),
        })
        .execute(),
    );
    const { response } = (await isolate(id, uuid.toUpperCase())).json();
    expect(response).toMatchObject({ target: device, detail: expect.stringContaining('since 2026-01-02T03:04:05') });
    await system((tx) => tx.updateTable('devices').set({ last_event_at: new Date() }).where('id', '=', uuid).execute());
    expect((await isolate(id, device, false)).json().response.detail).toBe('');
  });

  test('returns 404 for a device outside the case', async () => {
    const { id } = await aCase();
    const { device } = await aCase();
    for (const name of [device, 'never seen', randomUUID()]) expect((await isolate(id, name)).statusCode).toBe(404);
    expect(await historyOf(id)).toEqual([]);
  });

  test('expires after a day without confirmation', async () => {
    const { id, device } = await aCase();
    const { response } = (await isolate(id, device)).json();
    const clock = movableClock(systemClock.now());
    const service = responsesServiceOn(t.db, clock);
    await service.expire();
    expect(await statesOf(response.id)).toEqual(['requested', 'approved']);
    clock.moveTo(Date.now() + 24 * 3_600_000 + 1_000);
    await Promise.all([service.expire(), service.expire()]);
    expect(await statesOf(response.id)).toEqual(['requested', 'approved', 'expired']);
    expect((await historyOf(id)).at(-1)).toMatch(/expired: Not confirmed/);
    expect((await acknowledge(response.id)).statusCode).toBe(409);
  });
});

describe('who may', () => {
  test('returns 401 to anonymous callers, 403 to readers, 404 to other tenants, and allows the client’s administrator', async () => {
    const { id, device } = await aCase();
    expect(
      (await t.call(responsesApi.isolateHost, { body: { caseID: id, deviceID: device, isIsolated: true } })).statusCode,
    ).toBe(401);
    expect((await isolate(id, device, true, reader)).statusCode).toBe(403);
    expect((await isolate(id, device, true, stranger)).statusCode).toBe(404);
    const { response } = (await isolate(id, device, true, admin)).json();
    expect((await acknowledge(response.id, true, stranger)).statusCode).toBe(404);
    expect((await acknowledge(response.id, true, reader)).statusCode).toBe(403);
    expect(await statesOf(response.id)).toEqual(['requested', 'approved']);
    expect((await acknowledge(response.id, true, admin)).statusCode).toBe(200);
  });
});

describe('blocking a user', () => {
  test('goes by a path that was made for it, and flips the flag when it is done', async () => {
    const { id, user, alerts } = await aCase();
    const token = await tokenFor(id, user.toUpperCase());
    expect(token).toMatch(/^[\w-]{43}$/);
    const answer = await block(token);
    expect(answer.json()).toMatchObject({
      signInResult: true,
      response: { action: 'blockUser', target: user, state: 'approved' },
    });
    await acknowledge(answer.json().response.id);
    expect(await alertOf(alerts[0]!.id)).toMatchObject({ userDisabled: true, deviceIsolated: false });
    const undo = (await block(await tokenFor(id, user), false)).json().response;
    await acknowledge(undo.id);
    expect(await alertOf(alerts[0]!.id)).toMatchObject({ userDisabled: false });
  });

  test('accepts a block link once under concurrent use', async () => {
    const { id, user } = await aCase();
    const token = await tokenFor(id, user);
    const answers = await Promise.all(Array.from({ length: 6 }, () => block(token)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404, 404, 404, 404, 404]);
  });

  test('answers used, foreign, expired and unknown links alike', async () => {
    const { id, user } = await aCase();
    const used = await tokenFor(id, user);
    await block(used);
    const foreign = await tokenFor(id, user, colleague);
    const expired = await tokenFor(id, user);
    await system((tx) =>
      tx
        .updateTable('block_tokens')
        .set({ expires_at: new Date(Date.now() - 1_000) })
        .where('actor_user_id', '=', analyst.id)
        .where('used_at', 'is', null)
        .execute(),
    );
    const answers = await Promise.all([used, foreign, expired, 'A'.repeat(43)].map((token) => block(token)));
    const bodies = answers.map((answer) => ({ ...answer.json(), requestId: '' }));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    // The colleague’s own still works: trying it did not use it up.
    expect((await block(foreign, true, colleague)).statusCode).toBe(200);
  });

  test('needs the bearer token, and issues no link for a user of another case', async () => {
    const { id, user } = await aCase();
    const other = await aCase();
    const token = await tokenFor(id, user);
    expect((await t.call(responsesApi.blockUser, { params: { token }, body: { isDisabled: true } })).statusCode).toBe(401);
    expect((await block(token, true, reader)).statusCode).toBe(403);
    const issue = (caseID: number, userID: string, by: TestUser) =>
      t.call(responsesApi.issueBlockToken, { body: { caseID, userID } }, by);
    expect((await issue(id, other.user, analyst)).statusCode).toBe(404);
    expect((await issue(id, user, stranger)).statusCode).toBe(404);
    expect((await issue(id, user, reader)).statusCode).toBe(403);
    expect((await block(token)).statusCode).toBe(200);
  });

  test('returns 404 for malformed paths', async () => {
    const post = (url: string, user?: TestUser, payload: string | object = {}) =>
      t.application.app.inject({
        method: 'POST',
        url,
        payload,
        headers: { 'content-type': 'application/json', ...(user && { authorization: `Bearer ${user.token}` }) },
      });
    for (const user of [undefined, analyst, reader])
      for (const path of ['x', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}!`, 'no-such-call']) {
        const answer = await post(`/api/v1/${path}`, user);
        expect([path, answer.statusCode]).toEqual([path, 404]);
        expect(answer.json().error).toContain('Couldn’t find call POST');
      }
    expect((await post('/api/v1/no-such-call', undefined, '{')).statusCode).toBe(404);
    // Calls of one segment are still themselves.
    expect((await post('/api/v1/user', analyst)).statusCode).toBe(403);
  });
});

describe('tasks', () => {
  const add = (caseID: number, action: 'block' | 'disable', target: string, device = '', user = analyst) =>
    t.call(responsesApi.addTask, { body: { caseID, action, target, device } }, user);
  const run = (caseID: number, taskNumbers: number[], user = analyst) =>
    t.call(responsesApi.executeTasks, { body: { caseID, taskNumbers } }, user);
  const switchOn = (organisationId: number, isOn = true) =>
    system((tx) => tx.updateTable('organisations').set({ is_ar_enabled: isOn }).where('id', '=', organisationId).execute());
  const pendingOf = (caseId: number) =>
    system((tx) =>
      tx.selectFrom('responses').selectAll().where('case_id', '=', caseId).where('state', '=', 'approved').execute(),
    );
  const artifacts = [
    { kind: 'destinationIp', value: '203.0.113.9' },
    { kind: 'device', value: 'Switch-9' },
  ] as const;

  test('send and cancel with autonomous response on', async () => {
    const org = await t.organisation({ parentId: partner });
    await switchOn(org);
    const { id, device } = await aCase({ organisationId: org, artifacts });
    const added = await add(id, 'block', '203.0.113.9', device.toLowerCase());
    expect(added.json().results).toEqual([
      {
        taskNumber: 1,
        device,
        task: 'Block 203.0.113.9',
        action: 'block',
        target: '203.0.113.9',
        isSent: false,
        result: 'Proposed',
      },
    ]);
    expect((await run(id, [1])).json().results).toMatchObject([{ task: 'Unblock 203.0.113.9', isSent: true }]);
    expect(await pendingOf(id)).toMatchObject([{ action: 'block', device_name: device }]);
    expect((await run(id, [1])).json().results).toMatchObject([{ task: 'Block 203.0.113.9', isSent: false }]);
    const [undo] = await pendingOf(id);
    expect(undo).toMatchObject({ action: 'unblock' });
    await acknowledge(undo!.id);
    expect((await run(id, [1])).json().results).toMatchObject([{ isSent: true }]);
    // A failed task is no longer sent.
    await acknowledge((await pendingOf(id))[0]!.id, false);
    const again = await add(id, 'block', '203.0.113.9');
    expect(again.statusCode).toBe(409);
    const { rows } = await system((tx) =>
      sql<{ is_sent: boolean }>`select is_sent from case_tasks where case_id = ${id}`.execute(tx),
    );
    expect(rows).toEqual([{ is_sent: false }]);
  });

  test('stay proposals until executed with autonomous response off, and refuse duplicates', async () => {
    const { id, user, alerts } = await aCase({ artifacts });
    await add(id, 'disable', user.toLowerCase());
    expect((await run(id, [1])).json().results).toMatchObject([
      { task: `Disable ${user}`, isSent: false, result: 'Approved; manual execution pending' },
    ]);
    const twice = await run(id, [1]);
    expect([twice.statusCode, twice.json().error]).toEqual([409, duplicateTaskText]);
    const [request] = await pendingOf(id);
    await acknowledge(request!.id, true, admin);
    expect(await alertOf(alerts[0]!.id)).toMatchObject({ userDisabled: true });
    expect((await run(id, [1])).json().results).toMatchObject([{ task: `Reenable ${user}`, isSent: true }]);
    await acknowledge((await pendingOf(id))[0]!.id);
    expect(await alertOf(alerts[0]!.id)).toMatchObject({ userDisabled: false });
    expect((await run(id, [1])).json().results).toMatchObject([{ task: `Disable ${user}` }]);
  });

  test('show a blocked device on its alerts', async () => {
    const { id } = await aCase({ artifacts });
    const [alert] = await seedAlerts(t.db, client, [{ at: Date.now(), rule: await seedRule(t.db), device: 'switch-9' }]);
    await add(id, 'block', 'switch-9');
    await run(id, [1]);
    await acknowledge((await pendingOf(id))[0]!.id);
    expect(await alertOf(alert!.id)).toMatchObject({ deviceBlocked: true, deviceIsolated: false });
  });

  test('refuse a duplicate target and action on any device', async () => {
    const { id, device } = await aCase({ artifacts });
    const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => add(id, 'block', '203.0.113.9', i % 2 ? device : '')));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json().error).toBe(duplicateTaskText);
    expect((await run(id, [1, 1])).statusCode).toBe(409);
    expect(await pendingOf(id)).toEqual([]);
  });

  test('refuse unknown artifacts and numbers, wrong roles and other tenants', async () => {
    const { id } = await aCase({ artifacts });
    for (const [action, target, device] of [
      ['block', '198.51.100.1', ''],
      ['disable', 'root', ''],
      ['block', '203.0.113.9', 'nowhere'],
    ] as const) {
      const answer = await add(id, action, target, device);
      expect([answer.statusCode, Object.keys(answer.json().errors)]).toEqual([400, [device ? 'device' : 'target']]);
    }
    await add(id, 'block', '203.0.113.9');
    // Nothing of a call that names one task that is not there.
    expect((await run(id, [1, 7])).statusCode).toBe(404);
    expect(await pendingOf(id)).toEqual([]);
    expect((await run(id, [1], reader)).statusCode).toBe(403);
    expect((await run(id, [1], stranger)).statusCode).toBe(404);
    expect((await add(id, 'block', '203.0.113.9', '', stranger)).statusCode).toBe(404);
  });
});
