/**
 * Task delivery to agents and results from them. An agent long-polls; a bus message wakes it in whichever process it waits.
 * Dispatched tasks are delivered again until acknowledged; each result counts once, in the order of the states.
 */
import type { AgentTask, Holding, TaskResult } from '@parapet/contract/agentProtocol.ts';
import { problem } from '@parapet/contract/problem.ts';
import { createBatchLoader } from '../../core/batch-loader.ts';
import type { Blobs } from '../../core/blobs.ts';
import type { Bus } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, retrying, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { hashOfBytes, hashOfToken } from '../../core/secrets.ts';
import type { KnownAgent } from './agentProtocol.store.ts';
import {
  dispatchTasks,
  endTask,
  findFile,
  findTask,
  listOverdue,
  listWaiting,
  lockResponseOf,
  saveFile,
  type TaskRecord,
} from './agentTasks.store.ts';

export type { cancelTasks, NewTask, queueTask } from './agents.tasks.ts';

/** Outcome of a task. expired: the agent did not acknowledge it in time, or its key was revoked. */
export interface TaskOutcome {
  state: 'acknowledged' | 'verified' | 'failed' | 'expired';
  detail: string;
  file?: { path: string; sha256: string; size: number };
}
export type ObservedTask = TaskRecord;
/**
 * Called for every new state of a task of a response request, in the transaction that stores it, with the locks of its case
 * and request held. An expired task may still complete: an agent that was offline reports it on return.
 */
export type OnResult = (tx: Tx, task: ObservedTask, outcome: TaskOutcome) => Promise<void>;
export type OnHolding = (tx: Tx, agent: KnownAgent, holding: Holding) => Promise<void>;

/** Storage key of a collected file. */
export const collectedKey = ({ organisationId, id }: Pick<TaskRecord, 'organisationId' | 'id'>): string =>
  `collected/${organisationId}/${id}`;

/** A result may be in transit when the task expires. */
const expiryGraceMs = 2 * 60_000;
const expiredPerRun = 500;
/** Poll interval of waiting agents while the bus is unavailable. */
const withoutBusMs = 5_000;
/** Spreads the wake-ups after the bus reconnects. */
const spreadMs = 2_000;

export type AgentTasksService = ReturnType<typeof createAgentTasksService>;

export interface AgentTasksDeps {
  db: Database;
  bus: Bus;
  clock: Clock;
  blobs: Blobs;
  onResult: OnResult;
  log: Log;
}

async function settleTask(
  { clock, onResult }: AgentTasksDeps,
  tx: Tx,
  task: TaskRecord,
  outcome: TaskOutcome,
  from: readonly TaskRecord['state'][],
): Promise<void> {
  if (task.responseId !== null) await lockResponseOf(tx, task.responseId);
  const now = new Date(clock.now());
  if (!(await endTask(tx, task.id, from, outcome.state, outcome.detail, now))) return;
  const { file } = outcome;
  if (file && !(await saveFile(tx, task, { ...file, isStored: false }, now)))
    throw problem.invalid({ file: ['The uploaded bytes have another size or SHA-256.'] });
  if (task.responseId !== null) await onResult(tx, task, outcome);
}

/** Stores the agent’s result of its task. Duplicates and results older than the current state are ignored. */
const recordResult =
  (deps: AgentTasksDeps) =>
  async (agent: KnownAgent, id: number, { sequence, state, detail, file }: TaskResult): Promise<void> => {
    await retrying(() =>
      scoped(deps.db, 'system', async (tx) => {
        const task = await findTask(tx, agent.id, id);
        if (!task || task.sequence !== sequence) throw problem.notFound('task', id);
        if (file && task.action !== 'collectFile') throw problem.invalid({ file: ['Only the task collectFile returns a file.'] });
        if (file && task.maxBytes > 0 && file.size > task.maxBytes)
          throw problem.invalid({ file: [`The file must not exceed ${task.maxBytes} bytes.`] });
        // Completed after all: an agent that was offline reports on return.
        const from =
          state === 'failed'
            ? (['sent', 'acknowledged'] as const)
            : state === 'verified'
              ? (['sent', 'acknowledged', 'expired'] as const)
              : (['sent', 'expired'] as const);
        await settleTask(deps, tx, task, { state, detail, ...(file && { file }) }, from);
      }),
    );
  };

/** Stores a collected file as opaque bytes. Its hash must match the one reported by the agent, if any. */
const storeFile =
  ({ db, clock, blobs }: AgentTasksDeps) =>
  async (agent: KnownAgent, id: number, bytes: Buffer): Promise<void> => {
    const { task, reported } = await readScoped(db, 'system', async (tx) => ({
      task: await findTask(tx, agent.id, id),
      reported: await findFile(tx, id),
    }));
    if (task?.action !== 'collectFile') throw problem.notFound('task', id);
    if (task.maxBytes > 0 && bytes.length > task.maxBytes)
      throw problem.tooLarge(`This file must not exceed ${task.maxBytes} bytes.`);
    const sha256 = hashOfBytes(bytes);
    const others = () => problem.invalid({}, 'These bytes have another size or SHA-256 than reported.');
    if (reported && (reported.sha256 !== sha256 || reported.size !== bytes.length)) throw others();
    if (reported?.isStored) return;
    await blobs.put(collectedKey(task), bytes, 'application/octet-stream');
    const stored = { sha256, size: bytes.length, isStored: true };
    if (!(await scoped(db, 'system', (tx) => saveFile(tx, task, stored, new Date(clock.now()))))) throw others();
  };

/** Expires tasks that were not acknowledged in time. */
const expireTasks = (deps: AgentTasksDeps) => async (): Promise<void> => {
  const now = deps.clock.now();
  const overdue = await scoped(deps.db, 'system', (tx) =>
    listOverdue(tx, new Date(now), new Date(now - expiryGraceMs), expiredPerRun),
  );
  for (const task of overdue) {
    const detail = task.isRevoked
      ? 'The agent was revoked before it accepted the task.'
      : 'The agent did not accept the task in time.';
    await retrying(() =>
      scoped(deps.db, 'system', (tx) => settleTask(deps, tx, task, { state: 'expired', detail }, ['queued', 'sent'])),
    ).catch((error) => deps.log.error({ err: error, task: task.id }, 'a task could not be expired'));
  }
};

export function createAgentTasksService(deps: AgentTasksDeps) {
  const { db, bus, clock } = deps;

  /** At most one wait per agent in this process. */
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

  /** Undefined for an invalid key. */
  const read = createBatchLoader((afterByKey: ReadonlyMap<string, number>) =>
    readScoped(db, 'system', (tx) => listWaiting(tx, afterByKey, new Date(clock.now())), { isPrepared: true }),
  );

  return {
    /**
     * Returns the tasks above a number: immediately if there are any, otherwise when one arrives or the wait times out.
     * Undefined for an invalid key, also when revoked during the wait. A second wait of an agent ends its first; `whenGone`
     * receives the function that ends this wait when the client disconnects.
     */
    async next(
      key: string,
      agent: KnownAgent,
      after: number,
      waitMs: number,
      whenGone: (end: () => void) => void = () => {},
    ): Promise<AgentTask[] | undefined> {
      const hash = hashOfToken(key).toString('hex');
      const deadline = performance.now() + waitMs;
      const wait = createWait();
      whenGone(wait.end);
      waiting.get(agent.id)?.end();
      // Registered before the first query, so that a task queued in between wakes it.
      waiting.set(agent.id, wait);
      try {
        for (;;) {
          const found = await read(hash, after);
          if (!found) return undefined;
          const tasks =
            found.length === 0
              ? []
              : await scoped(db, 'system', (tx) => dispatchTasks(tx, agent.id, found, new Date(clock.now())));
          const left = deadline - performance.now();
          if (tasks.length > 0 || left <= 0 || wait.hasEnded() || isClosed) return tasks;
          await wait.rest(bus.isListening() ? left : Math.min(left, withoutBusMs));
        }
      } finally {
        if (waiting.get(agent.id) === wait) waiting.delete(agent.id);
      }
    },
    result: recordResult(deps),
    file: storeFile(deps),
    expire: expireTasks(deps),

    /** Number of agents waiting in this process. */
    waiting: () => waiting.size,

    close(): void {
      isClosed = true;
      for (const end of ends) end();
      for (const wait of waiting.values()) wait.wake();
    },
  };
}

type Wait = ReturnType<typeof createWait>;

/** Interruptible sleep; a wake-up while awake skips the next sleep. */
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
