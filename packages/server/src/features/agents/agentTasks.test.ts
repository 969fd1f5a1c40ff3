/** Task delivery and results: immediate wake-up, redelivery until acknowledged, one result each, isolation between agents. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentTask, agentPaths } from '@parapet/contract/agentProtocol.ts';
import { agentsApi } from '@parapet/contract/agents.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentOf, free, type TestAgent } from '../../../test/agents.fixture.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import { openBlobs } from '../../core/blobs.ts';
import { openBus } from '../../core/bus.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { cancelTasks, type NewTask, queueTask } from './agents.tasks.ts';
import { createAgentTasksService, type TaskOutcome } from './agentTasks.service.ts';

const dataDir = join(tmpdir(), `parapet-tasks-${process.pid}`);
let t: TestApp;
let organisation: number;
let agent: TestAgent;
let marker: TestAgent;
let next = 0;

beforeAll(async () => {
  t = await testApp({ DATA_DIR: dataDir });
  organisation = await t.organisation();
  marker = await agentOf(t, organisation, 'marker');
});
afterAll(async () => {
  await t.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Resolves once earlier requests wait: this one follows them through the same steps without a wait of its own. */
const earlierWait = () => marker.pollTasks();
const system = <T>(fn: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', fn);
const fresh = async () => {
  agent = await agentOf(t, organisation, `tasks${next++}`);
  return agent;
};
const queue = async (more: Partial<NewTask> = {}, of = agent): Promise<number> => {
  const id = await system((tx) =>
    queueTask(tx, {
      organisationId: of.organisationId,
      agentId: of.id,
      responseId: null,
      action: 'isolate',
      target: '',
      releaseInSeconds: 3_600,
      createdAt: new Date(),
      expiresAt: new Date(Date.now() + 3_600_000),
      ...more,
    }),
  );
  return id!;
};
const stateOf = async (id: number) =>
  (await system((tx) => tx.selectFrom('agent_tasks').select('state').where('id', '=', id).executeTakeFirstOrThrow())).state;
const tasksIn = (answer: { statusCode: number; json(): unknown }) => {
  expect(answer.statusCode).toBe(200);
  return (answer.json() as { tasks: AgentTask[] }).tasks;
};

describe('delivery', () => {
  test('assigns gapless numbers, also under concurrency, and delivers in order', async () => {
    await fresh();
    await Promise.all(Array.from({ length: 12 }, () => queue()));
    const tasks = tasksIn(await agent.pollTasks());
    expect(tasks.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    expect(tasks[0]).toMatchObject({ action: 'isolate', target: '', releaseInSeconds: 3_600 });
    expect(tasks[0]!.expiresInSeconds).toBeGreaterThan(3_500);
  });

  test('wakes a waiting agent immediately', async () => {
    await fresh();
    const waiting = agent.pollTasks(0, 20);
    await earlierWait();
    const started = Date.now();
    const id = await queue();
    expect(tasksIn(await waiting).map((task) => task.id)).toEqual([id]);
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  test('returns an empty list when the wait times out; a second wait ends the first', async () => {
    await fresh();
    const started = Date.now();
    expect(tasksIn(await agent.pollTasks(0, 1))).toEqual([]);
    expect(Date.now() - started).toBeGreaterThan(900);
    const first = agent.pollTasks(0, 30);
    await earlierWait();
    const second = agent.pollTasks(0, 30);
    expect(tasksIn(await first)).toEqual([]);
    await queue();
    expect(tasksIn(await second)).toHaveLength(1);
  });

  test('delivers dispatched tasks again until the agent polls above them', async () => {
    await fresh();
    await queue();
    const [task] = tasksIn(await agent.pollTasks());
    expect(tasksIn(await agent.pollTasks())).toMatchObject([{ id: task!.id, sequence: 1 }]);
    expect(tasksIn(await agent.pollTasks(task!.sequence))).toEqual([]);
  });

  test('skips cancelled and expired tasks, and delivers none of other agents', async () => {
    await fresh();
    const { id: responseId } = await system((tx) =>
      tx
        .insertInto('responses')
        .values({
          organisation_id: organisation,
          action: 'isolate',
          target: 'x',
          state: 'sent',
          requested_at: new Date(),
          changed_at: new Date(),
          expires_at: new Date(Date.now() + 3_600_000),
        } as never)
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    const back = await queue({ responseId });
    expect(await system((tx) => cancelTasks(tx, responseId, new Date()))).toEqual({ cancelled: 1, underWay: 0 });
    await queue({ expiresAt: new Date(Date.now() - 1_000) });
    expect(tasksIn(await agent.pollTasks())).toEqual([]);
    expect(await stateOf(back)).toBe('cancelled');
    const given = await queue({ responseId });
    await agent.pollTasks();
    expect(await system((tx) => cancelTasks(tx, responseId, new Date()))).toEqual({ cancelled: 0, underWay: 1 });
    expect(await stateOf(given)).toBe('sent');
    const other = await agentOf(t, organisation, `tasks-other${next++}`);
    expect(tasksIn(await other.pollTasks())).toEqual([]);
  });

  test('ends a wait immediately when the agent is revoked', async () => {
    await fresh();
    const admin = await t.user({ organisationId: organisation, role: 'Administrator' });
    const waiting = agent.pollTasks(0, 30);
    await earlierWait();
    const started = Date.now();
    const answer = await t.call(agentsApi.revoke, { params: { client: organisation, agent: agent.id } }, admin);
    expect(answer.statusCode).toBe(200);
    expect((await waiting).statusCode).toBe(401);
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(
      await system((tx) =>
        queueTask(tx, {
          organisationId: organisation,
          agentId: agent.id,
          responseId: null,
          action: 'isolate',
          target: '',
          createdAt: new Date(),
          expiresAt: new Date(Date.now() + 60_000),
        }),
      ),
    ).toBeUndefined();
  });

  test.each(['after=-1', 'after=x', 'wait=51', 'wait=1e9'])('rejects ?%s', async (query) => {
    await fresh();
    const answer = await t.application.app.inject({
      url: `${agentPaths.tasks}?${query}`,
      headers: { authorization: `Bearer ${agent.key}` },
    });
    expect(answer.statusCode).toBe(400);
  });
});

describe('results', () => {
  const done = { sequence: 1, state: 'acknowledged' as const, detail: 'done' };

  test('advances states only: duplicate or late results change nothing', async () => {
    await fresh();
    const id = await queue();
    // Never dispatched, it cannot have been done.
    expect((await agent.result(id, done)).statusCode).toBe(404);
    await agent.pollTasks();
    for (const [state, then] of [
      ['acknowledged', 'acknowledged'],
      ['acknowledged', 'acknowledged'],
      ['verified', 'verified'],
      ['acknowledged', 'verified'],
      ['failed', 'verified'],
    ] as const) {
      expect((await agent.result(id, { ...done, state })).statusCode).toBe(200);
      expect(await stateOf(id)).toBe(then);
    }
  });

  test('returns the same 404 for another agent’s task, another organisation’s, a wrong number and none at all', async () => {
    await fresh();
    const id = await queue();
    await agent.pollTasks();
    const neighbour = await agentOf(t, organisation, `tasks-neighbour${next++}`);
    const stranger = await agentOf(t, await t.organisation(), `tasks-stranger${next++}`);
    const answers = [
      await neighbour.result(id, done),
      await stranger.result(id, done),
      await agent.result(id, { ...done, sequence: 2 }),
    ];
    for (const answer of answers) {
      expect(answer.statusCode).toBe(404);
      expect(answer.json<{ error: string }>().error).toBe(`Couldn’t find task ${id}, or you don’t have access to it.`);
    }
    expect((await agent.result(2_000_000_000, done)).statusCode).toBe(404);
    expect(await stateOf(id)).toBe('sent');
  });

  test('verifies completed tasks by a check-in that shows their effect', async () => {
    await fresh();
    const id = await queue();
    await agent.pollTasks();
    await agent.result(id, done);
    await agent.checkIn({ holding: free });
    expect(await stateOf(id)).toBe('acknowledged');
    await agent.checkIn({ holding: { isIsolated: true, releaseInSeconds: 3_600, blockedUsers: [] } });
    expect(await stateOf(id)).toBe('verified');
  });

  test('reports many concurrent results once', async () => {
    await fresh();
    const outcomes: TaskOutcome[] = [];
    const bus = await openBus({ url: t.database.url, log: silentLog });
    const service = createAgentTasksService({
      db: t.db,
      bus,
      clock: { now: () => Date.now() },
      blobs: openBlobs(undefined, '/nowhere'),
      onResult: async (_tx, _task, outcome) => void outcomes.push(outcome),
      log: silentLog,
    });
    const { id: responseId } = await system((tx) =>
      tx
        .insertInto('responses')
        .values({
          organisation_id: organisation,
          action: 'isolate',
          target: 'y',
          state: 'sent',
          requested_at: new Date(),
          changed_at: new Date(),
          expires_at: new Date(Date.now() + 3_600_000),
        } as never)
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    const id = await queue({ responseId });
    await agent.pollTasks();
    const known = { id: agent.id, organisationId: organisation, deviceId: agent.deviceId, deviceName: '' };
    await Promise.all(Array.from({ length: 10 }, () => service.result(known, id, done)));
    expect(outcomes).toEqual([{ state: 'acknowledged', detail: 'done' }]);
    // An expired task may still complete; one reported as failed stays so.
    const late = await queue({ responseId });
    await agent.pollTasks();
    await system((tx) =>
      tx
        .updateTable('agent_tasks')
        .set({ expires_at: new Date(Date.now() - 600_000) })
        .where('id', '=', late)
        .execute(),
    );
    await service.expire();
    expect(await stateOf(late)).toBe('expired');
    await service.result(known, late, { ...done, sequence: 2, state: 'failed' });
    expect(await stateOf(late)).toBe('expired');
    await service.result(known, late, { ...done, sequence: 2 });
    expect(await stateOf(late)).toBe('acknowledged');
    expect(outcomes.map(({ state }) => state)).toEqual(['acknowledged', 'expired', 'acknowledged']);
    service.close();
    await bus.close();
  });
});

describe('collected files', () => {
  const bytes = Buffer.from('#!/bin/sh\necho hostile\n');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const put = (id: number, payload: Buffer, key = agent.key) =>
    t.application.app.inject({
      method: 'PUT',
      url: agentPaths.file(id),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
      payload,
    });
  const collect = async (more: Partial<NewTask> = {}) => {
    await fresh();
    const id = await queue({ action: 'collectFile', target: '/tmp/x', maxBytes: 1_000, ...more });
    await agent.pollTasks();
    return id;
  };
  const upload = (id: number) =>
    system((tx) => tx.selectFrom('collected_files').selectAll().where('task_id', '=', id).executeTakeFirst());
  const headers = (size = bytes.length, hash = sha256) => ({
    sequence: 1,
    state: 'verified' as const,
    detail: '',
    file: { path: '/tmp/x', sha256: hash, size },
  });

  test('accept bytes or hash first and require that they match', async () => {
    const first = await collect();
    expect((await put(first, bytes)).statusCode).toBe(200);
    expect((await agent.result(first, headers())).statusCode).toBe(200);
    expect(await upload(first)).toMatchObject({ is_stored: true, sha256, size: bytes.length, path: '/tmp/x' });
    const second = await collect();
    expect((await agent.result(second, headers())).statusCode).toBe(200);
    expect((await put(second, Buffer.from('other bytes'))).statusCode).toBe(400);
    expect(await upload(second)).toMatchObject({ is_stored: false });
    expect((await put(second, bytes)).statusCode).toBe(200);
    expect(await upload(second)).toMatchObject({ is_stored: true });
    const third = await collect();
    expect((await put(third, Buffer.from('other bytes'))).statusCode).toBe(200);
    expect((await agent.result(third, headers())).statusCode).toBe(400);
    expect(await stateOf(third)).toBe('sent');
  });

  test('reject oversized files, those of another agent’s task, and of a task without a file', async () => {
    const id = await collect();
    expect((await put(id, Buffer.alloc(1_001))).statusCode).toBe(413);
    expect((await agent.result(id, headers(1_001))).statusCode).toBe(400);
    const other = await agentOf(t, organisation, `tasks-files${next++}`);
    expect((await put(id, bytes, other.key)).statusCode).toBe(404);
    const isolation = await queue();
    await agent.pollTasks();
    expect((await put(isolation, bytes)).statusCode).toBe(404);
    expect(await upload(id)).toBeUndefined();
  });
});
