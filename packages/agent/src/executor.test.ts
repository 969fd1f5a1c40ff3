import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentAction, AgentTask, TaskResult } from '@parapet/contract/agentProtocol.ts';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryStore } from '../test/memoryStore.ts';
import { PortalUnavailableError, RequestRejectedError } from './client.ts';
import { createExecutor, type Host, type ResultReporter, readTasks } from './executor.ts';
import { ledgerFile, openLedger } from './ledger.ts';

const task = (sequence: number, more: Partial<AgentTask> = {}): AgentTask => ({
  id: sequence + 1_000,
  sequence,
  action: 'isolate',
  target: '',
  expectedName: '',
  maxBytes: 0,
  releaseInSeconds: 3_600,
  expiresInSeconds: 600,
  ...more,
});

/** A fake host that exposes its state and counts executed tasks. */
function fakeHost() {
  const done: number[] = [];
  let isIsolated = false;
  const blocked = new Set<string>();
  const host: Host = {
    async act({ sequence, action, target }) {
      done.push(sequence);
      if (action === 'isolate') isIsolated = true;
      if (action === 'unisolate') isIsolated = false;
      if (action === 'blockUser') blocked.add(target);
      if (action === 'unblockUser') blocked.delete(target);
      return { detail: 'done' };
    },
    async look({ action, target }) {
      const holds: Partial<Record<AgentAction, boolean>> = {
        isolate: isIsolated,
        unisolate: !isIsolated,
        blockUser: blocked.has(target),
        unblockUser: !blocked.has(target),
      };
      return { holds: holds[action] ?? true, detail: 'looked' };
    },
    forget: async () => {},
  };
  return { host, done, holding: () => ({ isIsolated, blocked: [...blocked].sort() }) };
}

function fakePortal() {
  const reports: { id: number; result: TaskResult }[] = [];
  let isAway = false;
  const reporter: ResultReporter = {
    async result(id, result) {
      if (isAway) throw new PortalUnavailableError('away');
      reports.push({ id, result });
    },
    upload: async () => {},
  };
  return {
    reports,
    reporter,
    setAway: (away: boolean) => {
      isAway = away;
    },
    lastOf: (id: number) => reports.filter((one) => one.id === id).at(-1)?.result.state,
  };
}

async function agentOn(store = memoryStore(), fake = fakeHost(), portal = fakePortal()) {
  const ledger = await openLedger(store);
  const executor = createExecutor({ ledger, host: fake.host, reporter: portal.reporter, trouble: () => {} });
  return { store, fake, portal, ledger, executor };
}

test('executes, verifies and reports in that order', async () => {
  const { executor, portal, fake } = await agentOn();
  await executor.take([task(1)]);
  await executor.report();
  expect(portal.reports.map(({ result }) => result.state)).toEqual(['acknowledged', 'verified']);
  expect(fake.done).toEqual([1]);
});

test('reports a task dispatched again without executing it again', async () => {
  const { executor, portal, fake } = await agentOn();
  await executor.take([task(1)]);
  await executor.take([task(1), task(1)]);
  await executor.report();
  await executor.take([task(1)]);
  await executor.report();
  expect(fake.done).toEqual([1]);
  expect(portal.reports.map(({ result }) => result.state)).toEqual(['acknowledged', 'verified', 'acknowledged', 'verified']);
});

test('refuses outdated and expired tasks', async () => {
  const { executor, portal, fake } = await agentOn();
  await executor.take([task(5)]);
  await executor.take([task(3, { action: 'unisolate' })]);
  await executor.take([task(6, { expiresInSeconds: 10 })], () => 11);
  await executor.take([task(7, { expiresInSeconds: 0 })]);
  await executor.report();
  expect(fake.done).toEqual([5]);
  expect([3, 6, 7].map((n) => portal.lastOf(n + 1_000))).toEqual(['failed', 'failed', 'failed']);
  expect(fake.holding().isIsolated).toBe(true);
});

test('retries failed reports and drops rejected ones', async () => {
  const { executor, portal, ledger } = await agentOn();
  portal.setAway(true);
  await executor.take([task(1)]);
  await expect(executor.report()).rejects.toThrow(PortalUnavailableError);
  portal.setAway(false);
  await executor.report();
  expect(portal.lastOf(1_001)).toBe('verified');
  const refusing = createExecutor({
    ledger,
    host: fakeHost().host,
    reporter: { result: async () => Promise.reject(new RequestRejectedError(404, 'no such task')), upload: async () => {} },
    trouble: () => {},
  });
  await refusing.take([task(2, { action: 'unisolate' })]);
  await refusing.report();
  expect(ledger.untold()).toEqual([]);
});

test('reports other results while the portal fails on one', async () => {
  const { ledger, fake } = await agentOn();
  const reports: number[] = [];
  const executor = createExecutor({
    ledger,
    host: fake.host,
    reporter: {
      async result(id) {
        if (id <= 1_002) throw new PortalUnavailableError('The portal answered 500');
        reports.push(id);
      },
      upload: async () => {},
    },
    trouble: () => {},
  });
  await executor.take([task(1), task(2, { action: 'unisolate' }), task(3), task(4, { action: 'unisolate' })]);
  for (let time = 0; time < 3; time++) await expect(executor.report()).rejects.toThrow(PortalUnavailableError);
  expect(new Set(reports)).toEqual(new Set([1_003, 1_004]));
  expect(ledger.untold().map(({ sequence }) => sequence)).toEqual([1, 2]);
});

describe('recovery', () => {
  test('inspects the result of an interrupted task and does not repeat it', async () => {
    for (const wasDone of [true, false]) {
      const store = memoryStore();
      const fake = fakeHost();
      const ledger = await openLedger(store);
      await ledger.begin(task(1));
      if (wasDone) await fake.host.act(task(1));
      const before = fake.done.length;
      const { executor, portal } = await agentOn(store, fake);
      await executor.recover();
      await executor.take([task(1)]);
      await executor.report();
      expect(fake.done.length).toBe(before);
      expect(portal.lastOf(1_001)).toBe(wasDone ? 'verified' : 'failed');
    }
  });

  test('executes nothing twice after a crash at any byte of the ledger', async () => {
    const { store, executor } = await agentOn();
    await executor.take([task(1), task(2, { action: 'unisolate' }), task(3, { action: 'blockUser', target: 'eve' })]);
    const whole = store.text();
    for (let length = 0; length <= whole.length; length++) {
      const text = whole.slice(0, length);
      // Tasks begun before the cut may have been executed; none may run now.
      const begun = text.split('\n').filter((line) => line.startsWith('{"begin"') && line.endsWith('}}')).length;
      const { executor: after, fake } = await agentOn(memoryStore(text));
      await after.recover();
      await after.take([task(1), task(2, { action: 'unisolate' }), task(3, { action: 'blockUser', target: 'eve' })]);
      expect(fake.done).toEqual([1, 2, 3].slice(begun));
    }
  });
});

test('uploads a collected file between both reports, also after a crash', async () => {
  const steps: string[] = [];
  const store = memoryStore();
  const file = { path: '/x', sha256: 'a'.repeat(64), size: 3 };
  const host: Host = {
    act: async () => ({ detail: 'copied', file, upload: '/copy' }),
    look: async () => ({ holds: false, detail: '' }),
    forget: async (upload) => void steps.push(`forget ${upload}`),
  };
  const reporter: ResultReporter = {
    result: async (_, { state, file }) => void steps.push(`${state} ${file?.size ?? ''}`.trim()),
    upload: async (_, upload) => void steps.push(`upload ${upload}`),
  };
  const first = createExecutor({ ledger: await openLedger(store), host, reporter, trouble: () => {} });
  await first.take([task(1, { action: 'collectFile', target: '/x' })]);
  expect(steps).toEqual([]);
  const second = createExecutor({ ledger: await openLedger(store), host, reporter, trouble: () => {} });
  await second.recover();
  await second.report();
  expect(steps).toEqual(['acknowledged 3', 'upload /copy', 'forget /copy', 'verified']);
});

test('executes 10,000 duplicated, delayed tasks at most once over restarts and reports the actual state', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      let state = seed | 1;
      const random = () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
        return (state >>> 8) / 2 ** 24;
      };
      const actions = ['isolate', 'unisolate', 'blockUser', 'unblockUser'] as const;
      const all = Array.from({ length: 10_000 }, (_, n) =>
        task(n + 1, { action: actions[Math.floor(random() * 4)]!, target: `user${Math.floor(random() * 5)}` }),
      );
      const deliveries = all.flatMap((one) => (random() < 0.1 ? [one, one] : [one]));
      for (let n = 0; n + 3 < deliveries.length; n++)
        if (random() < 0.05) [deliveries[n], deliveries[n + 3]] = [deliveries[n + 3]!, deliveries[n]!];
      const store = memoryStore();
      const fake = fakeHost();
      const portal = fakePortal();
      let { executor } = await agentOn(store, fake, portal);
      for (const delivery of deliveries) {
        await executor.take([delivery]);
        if (random() < 0.3) await executor.report();
        if (random() < 0.002) {
          ({ executor } = await agentOn(store, fake, portal));
          await executor.recover();
        }
      }
      await executor.report();
      expect(new Set(fake.done).size).toBe(fake.done.length);
      // Replaying the verified reports yields the state of the host.
      const replayed = fakeHost();
      const states = new Map(portal.reports.map(({ id, result }) => [id, result.state]));
      expect(states.size).toBe(all.length);
      for (const one of all) if (states.get(one.id) === 'verified') await replayed.host.act(one);
      expect([...states.values()].every((each) => each === 'verified' || each === 'failed')).toBe(true);
      expect(replayed.holding()).toEqual(fake.holding());
    }),
    { numRuns: 3 },
  );
}, 60_000);

test('refuses tasks of an unknown form without blocking others, and reports those with an id', () => {
  const good = task(2);
  const { tasks, unknown } = readTasks({
    tasks: [
      { ...task(1), action: 'dumpMemory' },
      good,
      { ...task(3), target: 7 },
      null,
      'isolate',
      { ...task(4), sequence: '4' },
      {},
    ],
  });
  expect(tasks).toEqual([good]);
  expect(unknown.map(({ id, sequence }) => [id, sequence])).toEqual([
    [1_001, 1],
    [1_003, 3],
    [undefined, undefined],
    [undefined, undefined],
    [1_004, undefined],
    [undefined, undefined],
  ]);
  expect(unknown[0]?.detail).toMatch(/does not support the task \(action: /);
  for (const answer of [null, [], 'x', { tasks: {} }, {}]) expect(() => readTasks(answer)).toThrow(/not a list of tasks/);
});

test('strips characters from reports that the database rejects', async () => {
  const { executor, portal, fake } = await agentOn();
  fake.host.act = async () => Promise.reject(new Error(`zero \0, half \ud83d, ${'x'.repeat(3_000)}`));
  await executor.take([task(1)]);
  await executor.report();
  expect(portal.reports.at(-1)?.result.detail).toMatch(/^zero , half �, x+$/);
});

test('fails on an unreadable ledger instead of treating it as empty', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-ledger-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await expect(openLedger(ledgerFile(folder))).rejects.toThrow(/EISDIR/);
  expect((await openLedger(ledgerFile(join(folder, 'none')))).last()).toBe(0);
});

test('leaves only once the portal has the report, also after a restart', async () => {
  const { host, done } = fakeHost();
  const store = memoryStore();
  const portal = fakePortal();
  portal.setAway(true);
  const first = createExecutor({ ledger: await openLedger(store), host, reporter: portal.reporter, trouble: () => {} });
  await first.take([task(1, { action: 'leave', releaseInSeconds: null })]);
  await expect(first.report()).rejects.toThrow('away');
  expect(first.hasLeft()).toBe(false);
  const second = createExecutor({ ledger: await openLedger(store), host, reporter: portal.reporter, trouble: () => {} });
  await second.recover();
  portal.setAway(false);
  await second.report();
  expect([second.hasLeft(), done]).toEqual([true, [1]]);
  expect(portal.reports.at(-1)?.result.state).toBe('verified');
});
