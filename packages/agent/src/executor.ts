/**
 * Tasks, one after the other, each at most once: the ledger is written before anything is done, a number that was passed is refused, what was
 * interrupted is looked at and never repeated. Every outcome is told until the portal has it.
 */
import { type AgentTask, agentTask, agentTasks, type TaskKey, type TaskResult } from '@parapet/contract/agentProtocol.ts';
import { RequestRejectedError } from './client.ts';
import type { Entry, Ledger, Outcome } from './ledger.ts';

export interface Host {
  /** Does it; throws with a text for people when it could not be done. */
  act(task: AgentTask): Promise<Pick<Outcome, 'detail' | 'file' | 'upload'>>;
  /** Looks whether it is so. */
  look(task: AgentTask): Promise<{ holds: boolean; detail: string }>;
  /** A copy that was handed over is not kept. */
  forget(upload: string): Promise<void>;
}

export interface ResultReporter {
  result(taskId: number, result: TaskResult): Promise<void>;
  upload(taskId: number, path: string): Promise<void>;
}

export interface Executor {
  /** Takes up what came; `ageSeconds` says how long it has waited since. */
  take(tasks: readonly AgentTask[], ageSeconds?: () => number): Promise<void>;
  /** After a start: what was begun is looked at. */
  recover(): Promise<void>;
  /** Tells all that the portal does not know yet; throws when it is away. */
  tell(): Promise<void>;
}

export interface UnknownTask {
  id: number | undefined;
  sequence: number | undefined;
  detail: string;
}

/** One of a form that this version does not know holds up no other. */
export function readTasks(answer: unknown): { tasks: AgentTask[]; unknown: UnknownTask[]; taskKeys: TaskKey[] | undefined } {
  const given = (answer as { tasks?: unknown } | null)?.tasks;
  if (!Array.isArray(given)) throw new Error('The portal’s answer is no list of tasks.');
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
    const detail = `Refused: this version of the agent does not understand the task (${what.slice(0, 300)}). It was not done.`;
    unknown.push({ id: field('id'), sequence: field('sequence'), detail });
  }
  // Keys of a form that this version does not know are none: it stays with the pinned one.
  const { data } = agentTasks.shape.taskKeys.safeParse((answer as { taskKeys?: unknown }).taskKeys);
  return { tasks, unknown, taskKeys: data };
}

/** Neither half a character nor a zero: no database keeps them, and the portal could never be told. */
const kept = (detail: string) => detail.slice(0, 2000).replaceAll('\0', '').toWellFormed();

export function createExecutor({
  ledger,
  host,
  teller,
  trouble,
}: {
  ledger: Ledger;
  host: Host;
  teller: ResultReporter;
  trouble: (text: string) => void;
}): Executor {
  /** Could not be told when that was tried last. */
  const failed = new Set<Entry>();

  const fail = (entry: Entry, detail: string) => ledger.end(entry, { state: 'failed', detail: kept(detail) });

  async function take(task: AgentTask, ageSeconds: number): Promise<void> {
    // Given again; its outcomes are told, or were.
    if (ledger.find(task.sequence)) return again(task);
    const isPassed = task.sequence <= ledger.last();
    const entry = await ledger.begin(task);
    if (isPassed) return fail(entry, `Refused: task ${ledger.last()} came before task ${task.sequence}. It was not done.`);
    if (ageSeconds >= task.expiresInSeconds) return fail(entry, 'Refused: it had expired when its turn came. It was not done.');
    try {
      const done = await host.act(task);
      await ledger.end(entry, { state: 'acknowledged', ...done, detail: kept(done.detail) });
      if (!done.upload) await verify(entry);
    } catch (error) {
      await fail(entry, (error as Error).message);
    }
  }

  /** The portal gives a task again until it knows more: it may have missed what it was told. */
  function again(task: AgentTask): void {
    const entry = ledger.find(task.sequence) as Entry;
    if (entry.id === task.id) entry.told = 0;
  }

  async function verify(entry: Entry): Promise<void> {
    const { holds, detail } = await host.look(entry.task);
    await ledger.end(entry, { state: holds ? 'verified' : 'failed', detail: kept(detail) });
  }

  async function recover(entry: Entry): Promise<void> {
    const acknowledged = entry.outcomes.at(-1);
    if (acknowledged?.upload) {
      if (entry.told >= entry.outcomes.length) await handedOver(entry, acknowledged);
      return;
    }
    if (entry.task.action === 'collectFile')
      return fail(entry, 'The agent was interrupted. The file was not collected; ask again.');
    const { holds, detail } = await host.look(entry.task);
    if (!holds) return fail(entry, `The agent was interrupted and does not repeat it. It looked: ${detail}`);
    if (!acknowledged) await ledger.end(entry, { state: 'acknowledged', detail: 'The agent was interrupted; it looked.' });
    await ledger.end(entry, { state: 'verified', detail });
  }

  async function handedOver(entry: Entry, { file, upload }: Outcome): Promise<void> {
    await ledger.end(entry, { state: 'verified', detail: `Handed over: ${file?.size} bytes, SHA-256 ${file?.sha256}.` });
    await host.forget(upload as string);
  }

  async function tell(entry: Entry): Promise<void> {
    while (entry.told < entry.outcomes.length) {
      const outcome = entry.outcomes[entry.told] as Outcome;
      const { state, detail, file } = outcome;
      try {
        await teller.result(entry.id, { sequence: entry.sequence, state, detail, ...(file && { file }) });
      } catch (error) {
        if (!(error instanceof RequestRejectedError)) throw error;
        // The portal has closed this task: nobody waits for it any more.
        trouble(`Task ${entry.sequence}: ${error.message}`);
      }
      if (outcome.upload && entry.outcomes.length === entry.told + 1) {
        try {
          await teller.upload(entry.id, outcome.upload);
        } catch (error) {
          if (!(error instanceof RequestRejectedError)) throw error;
          await ledger.told(entry);
          await fail(entry, `The file was not taken: ${error.message}`);
          await host.forget(outcome.upload);
          continue;
        }
        await ledger.told(entry);
        await handedOver(entry, outcome);
      } else await ledger.told(entry);
    }
  }

  return {
    async take(tasks, ageSeconds = () => 0) {
      for (const task of [...tasks].sort((a, b) => a.sequence - b.sequence)) await take(task, ageSeconds());
    },
    async recover() {
      for (const entry of ledger.interrupted()) await recover(entry);
    },
    async tell() {
      // These come last: what the portal cannot take holds up no other.
      for (const entry of ledger.untold().sort((a, b) => Number(failed.has(a)) - Number(failed.has(b)))) {
        failed.add(entry);
        await tell(entry);
        failed.delete(entry);
      }
    },
  };
}
