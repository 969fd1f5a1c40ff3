/**
 * Signed tasks: the real agent (--dry) against the real portal with a man in the middle who alters, replays, delays, forges
 * and strips responses. Only the portal’s own tasks run; rejections are reported with their reason.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAgent } from '@parapet/agent/agent.ts';
import { readSettings, type Settings, writeSettings } from '@parapet/agent/settings.ts';
import { type AgentTasks, agentPaths, type CheckInAnswer, type Enrolled } from '@parapet/contract/agentProtocol.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { agentOf, enrol, enrolmentToken } from '../../../test/agents.fixture.ts';
import { useTestApp } from '../../../test/app.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { queueTask } from './agents.tasks.ts';
import { openTaskKeys } from './taskKeys.ts';

const t = useTestApp();
let portal: URL;
let organisationId: number;
beforeAll(async () => {
  organisationId = await t.organisation();
  portal = new URL(await t.application.app.listen({ port: 0, host: '127.0.0.1' }));
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
const keysOf = () =>
  openTaskKeys({
    db: t.db,
    clock: systemClock,
    secretOf: t.keys.shared,
  });

/** The man in the middle: receives each task response and returns its replacement. */
type Tamper = (answer: AgentTasks) => AgentTasks;

/** An agent that reaches the portal only through the man in the middle. */
async function agentBehindProxy(pinned: 'atEnrolment' | 'never') {
  let tamper: Tamper = (answer) => answer;
  let isOld = false;
  /** Response sent at once, without a call to the portal. */
  let fixedResponse: AgentTasks | undefined;
  const seen: AgentTasks[] = [];
  const between: Server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    if (fixedResponse && url?.startsWith(agentPaths.tasks) && method === 'GET') {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(fixedResponse));
      return;
    }
    const forward = request({ host: portal.hostname, port: portal.port, method, path: url, headers }, async (answer) => {
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      let body = Buffer.concat(parts);
      if (answer.statusCode === 200 && url?.startsWith(agentPaths.tasks) && method === 'GET') {
        const tasks = JSON.parse(body.toString()) as AgentTasks;
        if (tasks.tasks.length > 0) seen.push(structuredClone(tasks));
        body = Buffer.from(JSON.stringify(tamper(tasks)));
      } else if (isOld && answer.statusCode === 200 && url === agentPaths.checkIn) {
        const { taskKeys: _, ...answer } = JSON.parse(body.toString()) as CheckInAnswer;
        body = Buffer.from(JSON.stringify(answer));
      }
      const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': body.length });
      outgoing.end(body);
    });
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
    outgoing.on('close', () => forward.destroy());
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const state = mkdtempSync(join(tmpdir(), 'signed-'));
  const name = `signed-${Math.random().toString(36).slice(2)}`;
  const { agentId, key, taskKeys } = (await enrol(t, { token: await enrolmentToken(t, organisationId), name })).json<Enrolled>();
  const settings: Settings = {
    server: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
    agentId,
    key,
    organisationName: 'Test',
    releaseKey: '',
    ...(pinned === 'atEnrolment' && { taskKey: taskKeys?.at(-1)?.publicKey ?? '' }),
    authority: '',
    journal: 'off',
    files: [join(state, 'none.log')],
    bufferMiB: 16,
  };
  await writeSettings(state, settings);
  let stop = new AbortController();
  let running: Promise<unknown> | undefined;
  const texts: string[] = [];
  return {
    id: agentId,
    seen,
    texts,
    pinned: () => readSettings(state)?.taskKey ?? '',
    tamper: (next: Tamper) => {
      tamper = next;
    },
    respondWith: (answer: AgentTasks | undefined) => {
      fixedResponse = answer;
    },
    /** Emulates a portal without task signing: publishes no keys and signs nothing. */
    emulateOldPortal: (is: boolean) => {
      isOld = is;
      tamper = is ? ({ tasks }) => ({ tasks: tasks.map(({ signature: _, ...task }) => task) }) : (answer) => answer;
    },
    start() {
      stop = new AbortController();
      const { signal } = stop;
      running = runAgent({
        state,
        settings: readSettings(state) as Settings,
        isDry: true,
        script: 'none',
        signal,
        log: (text) => texts.push(text),
      });
    },
    async halt() {
      stop.abort();
      await running;
    },
    async close() {
      stop.abort();
      await running;
      between.closeAllConnections();
      await new Promise((resolve) => between.close(resolve));
      rmSync(state, { recursive: true, force: true });
    },
  };
}
type Behind = Awaited<ReturnType<typeof agentBehindProxy>>;

const queue = (agentId: number, target = 'ada', expiresInMs = 600_000) =>
  system((tx) =>
    queueTask(tx, {
      ...{ organisationId, agentId, responseId: null, action: 'blockUser', target },
      ...{ createdAt: new Date(), expiresAt: new Date(Date.now() + expiresInMs) },
    }),
  ) as Promise<number>;
const rowOf = (id: number) =>
  system((tx) => tx.selectFrom('agent_tasks').select(['state', 'detail']).where('id', '=', id).executeTakeFirstOrThrow());
const reaches = (id: number, state: string) =>
  vi.waitFor(async () => expect(await rowOf(id)).toMatchObject({ state }), { timeout: 20_000, interval: 50 });
const refusalsOf = (agentId: number) =>
  system((tx) =>
    tx
      .selectFrom('audit')
      .select('after')
      .where('action', '=', 'agent.taskRefused')
      .where('target', '=', String(agentId))
      .orderBy('id')
      .execute(),
  );
const refusalOf = (agent: Behind, text: string) =>
  vi.waitFor(async () => expect(JSON.stringify(await refusalsOf(agent.id))).toContain(text), { timeout: 20_000, interval: 50 });

describe('an agent that has pinned the key', () => {
  let agent: Behind;
  beforeEach(async () => {
    agent = await agentBehindProxy('atEnrolment');
  });
  afterEach(() => agent.close());

  test('runs the portal’s signed task and no altered one', async () => {
    agent.start();
    const first = await queue(agent.id);
    await reaches(first, 'verified');
    agent.tamper((answer) => ({ ...answer, tasks: answer.tasks.map((task) => ({ ...task, target: 'grace' })) }));
    const second = await queue(agent.id, 'linus');
    await reaches(second, 'failed');
    expect((await rowOf(second)).detail).toContain('its signature does not hold: it was altered');
    await refusalOf(agent, 'it was altered');
    // The agents page shows recent errors.
    const { said } = await system((tx) =>
      tx.selectFrom('agents').select('said').where('id', '=', agent.id).executeTakeFirstOrThrow(),
    );
    expect(JSON.stringify(said.errors)).toContain('it was altered');
    expect(JSON.stringify(said)).not.toMatch(/grace|linus/);
    agent.tamper((answer) => answer);
    await reaches(await queue(agent.id, 'grace'), 'verified');
  });

  const each: [name: string, reason: string, change: (answer: AgentTasks) => AgentTasks][] = [
    ['without a signature', 'it is not signed', ({ tasks }) => ({ tasks: tasks.map(({ signature: _, ...task }) => task) })],
    ['that lasts longer than it was signed for', 'it was altered', (answer) => changed(answer, { expiresInSeconds: 86_400 })],
    ['with a later number', 'it was altered', (answer) => changed(answer, { sequence: 2_000_000_000 })],
    ['that does something else', 'it was altered', (answer) => changed(answer, { action: 'unblockUser' })],
    [
      'signed with a key of the one between',
      'another key than the pinned one',
      (answer) => ({
        ...answer,
        tasks: answer.tasks.map((task) => ({
          ...task,
          signature: { ...task.signature!, publicKey: 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=' },
        })),
      }),
    ],
  ];
  test.each(each)('rejects a task %s', async (_name, reason, change) => {
    agent.tamper(change);
    agent.start();
    const id = await queue(agent.id);
    await refusalOf(agent, reason);
    expect(['failed', 'sent']).toContain((await rowOf(id)).state);
    // A forged number does not block the portal’s own tasks.
    agent.tamper((answer) => answer);
    await reaches(await queue(agent.id, 'later'), 'verified');
  });

  test('rejects a replayed task and a delayed one', async () => {
    // Delayed: the agent never got it, and its number has not been used.
    agent.tamper(() => ({ tasks: [] }));
    agent.start();
    const held = await queue(agent.id, 'held');
    await vi.waitFor(() => expect(agent.seen.length).toBeGreaterThan(0), { timeout: 20_000 });
    const recorded = agent.seen[0]!;
    await agent.halt();
    agent.respondWith(recorded);
    agent.start();
    await refusalOf(agent, 'it was recorded and sent again');
    await reaches(held, 'failed');

    // Done and replayed: rejected, and the result stays.
    agent.respondWith(undefined);
    agent.tamper((answer) => answer);
    const done = await queue(agent.id, 'done');
    await reaches(done, 'verified');
    const again = agent.seen.at(-1)!;
    await agent.halt();
    agent.respondWith(again);
    agent.start();
    await vi.waitFor(
      () => expect(agent.texts.join('\n')).toMatch(/task 2 is not the portal’s own: it answers another question/),
      {
        timeout: 20_000,
      },
    );
    expect(await rowOf(done)).toMatchObject({ state: 'verified' });
  });

  test('rejects a task of another agent', async () => {
    const other = await agentOf(t, organisationId, `other-${agent.id}`);
    await queue(other.id, 'foreign');
    const foreign = (await other.pollTasks()).json<AgentTasks>();
    expect(foreign.tasks).toHaveLength(1);
    agent.respondWith(foreign);
    agent.start();
    await refusalOf(agent, `it is for agent ${other.id}`);
    // It reports nothing about the other agent’s task.
    expect(await rowOf(foreign.tasks[0]!.id)).toMatchObject({ state: 'sent' });
  });

  test('does not run a task that expired in transit', async () => {
    agent.start();
    const late = await queue(agent.id, 'late', 900);
    await reaches(late, 'failed');
    expect((await rowOf(late)).detail).toContain('it had expired');
    const { signature } = agent.seen[0]!.tasks[0]!;
    expect(signature!.expiresAt).toBe(signature!.issuedAt);
  });

  test('follows to new keys by their signatures, over several missed ones', async () => {
    const before = agent.pinned();
    const keys = await keysOf();
    await keys.rotate();
    const newest = await keys.rotate();
    expect(newest.publicKey).not.toBe(before);
    agent.start();
    await reaches(await queue(agent.id), 'verified');
    expect(agent.pinned()).toBe(newest.publicKey);
  });

  test('rejects a new key without a trusted signature', async () => {
    const newest = (await (await keysOf()).list()).at(-1);
    agent.tamper((answer) => ({
      ...answer,
      taskKeys: [
        ...(answer.taskKeys ?? []),
        { generation: 99, publicKey: 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=', endorsement: 'none' },
      ],
    }));
    agent.start();
    const id = await queue(agent.id);
    await reaches(id, 'verified');
    expect(agent.texts.join('\n')).toContain('does not endorse');
    expect(agent.pinned()).toBe(newest?.publicKey);
  });
});

describe('an agent enrolled before task signing', () => {
  let agent: Behind;
  beforeEach(async () => {
    agent = await agentBehindProxy('never');
  });
  afterEach(() => agent.close());

  test('accepts unsigned tasks of an older portal, pins at the next check-in, and rejects them from then on', async () => {
    agent.emulateOldPortal(true);
    agent.start();
    await reaches(await queue(agent.id, 'one'), 'verified');
    expect(agent.pinned()).toBe('');
    agent.emulateOldPortal(false);
    await reaches(await queue(agent.id, 'two'), 'verified');
    await vi.waitFor(() => expect(agent.pinned()).not.toBe(''), { timeout: 20_000 });
    agent.emulateOldPortal(true);
    await queue(agent.id, 'three');
    await refusalOf(agent, 'it is not signed');
  });
});

test('receives unsigned tasks and no keys when it sends none', async () => {
  const agent = await agentOf(t, organisationId, 'old-agent');
  expect(await agent.checkIn()).not.toHaveProperty('taskKeys');
  expect(await agent.checkIn({ taskKey: '' })).toHaveProperty('taskKeys');
  await queue(agent.id);
  expect((await agent.pollTasks()).json<AgentTasks>().tasks).toMatchObject([{ action: 'blockUser', target: 'ada' }]);
});

function changed(answer: AgentTasks, change: Partial<AgentTasks['tasks'][number]>): AgentTasks {
  return { ...answer, tasks: answer.tasks.map((task) => ({ ...task, ...change })) };
}
