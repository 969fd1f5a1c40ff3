/**
 * Task ledger: tasks begun, their outcomes, and the outcomes the portal has confirmed. Written and synced before a task starts,
 * so that each task runs at most once despite crashes. Outdated sequence numbers are never executed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { AgentTask, TaskResult } from '@parapet/contract/agentProtocol.ts';
import { writeDurably } from './files.ts';

export interface Outcome {
  state: TaskResult['state'];
  detail: string;
  file?: TaskResult['file'];
  /** Copy to be uploaded before the outcome is confirmed. */
  upload?: string;
}

export interface Entry {
  id: number;
  sequence: number;
  task: AgentTask;
  outcomes: Outcome[];
  /** Number of outcomes confirmed by the portal. */
  told: number;
}

/** Storage of the ledger lines: a file, or memory for tests with thousands of tasks. */
export interface LedgerStore {
  read(): string;
  /** Resolves after the sync if `isSynced`. */
  append(line: string, isSynced: boolean): Promise<void>;
  replace(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface Ledger {
  last(): number;
  find(sequence: number): Entry | undefined;
  /** Entries without a final outcome. */
  interrupted(): Entry[];
  untold(): Entry[];
  begin(task: AgentTask): Promise<Entry>;
  end(entry: Entry, outcome: Outcome): Promise<void>;
  told(entry: Entry): Promise<void>;
  close(): Promise<void>;
}

type Line = { begin: AgentTask } | { sequence: number; outcome: Outcome } | { sequence: number; told: number } | { last: number };

/** Number of settled entries retained to detect duplicates in flight. */
const maxSettled = 1_000;

export async function openLedger(store: LedgerStore): Promise<Ledger> {
  const entries = new Map<number, Entry>();
  let last = 0;
  let lines = 0;

  const apply = (line: Line) => {
    lines++;
    if ('begin' in line) {
      const { id, sequence } = line.begin;
      entries.set(sequence, { id, sequence, task: line.begin, outcomes: [], told: 0 });
      last = Math.max(last, sequence);
    } else if ('last' in line) last = Math.max(last, line.last);
    else if ('outcome' in line) entries.get(line.sequence)?.outcomes.push(line.outcome);
    else {
      const entry = entries.get(line.sequence);
      if (entry) entry.told = line.told;
    }
  };
  const before = store.read();
  // Terminate a torn last line, so that the next one is not appended to it.
  if (before !== '' && !before.endsWith('\n')) await store.append('\n', false);
  for (const text of before.split('\n')) {
    try {
      if (text) apply(JSON.parse(text) as Line);
    } catch {
      // Torn by a crash before it was synced: the task never started.
    }
  }
  const isSettled = ({ outcomes, told }: Entry) => outcomes.length > 0 && told >= outcomes.length;
  const write = async (line: Line, isSynced: boolean) => {
    await store.append(`${JSON.stringify(line)}\n`, isSynced);
    apply(line);
    if (lines > 4 * maxSettled + 4 * entries.size) await compact();
  };
  async function compact(): Promise<void> {
    const settled = [...entries.values()].filter(isSettled).sort((a, b) => a.sequence - b.sequence);
    for (const { sequence } of settled.slice(0, Math.max(0, settled.length - maxSettled))) entries.delete(sequence);
    const left: Line[] = [{ last }];
    for (const { task, outcomes, told, sequence } of entries.values()) {
      left.push({ begin: task }, ...outcomes.map((outcome) => ({ sequence, outcome })), { sequence, told });
    }
    await store.replace(left.map((line) => `${JSON.stringify(line)}\n`).join(''));
    lines = left.length;
  }

  return {
    last: () => last,
    find: (sequence) => entries.get(sequence),
    interrupted: () => [...entries.values()].filter(({ outcomes }) => !isFinal(outcomes.at(-1))),
    untold: () => [...entries.values()].filter(({ outcomes, told }) => told < outcomes.length),
    async begin(task) {
      await write({ begin: task }, true);
      return entries.get(task.sequence) as Entry;
    },
    end: ({ sequence }, outcome) => write({ sequence, outcome }, true),
    // Not synced: confirming twice is harmless.
    told: ({ sequence, told }) => write({ sequence, told: told + 1 }, false),
    close: () => store.close(),
  };
}

const isFinal = (outcome: Outcome | undefined) => outcome?.state === 'verified' || outcome?.state === 'failed';

export function ledgerFile(path: string): LedgerStore {
  let file: FileHandle | undefined;
  const opened = async () => (file ??= await open(path, 'a', 0o600));
  return {
    // Empty only if missing. An unreadable ledger must fail: its tasks must not run again.
    read: () => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
    async append(line, isSynced) {
      const handle = await opened();
      await handle.appendFile(line);
      if (isSynced) await handle.datasync();
    },
    async replace(text) {
      await file?.close();
      file = undefined;
      await writeDurably(path, text);
    },
    async close() {
      await file?.close();
      file = undefined;
    },
  };
}
