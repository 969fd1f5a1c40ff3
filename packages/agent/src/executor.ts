/**
 * Runs tasks sequentially, each at most once: the ledger is written before a task starts, outdated sequence numbers are
 * refused, interrupted tasks are inspected and never repeated. Each outcome is reported until the portal confirms it.
 */
import { type AgentTask, agentTask, agentTasks, type TaskKey, type TaskResult } from '@parapet/contract/agentProtocol.ts';
import { RequestRejectedError } from './client.ts';
import type { Entry, Ledger, Outcome } from './ledger.ts';

export interface Host {
  /** Executes the task; throws an error with a user-facing message on failure. */
  act(task: AgentTask): Promise<Pick<Outcome, 'detail' | 'file' | 'upload'>>;
  /** Checks whether the effect of the task holds. */
  look(task: AgentTask): Promise<{ holds: boolean; detail: string }>;
  /** Deletes a copy after its upload. */
  forget(upload: string): Promise<void>;
}

export interface ResultReporter {
  result(taskId: number, result: TaskResult): Promise<void>;
  upload(taskId: number, path: string): Promise<void>;
}

export interface Executor {
  /** Executes tasks; `ageSeconds` returns the time since they were fetched. */
  take(tasks: readonly AgentTask[], ageSeconds?: () => number): Promise<void>;
  /** Inspects tasks that were interrupted by a restart. */
  recover(): Promise<void>;
  /** Reports all unconfirmed outcomes; throws when the portal is unreachable. */
  report(): Promise<void>;
  /** True after the portal confirmed the report of a task `leave`. */
  hasLeft(): boolean;
}

export interface UnknownTask {
  id: number | undefined;
  sequence: number | undefined;
  detail: string;
}

/** Parses the task list; a task unknown to this version does not affect the others. */
export function readTasks(answer: unknown): { tasks: AgentTask[]; unknown: UnknownTask[]; taskKeys: TaskKey[] | undefined } {
  const given = (answer as { tasks?: unknown } | null)?.tasks;
  if (!Array.isArray(given)) throw new Error('The portal’s response is not a list of tasks.');
  const tasks: AgentTask[] = [];
  const unknown: UnknownTask[] = [];
  for (const each of given.slice(0, 100)) {
    const { data, error } = agentTask.safeParse(each);
    if (data) {
      tasks.push(data);
      continue;
    }
    const field = (name: 'id' | 'sequence') => agentTask.shape[name].safeParse((each as Partial<AgentTask> | null)?.[name]).data;
    const what = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    const detail = `Refused: this version of the agent does not support the task (${what.slice(0, 300)}). It was not done.`;
    unknown.push({ id: field('id'), sequence: field('sequence'), detail });
  }
  // Ignore keys in an unknown form; the pinned key stays.
  const { data } = agentTasks.shape.taskKeys.safeParse((answer as { taskKeys?: unknown }).taskKeys);
  return { tasks, unknown, taskKeys: data };
}

/** Truncates to 2,000 characters; strips NUL and repairs lone surrogates, which PostgreSQL rejects. */
const sanitise = (detail: string) => detail.slice(0, 2000).replaceAll('\0', '').toWellFormed();

export function createExecutor({
  ledger,
  host,
  reporter,
  trouble,
}: {
  ledger: Ledger;
  host: Host;
  reporter: ResultReporter;
  trouble: (text: string) => void;
}): Executor {
  let hasLeft = false;
  /** Entries whose last report failed. */
  const failed = new Set<Entry>();

  const fail = (entry: Entry, detail: string) => ledger.end(entry, { state: 'failed', detail: sanitise(detail) });

  async function take(task: AgentTask, ageSeconds: number): Promise<void> {
    // Dispatched again: report its outcomes again.
    if (ledger.find(task.sequence)) return reportAgain(task);
    const isOutdated = task.sequence <= ledger.last();
    const entry = await ledger.begin(task);
    if (isOutdated) return fail(entry, `Refused: task ${ledger.last()} came before task ${task.sequence}. It was not done.`);
    if (ageSeconds >= task.expiresInSeconds) return fail(entry, 'Refused: it had expired when its turn came. It was not done.');
    try {
      const done = await host.act(task);
      await ledger.end(entry, { state: 'acknowledged', ...done, detail: sanitise(done.detail) });
      if (!done.upload) await verify(entry);
    } catch (error) {
      await fail(entry, (error as Error).message);
    }
  }

  /** The portal dispatches a task again until it receives an outcome; an earlier report may have been lost. */
  function reportAgain(task: AgentTask): void {
    const entry = ledger.find(task.sequence) as Entry;
    if (entry.id === task.id) entry.told = 0;
  }

  async function verify(entry: Entry): Promise<void> {
    const { holds, detail } = await host.look(entry.task);
    await ledger.end(entry, { state: holds ? 'verified' : 'failed', detail: sanitise(detail) });
  }

  async function recover(entry: Entry): Promise<void> {
    const acknowledged = entry.outcomes.at(-1);
    if (acknowledged?.upload) {
      if (entry.told >= entry.outcomes.length) await completeUpload(entry, acknowledged);
      return;
    }
    if (entry.task.action === 'collectFile')
      return fail(entry, 'The agent was interrupted. The file was not collected; ask again.');
    const { holds, detail } = await host.look(entry.task);
    if (!holds) return fail(entry, `The agent was interrupted and does not repeat it. It looked: ${detail}`);
    if (!acknowledged) await ledger.end(entry, { state: 'acknowledged', detail: 'The agent was interrupted; it looked.' });
    await ledger.end(entry, { state: 'verified', detail });
  }

  async function completeUpload(entry: Entry, { file, upload }: Outcome): Promise<void> {
    await ledger.end(entry, { state: 'verified', detail: `Handed over: ${file?.size} bytes, SHA-256 ${file?.sha256}.` });
    await host.forget(upload as string);
  }

  async function report(entry: Entry): Promise<void> {
    while (entry.told < entry.outcomes.length) {
      const outcome = entry.outcomes[entry.told] as Outcome;
      const { state, detail, file } = outcome;
      try {
        await reporter.result(entry.id, { sequence: entry.sequence, state, detail, ...(file && { file }) });
      } catch (error) {
        if (!(error instanceof RequestRejectedError)) throw error;
        // The portal has closed this task and expects no outcome.
        trouble(`Task ${entry.sequence}: ${error.message}`);
      }
      if (outcome.upload && entry.outcomes.length === entry.told + 1) {
        try {
          await reporter.upload(entry.id, outcome.upload);
        } catch (error) {
          if (!(error instanceof RequestRejectedError)) throw error;
          await ledger.told(entry);
          await fail(entry, `The file was not taken: ${error.message}`);
          await host.forget(outcome.upload);
          continue;
        }
        await ledger.told(entry);
        await completeUpload(entry, outcome);
      } else await ledger.told(entry);
    }
  }

  return {
    hasLeft: () => hasLeft,
    async take(tasks, ageSeconds = () => 0) {
      for (const task of [...tasks].sort((a, b) => a.sequence - b.sequence)) await take(task, ageSeconds());
    },
    async recover() {
      for (const entry of ledger.interrupted()) await recover(entry);
    },
    async report() {
      // Failed entries last: a result that the portal rejects must not block the others.
      for (const entry of ledger.untold().sort((a, b) => Number(failed.has(a)) - Number(failed.has(b)))) {
        failed.add(entry);
        await report(entry);
        failed.delete(entry);
        hasLeft ||= entry.task.action === 'leave' && entry.outcomes.at(-1)?.state === 'verified';
      }
    },
  };
}
