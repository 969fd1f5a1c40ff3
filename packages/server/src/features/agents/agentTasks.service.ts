/**
 * Tasks on their way to agents and back. An agent asks and waits; a word of the bus wakes it, in whichever process it waits. What was given out is
 * given again until the agent says that it took it up; what it says of a task is taken once, in the order of the states.
 */
import type { AgentTask, Holding, TaskResult } from '@parapet/contract/agentProtocol.ts';
import { problem } from '@parapet/contract/problem.ts';
import { createBatchLoader } from '../../core/batch-loader.ts';
import type { Blobs } from '../../core/blobs.ts';
import type { Bus } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { retrying, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { hashOfBytes, hashOfToken } from '../../core/secrets.ts';
import type { KnownAgent } from './agentProtocol.store.ts';
import {
  dispatchTasks,
  endTask,
  findFile,
  findTask,
  keepFile,
  listOverdue,
  listWaiting,
  lockResponseOf,
  type TaskRecord,
} from './agentTasks.store.ts';

export type { cancelTasks, NewTask, queueTask } from './agents.tasks.ts';

/** What became of a task. expired: the agent did not take it up in time, or its key was revoked. */
export interface TaskOutcome {
  state: 'acknowledged' | 'verified' | 'failed' | 'expired';
  detail: string;
  file?: { path: string; sha256: string; size: number };
}
export type ObservedTask = TaskRecord;
/**
 * Told of every new state of a task that a request stands behind, in the transaction that keeps it, with the locks of its case and request held. An
 * expired task may still turn out to be done: an agent that was cut off says so when it is back.
 */
export type OnResult = (tx: Tx, task: ObservedTask, outcome: TaskOutcome) => Promise<void>;
export type OnHolding = (tx: Tx, agent: KnownAgent, holding: Holding) => Promise<void>;

/** Where the bytes of a collected file are kept. */
export const collectedKey = ({ organisationId, id }: Pick<TaskRecord, 'organisationId' | 'id'>): string =>
  `collected/${organisationId}/${id}`;

/** A result may be on its way when the time is over. */
const expiryGraceMs = 2 * 60_000;
const expiredPerRun = 500;
/** While the bus is away, waiting agents ask so often. */
const withoutBusMs = 5_000;
/** After the bus was away all wake, not all at once. */
const spreadMs = 2_000;

export type AgentTasksService = ReturnType<typeof createAgentTasksService>;

export function createAgentTasksService({
  db,
  bus,
  clock,
  blobs,
  onResult,
  log,
}: {
  db: Database;
  bus: Bus;
  clock: Clock;
  blobs: Blobs;
  onResult: OnResult;
  log: Log;
}) {
  /** The one wait of each agent in this process. */
  const waiting = new Map<number, Wait>();
  let isClosed = false;
  const ends = [
    bus.on('task.queued', ({ agentIds }) => {
      for (const id of agentIds) waiting.get(id)?.wake();
    }),
    bus.on('bus.reconnected', () => {
      for (const wait of waiting.values()) setTimeout(wait.wake, Math.random() * spreadMs).unref();
    }),
  ];

  /** Undefined where the key does not work any more. */
  const read = createBatchLoader((asked: ReadonlyMap<string, number>) =>
    scoped(db, 'system', (tx) => listWaiting(tx, asked, new Date(clock.now())), { readOnly: true, isPrepared: true }),
  );

  const settle = async (tx: Tx, task: TaskRecord, outcome: TaskOutcome, from: readonly TaskRecord['state'][]): Promise<void> => {
    if (task.responseId !== null) await lockResponseOf(tx, task.responseId);
    const now = new Date(clock.now());
    if (!(await endTask(tx, task.id, from, outcome.state, outcome.detail, now))) return;
    const { file } = outcome;
    if (file && !(await keepFile(tx, task, { ...file, isStored: false }, now)))
      throw problem.invalid({ file: ['The bytes that were sent have another size or SHA-256.'] });
    if (task.responseId !== null) await onResult(tx, task, outcome);
  };

  return {
    /**
     * The tasks above a number: at once where there are some, else when one comes or the time is over. Undefined for a key that does not work, also when
     * it is revoked meanwhile. A second wait of an agent ends its first; `whenGone` is given what ends this one when nobody listens any more.
     */
    async next(
      key: string,
      agent: KnownAgent,
      after: number,
      waitMs: number,
      whenGone: (end: () => void) => void = () => {},
    ): Promise<AgentTask[] | undefined> {
      const hash = hashOfToken(key).toString('hex');
      const until = Date.now() + waitMs;
      const wait = createWait();
      whenGone(wait.end);
      waiting.get(agent.id)?.end();
      // Before the first question, so that a task that comes meanwhile wakes it.
      waiting.set(agent.id, wait);
      try {
        for (;;) {
          const found = await read(hash, after);
          if (!found) return undefined;
          const tasks =
            found.length === 0
              ? []
              : await scoped(db, 'system', (tx) => dispatchTasks(tx, agent.id, found, new Date(clock.now())));
          const left = until - Date.now();
          if (tasks.length > 0 || left <= 0 || wait.hasEnded() || isClosed) return tasks;
          await wait.rest(bus.isListening() ? left : Math.min(left, withoutBusMs));
        }
      } finally {
        if (waiting.get(agent.id) === wait) waiting.delete(agent.id);
      }
    },

    /** What the agent says of its task. Told twice, it counts once; what is older than what is known is passed over. */
    async result(agent: KnownAgent, id: number, { sequence, state, detail, file }: TaskResult): Promise<void> {
      await retrying(() =>
        scoped(db, 'system', async (tx) => {
          const task = await findTask(tx, agent.id, id);
          if (!task || task.sequence !== sequence) throw problem.notFound('task', id);
          if (file && task.action !== 'collectFile')
            throw problem.invalid({ file: ['Only the task collectFile brings a file.'] });
          if (file && task.maxBytes > 0 && file.size > task.maxBytes)
            throw problem.invalid({ file: [`It may have ${task.maxBytes} bytes at most.`] });
          // Done after all: whoever was cut off says so when it is back.
          const from =
            state === 'failed'
              ? (['sent', 'acknowledged'] as const)
              : state === 'verified'
                ? (['sent', 'acknowledged', 'expired'] as const)
                : (['sent', 'expired'] as const);
          await settle(tx, task, { state, detail, ...(file && { file }) }, from);
        }),
      );
    },

    /** Keeps a collected file as bytes; it is never opened. Its hash is what the agent said, where it said so before. */
    async file(agent: KnownAgent, id: number, bytes: Buffer): Promise<void> {
      const read = (tx: Tx) => findTask(tx, agent.id, id);
      const task = await scoped(db, 'system', read, { readOnly: true });
      if (task?.action !== 'collectFile') throw problem.notFound('task', id);
      if (task.maxBytes > 0 && bytes.length > task.maxBytes)
        throw problem.tooLarge(`This file may have ${task.maxBytes} bytes at most.`);
      const sha256 = hashOfBytes(bytes);
      const said = await scoped(db, 'system', (tx) => findFile(tx, id), { readOnly: true });
      const others = () => problem.invalid({}, 'These are not the bytes that were spoken of: they have another size or SHA-256.');
      if (said && (said.sha256 !== sha256 || said.size !== bytes.length)) throw others();
      if (said?.isStored) return;
      await blobs.put(collectedKey(task), bytes, 'application/octet-stream');
      const stored = { sha256, size: bytes.length, isStored: true };
      if (!(await scoped(db, 'system', (tx) => keepFile(tx, task, stored, new Date(clock.now()))))) throw others();
    },

    /** Ends what was not taken up in time. */
    async expire(): Promise<void> {
      const now = clock.now();
      const overdue = await scoped(db, 'system', (tx) =>
        listOverdue(tx, new Date(now), new Date(now - expiryGraceMs), expiredPerRun),
      );
      for (const task of overdue) {
        const detail = task.isRevoked
          ? 'The agent was revoked before it took this up.'
          : 'The agent did not take this up in time.';
        await retrying(() =>
          scoped(db, 'system', (tx) => settle(tx, task, { state: 'expired', detail }, ['queued', 'sent'])),
        ).catch((error) => log.error({ err: error, task: task.id }, 'a task could not be expired'));
      }
    },

    /** How many agents wait here. */
    waiting: () => waiting.size,

    close(): void {
      isClosed = true;
      for (const end of ends) end();
      for (const wait of waiting.values()) wait.wake();
    },
  };
}

type Wait = ReturnType<typeof createWait>;

/** Rests that can be ended from outside; woken while it does not rest, the next rest is none. */
function createWait() {
  let isWoken = false;
  let hasEnded = false;
  let ring = () => {};
  const wake = () => {
    isWoken = true;
    ring();
  };
  return {
    wake,
    end: () => {
      hasEnded = true;
      wake();
    },
    hasEnded: () => hasEnded,
    async rest(ms: number): Promise<void> {
      if (!isWoken)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          ring = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      isWoken = false;
    },
  };
}
