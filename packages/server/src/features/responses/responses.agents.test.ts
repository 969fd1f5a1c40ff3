/** Responses that agents execute, over the real protocol: sent, acknowledged, verified, released, and only as observed. */
import { type AgentTask, agentPaths } from '@parapet/contract/agentProtocol.ts';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { responseRequestsApi as api, type ResponseDetail } from '@parapet/contract/responseRequests.ts';
import { responsesApi } from '@parapet/contract/responses.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentOf, inventoryOf, type TestAgent } from '../../../test/agents.fixture.ts';
import type { TestUser } from '../../../test/app.ts';
import { responsesWorld } from '../../../test/responses.fixture.ts';
import { seedCase, seedRule } from '../../../test/seed.ts';

type World = Awaited<ReturnType<typeof responsesWorld>>;
let get: (id: number, by?: TestUser) => Promise<ResponseDetail>;
let t: World['t'];
let client: World['client'];
let admin: World['admin'];
let reader: World['reader'];
let stranger: World['stranger'];
let system: World['system'];
let analyst: World['analyst'];
let requestResponse: World['requestResponse'];
let approve: World['approve'];
let undo: World['undo'];
let confirm: World['confirm'];
let flagsOf: World['flagsOf'];
let later: World['later'];
let newName: World['newName'];

beforeAll(async () => {
  const world = await responsesWorld();
  ({ t, client, admin, reader, stranger, system, analyst, requestResponse, approve, undo, confirm, flagsOf, later, newName } =
    world);
  get = (id, by = admin) => world.get(id, by);
  await world.waiveApproval();
});
afterAll(() => t.close());

const stateOf = async (id: number) => (await get(id)).state;
const stepsOf = async (id: number) => (await get(id)).steps.map(({ state }) => state);

const host = async (accounts: string[] = ['ada']): Promise<TestAgent & { name: string }> => {
  const name = newName('agent');
  const agent = await agentOf(t, client, name);
  const users = accounts.map((account, n) => ({ name: account, uid: 1000 + n, shell: '/bin/sh', isLocked: false }));
  await agent.checkIn({ inventoryHash: 'a', inventory: { ...inventoryOf(), users } });
  return { ...agent, name };
};
const tasks = async (agent: TestAgent, after = 0): Promise<AgentTask[]> => (await agent.pollTasks(after)).json().tasks;
const report = async (agent: TestAgent, task: AgentTask, state: 'acknowledged' | 'verified' | 'failed', detail = '') => {
  const answer = await agent.result(task.id, { sequence: task.sequence, state, detail });
  expect(answer.statusCode, answer.body).toBe(200);
};
const isolated = { isIsolated: true, releaseInSeconds: 100, blockedUsers: [] };
const free = { isIsolated: false, releaseInSeconds: null, blockedUsers: [] };

test('sends, acknowledges, verifies and releases, and sets flags accordingly', async () => {
  const agent = await host();
  const by = await analyst();
  const found = await seedCase(t.db, { organisationId: client, device: agent.name.toUpperCase() });
  const answer = await t.call(
    responsesApi.isolateHost,
    { body: { caseID: found.id, deviceID: agent.name, isIsolated: true } },
    by,
  );
  const { response } = answer.json();
  expect(response).toMatchObject({ state: 'sent', isManual: false, detail: '' });
  const early = await confirm(by, response.id);
  expect([early.statusCode, early.json().error]).toEqual([409, expect.stringContaining('which reports its completion')]);
  const [task] = await tasks(agent);
  expect(task).toMatchObject({ action: 'isolate', target: '', releaseInSeconds: 24 * 3600 });
  expect(await flagsOf(agent.name)).toEqual([]);
  await report(agent, task!, 'acknowledged', 'rules are in place');
  expect(await flagsOf(agent.name)).toHaveLength(1);
  const alert = (await t.call(alertsApi.detail, { params: { alertId: found.alerts[0]!.id } }, by)).json();
  expect(alert).toMatchObject({ deviceIsolated: true });
  expect(await get(response.id)).toMatchObject({
    state: 'acknowledged',
    releaseAt: expect.any(String),
    agent: { agentID: agent.id, state: 'online', sequence: 1 },
  });
  const row = () => system((tx) => tx.selectFrom('cases').selectAll().where('id', '=', found.id).executeTakeFirstOrThrow());
  expect(await row()).toMatchObject({ contained_at: null, needs_decision: true });
  await report(agent, task!, 'verified', 'nothing passes');
  expect(await row()).toMatchObject({ contained_at: expect.any(Date), containment: 'verified' });
  await report(agent, task!, 'verified', 'nothing passes');
  expect(await stepsOf(response.id)).toEqual(['requested', 'approved', 'sent', 'acknowledged', 'verified']);

  const back = (await undo(by, response.id)).json();
  expect(back).toMatchObject({ action: 'unisolate', state: 'sent', via: 'agent' });
  const [release] = await tasks(agent, task!.sequence);
  await report(agent, release!, 'verified', 'open');
  expect(await flagsOf(agent.name)).toEqual([]);
  expect(await stateOf(response.id)).toBe('released');
  const history = await system((tx) =>
    tx
      .selectFrom('case_history')
      .select('text')
      .where('case_id', '=', found.id)
      .where('kind', '=', 'response')
      .orderBy('id')
      .execute(),
  );
  const name = agent.name.toUpperCase();
  expect(history.map(({ text }) => text)).toEqual([
    `Isolation of ${name} requested and sent to its agent`,
    `Isolation of ${name} executed by its agent: rules are in place`,
    `Isolation of ${name} verified: nothing passes`,
    `Release from isolation of ${name} requested and sent to its agent`,
    `Release from isolation of ${name} executed by its agent: open`,
  ]);
});

test('verifies by a check-in and releases by a later one', async () => {
  const agent = await host();
  const { id } = await requestResponse(await analyst(), { target: agent.name });
  const [task] = await tasks(agent);
  await agent.checkIn({ inventoryHash: 'a', holding: isolated });
  expect(await stateOf(id)).toBe('sent');
  await report(agent, task!, 'acknowledged');
  // On its way before it was done.
  await agent.checkIn({ inventoryHash: 'a', holding: free });
  expect(await stateOf(id)).toBe('acknowledged');
  await agent.checkIn({ inventoryHash: 'a', holding: isolated });
  expect(await stateOf(id)).toBe('verified');
  expect(await flagsOf(agent.name)).toHaveLength(1);
  await agent.checkIn({ inventoryHash: 'a', holding: free });
  expect(await get(id)).toMatchObject({
    state: 'released',
    releaseAt: null,
    detail: expect.stringContaining('no longer holds'),
  });
  expect(await flagsOf(agent.name)).toEqual([]);
});

test('reports a failure without a flag, and completes an expired request late', async () => {
  const agent = await host();
  const by = await analyst();
  const failed = await requestResponse(by, { target: agent.name });
  const [first] = await tasks(agent);
  await report(agent, first!, 'failed', 'nft is missing');
  expect(await get(failed.id)).toMatchObject({ state: 'failed', detail: 'nft is missing', mayUndo: false });
  expect(await flagsOf(agent.name)).toEqual([]);
  const late = await requestResponse(by, { target: agent.name });
  const [second] = await tasks(agent, first!.sequence);
  await later(25 * hourMs).expire();
  expect(await stateOf(late.id)).toBe('expired');
  await report(agent, second!, 'acknowledged', 'was cut off');
  expect(await get(late.id)).toMatchObject({ state: 'acknowledged' });
  expect(await flagsOf(agent.name)).toHaveLength(1);
  // It looked again, and it is not so.
  await report(agent, second!, 'failed', 'packets pass');
  expect(await get(late.id)).toMatchObject({ state: 'failed', detail: 'packets pass' });
  expect(await flagsOf(agent.name)).toEqual([]);
});

test('drops a cancelled task before dispatch and sends its opposite after it', async () => {
  const agent = await host();
  const by = await analyst();
  const first = await requestResponse(by, { target: agent.name });
  expect((await undo(by, first.id)).json()).toMatchObject({ id: first.id, state: 'released' });
  expect(await tasks(agent)).toEqual([]);
  const second = await requestResponse(by, { target: agent.name });
  const [isolate] = await tasks(agent);
  const back = (await undo(by, second.id)).json();
  expect(back).toMatchObject({ action: 'unisolate', state: 'sent' });
  expect(await stateOf(second.id)).toBe('released');
  const both = await tasks(agent, isolate!.sequence - 1);
  expect(both.map(({ action }) => action)).toEqual(['isolate', 'unisolate']);
  await report(agent, both[0]!, 'acknowledged', 'done later');
  expect(await flagsOf(agent.name)).toEqual([]);
  expect((await get(second.id)).steps.at(-1)).toMatchObject({ state: 'note', detail: 'done later' });
  await report(agent, both[1]!, 'verified');
  expect(await stateOf(back.id)).toBe('verified');
  const file = await requestResponse(by, { action: 'collectFile', target: '/etc/hosts', deviceName: agent.name });
  await tasks(agent, both[1]!.sequence);
  expect((await undo(by, file.id)).statusCode).toBe(409);
});

test('releases automatically in time', async () => {
  const agent = await host();
  const { id } = await requestResponse(await analyst(), { target: agent.name, releaseAfterHours: 3 });
  const [task] = await tasks(agent);
  expect(task).toMatchObject({ releaseInSeconds: 3 * 3600 });
  await report(agent, task!, 'verified');
  await later(3.1 * hourMs).release();
  const [, release] = await system((tx) =>
    tx.selectFrom('agent_tasks').selectAll().where('agent_id', '=', agent.id).orderBy('id').execute(),
  );
  expect(release).toMatchObject({ action: 'unisolate', state: 'queued' });
  expect(await stateOf(id)).toBe('verified');
});

test('blocks an account on all hosts of the case in each host’s spelling', async () => {
  const [one, two, without] = [await host(['Ada']), await host(['ada']), await host(['bob'])];
  const by = await analyst();
  const rule = await seedRule(t.db);
  const alerts = [one, two, without].map(({ name }) => ({ at: Date.now() - 60_000, rule, device: name, user: 'ADA' }));
  const found = await seedCase(t.db, { organisationId: client, alerts });
  const row = await requestResponse(by, { action: 'blockUser', target: 'ada', caseID: found.id });
  expect(row).toMatchObject({ state: 'sent', via: 'agent', target: 'ADA', deviceName: null });
  const [[a], [b]] = [await tasks(one), await tasks(two)];
  expect([a?.target, b?.target]).toEqual(['Ada', 'ada']);
  expect(await tasks(without)).toEqual([]);
  await report(one, a!, 'acknowledged', 'locked');
  expect(await get(row.id)).toMatchObject({ state: 'sent', detail: expect.stringContaining(`${one.name}: locked`) });
  expect(await flagsOf('ada')).toEqual([]);
  await report(two, b!, 'verified', 'locked');
  expect(await stateOf(row.id)).toBe('acknowledged');
  expect(await flagsOf('ada')).toHaveLength(1);
  await one.checkIn({ inventoryHash: 'a', holding: { ...free, blockedUsers: ['Ada'] } });
  expect(await stateOf(row.id)).toBe('verified');
  // Let in again on both, and only there.
  const back = (await undo(by, row.id)).json();
  for (const [agent, task] of [
    [one, a],
    [two, b],
  ] as const) {
    const [unblock] = await tasks(agent, task!.sequence);
    expect(unblock).toMatchObject({ action: 'unblockUser', target: task!.target });
    await report(agent, unblock!, 'verified');
  }
  expect(await stateOf(back.id)).toBe('verified');
  expect(await flagsOf('ada')).toEqual([]);
});

test('fails when one host fails and releases the others in time', async () => {
  const [one, two] = [await host(['eve']), await host(['eve'])];
  const by = await analyst();
  const rule = await seedRule(t.db);
  const alerts = [one, two].map(({ name }) => ({ at: Date.now() - 60_000, rule, device: name, user: 'eve' }));
  const found = await seedCase(t.db, { organisationId: client, alerts });
  const row = await requestResponse(by, { action: 'blockUser', target: 'eve', caseID: found.id });
  const [[a], [b]] = [await tasks(one), await tasks(two)];
  await report(one, a!, 'verified', 'locked');
  await report(two, b!, 'failed', 'no such account');
  const detail = await get(row.id);
  expect(detail).toMatchObject({ state: 'failed', mayUndo: true, releaseAt: expect.any(String) });
  expect(detail.detail).toContain(`${two.name}: no such account`);
  expect(await flagsOf('eve')).toEqual([]);
  const back = (await undo(by, row.id)).json();
  expect(back).toMatchObject({ action: 'unblockUser', state: 'sent' });
  expect(await tasks(one, a!.sequence)).toHaveLength(1);
  expect(await tasks(two, b!.sequence)).toEqual([]);
});

test('reaches no agent before approval', async () => {
  const agent = await host();
  await t.call(api.addProtected, { params: { client }, body: { kind: 'device', value: agent.name, reason: 'Gateway' } }, admin);
  const { id } = await requestResponse(await analyst(), { target: agent.name });
  expect(await tasks(agent)).toEqual([]);
  await approve(await analyst(), id);
  expect(await tasks(agent)).toEqual([]);
  expect((await approve(admin, id)).json()).toMatchObject({ state: 'sent', via: 'agent' });
  expect(await tasks(agent)).toHaveLength(1);
});

test('reports a silent agent and skips a revoked one', async () => {
  const agent = await host();
  await system((tx) =>
    tx
      .updateTable('agents')
      .set({ last_check_in_at: new Date(Date.now() - hourMs) })
      .where('id', '=', agent.id)
      .execute(),
  );
  const by = await analyst();
  const row = await requestResponse(by, { target: agent.name });
  expect(row).toMatchObject({ state: 'sent', detail: expect.stringContaining('does not check in now') });
  expect(await get(row.id)).toMatchObject({ agent: { state: 'stale' } });
  await undo(by, row.id);
  await system((tx) => tx.updateTable('agents').set({ revoked_at: new Date() }).where('id', '=', agent.id).execute());
  expect(await requestResponse(by, { target: agent.name })).toMatchObject({ state: 'approved', via: 'manual' });
});

test('returns the collected file to authorised users and audits it', async () => {
  const agent = await host();
  const by = await analyst();
  const { id } = await requestResponse(by, { action: 'collectFile', target: '/tmp/evil "x".sh', deviceName: agent.name });
  const [task] = await tasks(agent);
  const bytes = Buffer.from('<script>alert(1)</script>');
  const put = await t.application.app.inject({
    method: 'PUT',
    url: agentPaths.file(task!.id),
    headers: { authorization: `Bearer ${agent.key}`, 'content-type': 'application/octet-stream' },
    payload: bytes,
  });
  expect(put.statusCode, put.body).toBe(200);
  await report(agent, task!, 'verified', 'copied');
  expect(await get(id)).toMatchObject({ state: 'verified', file: { size: bytes.length, isStored: true } });
  const taken = await t.call(api.file, { params: { id } }, by);
  expect(taken.rawPayload.equals(bytes)).toBe(true);
  expect(taken.headers['content-type']).toBe('application/octet-stream');
  expect(taken.headers['content-disposition']).toBe('attachment; filename="evil__x_.sh.collected"');
  expect((await t.call(api.file, { params: { id } }, reader)).statusCode).toBe(403);
  expect((await t.call(api.file, { params: { id } }, stranger)).statusCode).toBe(404);
  const audit = await system((tx) =>
    tx.selectFrom('audit').select('target').where('action', '=', 'response.fileTaken').execute(),
  );
  expect(audit).toEqual([{ target: String(id) }]);
});

test('ends in one state after a concurrent result and cancellation', async () => {
  for (let round = 0; round < 5; round++) {
    const agent = await host();
    const by = await analyst();
    const { id } = await requestResponse(by, { target: agent.name });
    const [task] = await tasks(agent);
    const answers = await Promise.all([
      agent.result(task!.id, { sequence: task!.sequence, state: 'acknowledged', detail: '' }),
      undo(by, id),
      agent.result(task!.id, { sequence: task!.sequence, state: 'verified', detail: '' }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    // In either order, the opposite is sent to the agent.
    expect((await tasks(agent, task!.sequence)).map(({ action }) => action)).toEqual(['unisolate']);
  }
});

test('replaces an isolation by another person’s and releases by the last one', async () => {
  const agent = await host();
  const by = await analyst();
  const first = await requestResponse(by, { target: agent.name, releaseAfterHours: 1 });
  const [isolate] = await tasks(agent);
  await report(agent, isolate!, 'verified');
  // Released, and isolated again before the release was dispatched.
  await undo(by, first.id);
  const second = await requestResponse(await analyst(), { target: agent.name, releaseAfterHours: 48 });
  const [again, ...others] = await tasks(agent, isolate!.sequence);
  expect([again?.action, others]).toEqual(['isolate', []]);
  await report(agent, again!, 'verified');
  expect(await get(first.id)).toMatchObject({ state: 'released', releaseAt: null });
  await later(2 * hourMs).release();
  expect(await tasks(agent, again!.sequence)).toEqual([]);
  expect(await stateOf(second.id)).toBe('verified');
  expect(await flagsOf(agent.name)).toHaveLength(1);
});

test('executes tasks manually without autonomous response', async () => {
  const agent = await host(['mallory']);
  const found = await seedCase(t.db, {
    organisationId: client,
    device: agent.name,
    user: 'mallory',
    artifacts: [{ kind: 'user', value: 'mallory' }],
  });
  const by = await analyst();
  await t.call(responsesApi.addTask, { body: { caseID: found.id, action: 'disable', target: 'mallory', device: '' } }, by);
  const run = () => t.call(responsesApi.executeTasks, { body: { caseID: found.id, taskNumbers: [1] } }, by);
  const isOn = (is_ar_enabled: boolean) =>
    system((tx) => tx.updateTable('organisations').set({ is_ar_enabled }).where('id', '=', client).execute());
  await isOn(false);
  expect((await run()).json().results).toMatchObject([{ isSent: false, result: 'Approved; manual execution pending' }]);
  expect(await tasks(agent)).toEqual([]);
  const [requested] = await system((tx) => tx.selectFrom('responses').selectAll().where('case_id', '=', found.id).execute());
  await undo(by, requested!.id);
  await isOn(true);
  expect((await run()).json().results).toMatchObject([{ isSent: true, result: 'Sent' }]);
  expect(await tasks(agent)).toMatchObject([{ action: 'blockUser', target: 'mallory' }]);
});

test('finds a device of the case under any name', async () => {
  const agent = await host();
  const alias = newName('alias');
  await system((tx) =>
    tx
      .insertInto('devices')
      .values({ organisation_id: client, name: alias, device_type: 'server', last_event_at: null, merged_into: agent.deviceId })
      .execute(),
  );
  const found = await seedCase(t.db, { organisationId: client, device: alias });
  const answer = await t.call(
    responsesApi.isolateHost,
    { body: { caseID: found.id, deviceID: agent.deviceId, isIsolated: true } },
    await analyst(),
  );
  expect(answer.json().response).toMatchObject({ target: alias, state: 'sent' });
  expect(await tasks(agent)).toHaveLength(1);
});

test('blocks an account per device and keeps the flag while one holds', async () => {
  const [one, two] = [await host(['trent']), await host(['trent'])];
  const by = await analyst();
  const request = { action: 'blockUser', target: 'trent' } as const;
  const first = await requestResponse(by, { ...request, deviceName: one.name });
  const [a] = await tasks(one);
  await report(one, a!, 'verified');
  expect((await requestResponse(by, { ...request, deviceName: one.name.toUpperCase() })).id).toBe(first.id);
  const second = await requestResponse(by, { ...request, deviceName: two.name });
  expect(second.id).not.toBe(first.id);
  const [b] = await tasks(two);
  await report(two, b!, 'verified');
  expect(await stateOf(first.id)).toBe('verified');
  const undone = async (id: number, agent: TestAgent, after: AgentTask) => {
    await undo(by, id);
    const [task] = await tasks(agent, after.sequence);
    await report(agent, task!, 'verified');
  };
  await undone(second.id, two, b!);
  expect(await flagsOf('trent')).toMatchObject([{ response_id: first.id }]);
  expect([await stateOf(first.id), await stateOf(second.id)]).toEqual(['verified', 'released']);
  await undone(first.id, one, a!);
  expect(await flagsOf('trent')).toEqual([]);
});
