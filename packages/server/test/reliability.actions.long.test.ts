/**
 * F17: a crash of the portal or of the agent between an agent's act and the portal's record of it. Both agree within 60 s, and the act is not repeated. An
 * action on ten devices of which three are offline lists the result of each and is never shown as done. `CRASHES` lengthens a run, `SEED` repeats one.
 */
import { createClient, PortalUnavailableError } from '@parapet/agent/client.ts';
import { createExecutor, type Host } from '@parapet/agent/executor.ts';
import { openLedger } from '@parapet/agent/ledger.ts';
import { createReporter, followTasks } from '@parapet/agent/tasks.ts';
import { createRefusals, type TaskTrust } from '@parapet/agent/taskTrust.ts';
import type { AgentTask, TaskResult } from '@parapet/contract/agentProtocol.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { randomFor } from '@parapet/world/random.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryStore } from '../../agent/test/memoryStore.ts';
import { agentOf, inventoryOf, type TestAgent } from './agents.fixture.ts';
import { type PortalProcess, portalProcess } from './reliability.portal.ts';
import { probeRules } from './reliability.rules.ts';
import { responsesWorld } from './responses.fixture.ts';
import { seedCase, seedRule } from './seed.ts';

const crashes = Number(process.env.CRASHES ?? 3);
const seed = process.env.SEED ?? '17';
const agreementMs = 60_000;

/** Moment of the crash, relative to the report of an act. */
const moments = ['before', 'during', 'after', 'between', 'agent'] as const;
type Moment = (typeof moments)[number];

let world: Awaited<ReturnType<typeof responsesWorld>>;
let portal: PortalProcess;
/** Time of a start on this machine, which a crash of the portal adds. */
let startMs = 0;
let rules: Awaited<ReturnType<typeof probeRules>>;
beforeAll(async () => {
  rules = await probeRules();
  world = await responsesWorld({ RULES_DIR: rules.folder });
  await world.waiveApproval();
  portal = await portalProcess({ env: { RULES_DIR: rules.folder, DATABASE_URL: world.t.database.ownerUrl } });
  const started = performance.now();
  await portal.start();
  startMs = performance.now() - started;
}, 300_000);
afterAll(async () => {
  await (portal as PortalProcess | undefined)?.end('SIGTERM');
  await world.t.close();
  await rules.remove();
}, 60_000);

const trust: TaskTrust = { pinned: () => '', learn: async () => {}, fault: () => undefined };

/** A host of one agent, whose store survives its process. */
function hostOf(agent: TestAgent) {
  const acts: number[] = [];
  let isIsolated = false;
  const store = memoryStore();
  const host: Host = {
    async act({ id, action }: AgentTask) {
      acts.push(id);
      isIsolated = action === 'isolate';
      return { detail: 'rules are in place' };
    },
    look: async ({ action }) => ({ holds: isIsolated === (action === 'isolate'), detail: 'the rules are as stated' }),
    forget: async () => {},
  };
  /** One life of the agent's task loop; `around` replaces a report. Resolves when it ends by `stop`. */
  async function live(
    stop: AbortController,
    around: (result: TaskResult, send: () => Promise<void>) => Promise<void>,
    acting: Host = host,
  ): Promise<void> {
    const client = createClient({ server: portal.origin, key: agent.key });
    const ledger = await openLedger(store);
    const sent = createReporter(client);
    const reporter = { ...sent, result: (id: number, result: TaskResult) => around(result, () => sent.result(id, result)) };
    const executor = createExecutor({ ledger, host: acting, reporter, trouble: () => {} });
    await executor.recover();
    await followTasks({
      client,
      executor,
      reporter,
      ledger,
      trust,
      refusals: createRefusals(),
      checkInNow: () => {},
      onLeave: () => {},
      trouble: () => {},
      signal: stop.signal,
    });
    client.close();
  }
  return { acts, host, live, isIsolated: () => isIsolated };
}
type TestHost = ReturnType<typeof hostOf>;

async function newHost(): Promise<{ agent: TestAgent; name: string; own: TestHost }> {
  const name = world.newName('f17');
  const agent = await agentOf(world.t, world.client, name);
  await agent.checkIn({ inventoryHash: 'a', inventory: inventoryOf() });
  return { agent, name, own: hostOf(agent) };
}

/** Differences between a host and the portal's record of it; none once both agree. */
async function differences(own: TestHost, name: string, responseId: number): Promise<string[]> {
  const { state } = await world.get(responseId, world.admin);
  const hasFlag = (await world.flagsOf(name)).length > 0;
  return [
    ...(own.isIsolated() !== (state === 'verified') ? [`host ${own.isIsolated() ? 'isolated' : 'free'}, request ${state}`] : []),
    ...(own.isIsolated() !== hasFlag ? [`host ${own.isIsolated() ? 'isolated' : 'free'}, flag ${hasFlag}`] : []),
    ...(new Set(own.acts).size !== own.acts.length ? ['a task ran twice'] : []),
  ];
}

/** Isolates a new host, crashes one side at the moment, and returns the milliseconds until both agree. */
async function crash(moment: Moment, random: ReturnType<typeof randomFor>): Promise<number> {
  const { name, own } = await newHost();
  const { id } = await world.requestResponse(await world.analyst(), { target: name });
  let crashed: Promise<void> | undefined;
  let crashedAt = 0;
  const restart = () => {
    if (crashed) return;
    crashedAt = performance.now();
    crashed = portal.end('SIGKILL').then(() => portal.start());
  };
  const stop = new AbortController();
  const death = Promise.withResolvers<void>();
  const dying: Host = {
    ...own.host,
    async act(task) {
      await own.host.act(task);
      crashedAt = performance.now();
      death.resolve();
      return new Promise(() => {});
    },
  };
  const around = async (result: TaskResult, send: () => Promise<void>) => {
    if (crashed || moment === 'agent') return send();
    if (moment === 'before') restart();
    if (moment === 'between' && result.state === 'verified') restart();
    if (moment === 'during') setTimeout(restart, random.int(0, 12));
    await send();
    if (moment !== 'after') return;
    restart();
    throw new PortalUnavailableError('The response was lost.');
  };
  if (moment === 'agent') {
    // Nothing of the killed life continues: its act never returns.
    void own.live(stop, around, dying);
    await death.promise;
    stop.abort();
  }
  const next = new AbortController();
  const living = own.live(next, around);
  try {
    // Before the crash both may agree for a moment.
    if (moment !== 'agent') await expect.poll(() => crashed !== undefined, { timeout: agreementMs, interval: 20 }).toBe(true);
    await crashed;
    await expect.poll(() => differences(own, name, id), { timeout: agreementMs + startMs, interval: 50 }).toEqual([]);
    expect(own.acts).toHaveLength(1);
    expect(own.isIsolated()).toBe(true);
    return performance.now() - crashedAt;
  } finally {
    next.abort();
    await living;
  }
}

test('agrees with the agent after a crash between its act and the record of it', {
  timeout: 60_000 + crashes * 3 * agreementMs,
}, async () => {
  const random = randomFor(seed, 'crashes');
  const waits: string[] = [];
  for (let round = 0; round < crashes; round++) {
    const moment = moments[round % moments.length]!;
    const ms = await crash(moment, random);
    waits.push(`${moment} ${(ms / 1000).toFixed(1)} s`);
    expect(ms, moment).toBeLessThan(agreementMs + startMs);
  }
  console.log(
    `F17, seed ${seed}: ${crashes} crashes; both agree after ${waits.join(', ')}; a start takes ${(startMs / 1000).toFixed(1)} s`,
  );
});

test('notices a planted loss and a planted double', { timeout: 2 * agreementMs }, async () => {
  const { name, own } = await newHost();
  const { id } = await world.requestResponse(await world.analyst(), { target: name });
  const stop = new AbortController();
  // The agent takes its report for confirmed, and the portal never gets it.
  const living = own.live(stop, async () => {});
  await expect.poll(() => own.isIsolated(), { timeout: agreementMs }).toBe(true);
  stop.abort();
  await living;
  expect(await differences(own, name, id)).toEqual(['host isolated, request sent', 'host isolated, flag false']);
  own.acts.push(own.acts[0]!);
  expect(await differences(own, name, id)).toContain('a task ran twice');
});

const hosts = 10;
const offline = 3;
const users = [{ name: 'ada', uid: 1000, shell: '/bin/sh', isLocked: false }];

/** A case on ten hosts, of which the last three never fetch their tasks. */
async function caseOnHosts() {
  const rule = await seedRule(world.t.db);
  const all = [];
  for (let count = 0; count < hosts; count++) {
    const name = world.newName('many');
    const agent = await agentOf(world.t, world.client, name);
    await agent.checkIn({ inventoryHash: 'a', inventory: { ...inventoryOf(), users } });
    all.push({ agent, name });
  }
  const found = await seedCase(world.t.db, {
    organisationId: world.client,
    alerts: all.map(({ name }) => ({ at: Date.now() - 60_000, rule, device: name, user: 'ada' })),
    artifacts: [...all.map(({ name }) => ({ kind: 'device' as const, value: name })), { kind: 'user', value: 'ada' }],
  });
  return { all, found, online: all.slice(0, -offline), away: all.slice(-offline) };
}

async function finish(agent: TestAgent): Promise<void> {
  const { tasks } = (await agent.pollTasks()).json<{ tasks: AgentTask[] }>();
  for (const { id, sequence } of tasks) {
    const answer = await agent.result(id, { sequence, state: 'verified', detail: 'locked' });
    expect(answer.statusCode, answer.body).toBe(200);
  }
}

test('lists each device of an action at ten hosts, and shows none as done that was offline', {
  timeout: 2 * agreementMs,
}, async () => {
  const { found, online, away } = await caseOnHosts();
  const { id } = await world.requestResponse(await world.analyst(), { action: 'blockUser', target: 'ada', caseID: found.id });
  for (const { agent } of online) await finish(agent);
  const waiting = await world.get(id, world.admin);
  expect(waiting.state).toBe('sent');
  for (const { name } of online) expect(waiting.detail).toContain(`${name}: locked`);
  for (const { name } of away) expect(waiting.detail).toMatch(new RegExp(`${name}: (sent|queued)`));
  expect(await world.flagsOf('ada')).toEqual([]);

  await world.later(25 * hourMs).expire();
  const ended = await world.get(id, world.admin);
  expect(ended.state).toBe('expired');
  for (const { name } of online) expect(ended.detail).toContain(`${name}: locked`);
  for (const { name } of away) expect(ended.detail).toContain(`${name}: expired`);
  expect(ended.detail).toMatch(/^Not executed everywhere within 24 hours\. /);
  expect(await world.flagsOf('ada')).toEqual([]);
  // It is undone in time where it was executed, or by a person before.
  expect(ended).toMatchObject({ mayUndo: true, releaseAt: expect.any(String) });
  await world.later(50 * hourMs).release();
  for (const { agent } of online)
    expect((await agent.pollTasks(1)).json<{ tasks: AgentTask[] }>().tasks.map(({ action }) => action)).toEqual(['unblockUser']);
});

test('shows each of ten isolations apart, three of them as not executed', { timeout: 2 * agreementMs }, async () => {
  const { all, found, online, away } = await caseOnHosts();
  // One person may isolate five in ten minutes alone.
  const people = [await world.analyst(), await world.analyst()];
  const requests = await Promise.all(
    all.map(({ name }, index) => world.requestResponse(people[index % 2]!, { target: name, caseID: found.id })),
  );
  for (const { agent } of online) await finish(agent);
  await world.later(25 * hourMs).expire();
  const states = await Promise.all(requests.map(async ({ id }) => (await world.get(id, world.admin)).state));
  expect(states).toEqual([...online.map(() => 'verified'), ...away.map(() => 'expired')]);
  for (const { name } of away) expect(await world.flagsOf(name)).toEqual([]);
});
