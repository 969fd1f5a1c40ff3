/** Fetches tasks by long poll, executes those that the portal signed, and reports their results. */
import { readFile } from 'node:fs/promises';
import { type AgentTask, agentPaths, maxCollectedBytes } from '@parapet/contract/agentProtocol.ts';
import { type Client, RequestRejectedError, retryDelayMs } from './client.ts';
import { createBackoff, hostClock, pause } from './clock.ts';
import { type Executor, type ResultReporter, readTasks, type UnknownTask } from './executor.ts';
import type { Ledger } from './ledger.ts';
import { newNonce, type Refusals, type TaskTrust } from './taskTrust.ts';
import { describeError } from './troubles.ts';

const longPollSeconds = 50;

export interface TaskDeps {
  client: Client;
  executor: Executor;
  reporter: ResultReporter;
  ledger: Ledger;
  trust: TaskTrust;
  refusals: Refusals;
  checkInNow: () => void;
  /** Called once the portal has the report of a task `leave`. */
  onLeave: () => void;
  trouble: (text: string) => void;
  signal: AbortSignal;
}

/** Runs until the signal aborts, or the agent leaves. */
export async function followTasks(deps: TaskDeps): Promise<void> {
  const { trouble, signal } = deps;
  const backoff = createBackoff(1_000, 60_000);
  while (!signal.aborted) {
    try {
      await nextTasks(deps, () => backoff.reset());
      if (deps.executor.hasLeft()) return deps.onLeave();
    } catch (error) {
      if (signal.aborted) return;
      trouble(describeError(error));
      await pause(retryDelayMs(error, backoff), signal);
    }
  }
}

/** One long poll and the execution of its tasks; throws when the portal is unreachable or a result could not be reported. */
async function nextTasks(deps: TaskDeps, onSuccess: () => void): Promise<void> {
  const { client, executor, reporter, ledger, trust, refusals, checkInNow, trouble, signal } = deps;
  // Failed reports are retried later and must not delay fetching tasks.
  const reportError = await executor.report().then(
    () => undefined,
    (error: Error) => error,
  );
  const wait = reportError ? 0 : longPollSeconds;
  const nonce = newNonce();
  const { tasks, unknown, taskKeys } = readTasks(
    await client.json({
      method: 'GET',
      path: `${agentPaths.tasks}?after=${ledger.last()}&wait=${wait}&nonce=${nonce}`,
      timeoutMs: (wait + 20) * 1000,
      signal,
    }),
  );
  const since = hostClock.uptime();
  await trust.learn(taskKeys);
  const trusted: AgentTask[] = [];
  for (const task of tasks) {
    const fault = trust.fault(task, nonce);
    if (fault === undefined) trusted.push(task);
    else unknown.push(refuse(task, fault, deps));
  }
  if (unknown.length === 0 && !reportError) onSuccess();
  await executor.take(trusted, () => hostClock.uptime() - since);
  if (trusted.length > 0) {
    await executor.report();
    checkInNow();
  }
  for (const each of unknown) trouble(each.detail);
  if (refusals.waiting().length > 0) checkInNow();
  for (const each of unknown) await reportUnknown(reporter, each);
  if (reportError) throw reportError;
}

function refuse({ id, sequence }: AgentTask, fault: string, { ledger, refusals }: TaskDeps): UnknownTask {
  const detail = `Refused: task ${sequence} is not the portal’s own: ${fault}. It was not done.`;
  refusals.add({ sequence, reason: detail });
  // A replayed copy must not overwrite the result of an executed task.
  return ledger.find(sequence) ? { id: undefined, sequence: undefined, detail } : { id, sequence, detail };
}

async function reportUnknown(reporter: ResultReporter, { id, sequence, detail }: UnknownTask): Promise<void> {
  // Without id and sequence the refusal cannot be reported, and the task would be dispatched again immediately.
  if (id === undefined || sequence === undefined) throw new Error(detail);
  await reporter.result(id, { sequence, state: 'failed', detail });
}

export const createReporter = (client: Client): ResultReporter => ({
  async result(id, result) {
    await client.call({ method: 'POST', path: agentPaths.result(id), body: result });
  },
  async upload(id, path) {
    const bytes = await readFile(path).catch(() => {
      throw new RequestRejectedError(410, 'its copy no longer exists on this host.');
    });
    if (bytes.length > maxCollectedBytes) throw new RequestRejectedError(413, 'its copy is too large.');
    await client.call({
      method: 'PUT',
      path: agentPaths.file(id),
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
      timeoutMs: 10 * 60_000,
    });
  },
});
