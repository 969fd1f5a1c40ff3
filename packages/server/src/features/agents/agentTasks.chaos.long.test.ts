/**
 * Ten thousand tasks over an unreliable network: one delivery in ten is duplicated, one in twenty late, agents are killed
 * while they work, responses are lost. Each task runs at most once, and finally the portal’s records match the agents’
 * ledgers.
 */
import { PortalUnavailableError } from '@parapet/agent/client.ts';
import { createExecutor, type Host } from '@parapet/agent/executor.ts';
import { type Ledger, openLedger } from '@parapet/agent/ledger.ts';
import type { AgentTask, TaskResult } from '@parapet/contract/agentProtocol.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryStore } from '../../../../agent/test/memoryStore.ts';
import { agentOf, type TestAgent } from '../../../test/agents.fixture.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import { openBlobs } from '../../core/blobs.ts';
import { openBus } from '../../core/bus.ts';
import { connect, type Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { queueTask } from './agents.tasks.ts';
import { type AgentTasksService, createAgentTasksService } from './agentTasks.service.ts';

const agentCount = 50;
const tasksEach = 200;
const tasksAtOnce = 10;

let t: TestApp;
let db: Database;
let service: AgentTasksService;
const closers: (() => Promise<unknown> | unknown)[] = [];

beforeAll(async () => {
  t = await testApp();
  db = connect({ url: t.database.url, applicationName: 'chaos', poolSize: 8 });
  const bus = await openBus({ url: t.database.url, log: silentLog });
  service = createAgentTasksService({
    db,
    bus,
    clock: { now: () => Date.now() },
    blobs: openBlobs(undefined, '/nowhere'),
    onResult: async () => {},
    log: silentLog,
  });
  closers.push(
    () => service.close(),
    () => bus.close(),
    () => db.close(),
    () => t.close(),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
});

/** Deterministic numbers between 0 and 1 (mulberry32). */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Killed extends Error {}

const users = ['alice', 'bob', 'carol'];
const requests = [
  { action: 'isolate', target: '' },
  { action: 'unisolate', target: '' },
  ...users.flatMap((target) => [{ action: 'blockUser', target } as const, { action: 'unblockUser', target } as const]),
  { action: 'killProcess', target: '4711' },
] as const;

/** A host that counts executed actions and dies at times, before or after one. */
function fakeHost(chance: () => number) {
  const done = new Map<number, number>();
  let isIsolated = false;
  const blocked = new Set<string>();
  const host: Host = {
    async act({ id, action, target }: AgentTask) {
      if (chance() < 0.02) throw new Killed();
      done.set(id, (done.get(id) ?? 0) + 1);
      if (action === 'isolate') isIsolated = true;
      else if (action === 'unisolate') isIsolated = false;
      else if (action === 'blockUser') blocked.add(target);
      else if (action === 'unblockUser') blocked.delete(target);
      if (chance() < 0.02) throw new Killed();
      return { detail: 'done' };
    },
    async look({ id, action, target }: AgentTask) {
      const holds =
        action === 'isolate'
          ? isIsolated
          : action === 'unisolate'
            ? !isIsolated
            : action === 'blockUser'
              ? blocked.has(target)
              : action === 'unblockUser'
                ? !blocked.has(target)
                : done.has(id);
      return { holds, detail: 'looked' };
    },
    forget: async () => {},
  };
  return { host, done, holds: () => ({ isIsolated, blocked: [...blocked].sort() }) };
}

/** Nothing of a killed life continues. */
const mortal = (host: Host, die: () => void): Host => ({
  ...host,
  async act(task) {
    try {
      return await host.act(task);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      die();
      return new Promise(() => {});
    }
  },
});

async function live(agent: TestAgent, seed: number) {
  const chance = chances(seed);
  const known = { id: agent.id, organisationId: agent.organisationId, deviceId: agent.deviceId, deviceName: '' };
  const store = memoryStore();
  const { host, done, holds } = fakeHost(chance);
  const late: (() => Promise<unknown>)[] = [];
  const report = async (id: number, result: TaskResult) => {
    if (chance() < 0.05) late.push(() => service.result(known, id, result));
    for (let times = chance() < 0.1 ? 2 : 1; times > 0; times--) await service.result(known, id, result);
    // The portal received it, but the agent never learns so.
    if (chance() < 0.05) throw new PortalUnavailableError('the answer was lost');
  };
  let ledger: Ledger;
  let queued = 0;
  let delayed: AgentTask[] = [];
  let given: AgentTask[] = [];
  for (let round = 0; ; round++) {
    if (queued < tasksEach) {
      await scoped(db, 'system', async (tx) => {
        for (let n = 0; n < tasksAtOnce; n++)
          await queueTask(tx, {
            organisationId: agent.organisationId,
            agentId: agent.id,
            responseId: null,
            ...requests[Math.floor(chance() * requests.length)]!,
            createdAt: new Date(),
            expiresAt: new Date(Date.now() + 3_600_000),
          });
      });
      queued += tasksAtOnce;
    }
    // One life of the agent: resumes interrupted tasks, accepts deliveries and reports results until killed.
    let die = () => {};
    const death = new Promise<void>((resolve) => {
      die = resolve;
    });
    ledger = await openLedger(store);
    const executor = createExecutor({
      ledger,
      host: mortal(host, die),
      reporter: { result: report, upload: async () => {} },
      trouble: () => {},
    });
    const life = (async () => {
      await executor.recover();
      const tasks = (await service.next(agent.key, known, ledger.last(), 0)) as AgentTask[];
      const again = given.filter(() => chance() < 0.1);
      const [late, now] = [tasks.filter(() => chance() < 0.05), [] as AgentTask[]];
      for (const task of tasks) if (!late.includes(task)) now.push(task);
      await executor.take([...now, ...again]);
      await executor.take(delayed);
      delayed = late;
      given = tasks;
      await executor.report().catch((error) => {
        if (!(error instanceof PortalUnavailableError)) throw error;
      });
    })();
    await Promise.race([life, death]);
    for (const send of late.splice(0)) await send();
    const isQuiet = delayed.length === 0 && ledger.untold().length === 0 && ledger.interrupted().length === 0;
    if (queued >= tasksEach && isQuiet && ledger.last() === tasksEach) break;
    if (round > 2_000) throw new Error('the agent does not come to rest');
  }
  return { agent, done, holds: holds(), ledger };
}

test('runs each of ten thousand tasks at most once and ends in the agents’ state', { timeout: 180_000 }, async () => {
  const organisation = await t.organisation();
  const agents = await Promise.all(Array.from({ length: agentCount }, (_, n) => agentOf(t, organisation, `chaos${n}`)));
  const lives = await Promise.all(agents.map((agent, n) => live(agent, n + 1)));
  // A late delivery that died with its agent is skipped: it stays undone until it expires.
  await scoped(db, 'system', (tx) =>
    tx
      .updateTable('agent_tasks')
      .set({ expires_at: new Date(Date.now() - 600_000) })
      .where('state', '=', 'sent')
      .execute(),
  );
  await service.expire();
  const counts = new Map<string, number>();
  for (const { agent, done, holds, ledger } of lives) {
    const tasks = await scoped(db, 'system', (tx) =>
      tx.selectFrom('agent_tasks').selectAll().where('agent_id', '=', agent.id).orderBy('sequence').execute(),
    );
    expect(tasks).toHaveLength(tasksEach);
    expect(Math.max(...done.values())).toBe(1);
    for (const task of tasks) {
      counts.set(task.state, (counts.get(task.state) ?? 0) + 1);
      const entry = ledger.find(task.sequence);
      // The agent drops long settled tasks; the portal agrees on the remaining ones.
      if (entry) expect([task.sequence, task.state]).toEqual([task.sequence, entry.outcomes.at(-1)?.state]);
      if (task.state === 'expired') expect(done.has(task.id)).toBe(false);
      if (task.state === 'verified' && !done.has(task.id)) {
        // Interrupted before completion; the check found it already done.
        expect(task.detail).toBe('looked');
        expect(task.action).not.toBe('killProcess');
      }
    }
    const last = (...actions: string[]) => tasks.filter(({ action, state }) => state === 'verified' && actions.includes(action));
    expect(holds.isIsolated).toBe(last('isolate', 'unisolate').at(-1)?.action === 'isolate');
    const isBlocked = (user: string) =>
      last('blockUser', 'unblockUser')
        .filter(({ target }) => target === user)
        .at(-1)?.action === 'blockUser';
    expect(holds.blocked).toEqual(users.filter(isBlocked));
  }
  expect([...counts.keys()].sort()).toEqual(['expired', 'failed', 'verified']);
  // Failures are rare: nearly all tasks complete.
  expect(counts.get('verified')).toBeGreaterThan(0.85 * agentCount * tasksEach);
});
