/**
 * A bulk job of the server (contract `bulk.ts`): started, followed to its end, and undone while that is possible. It continues when the
 * page is left, without its progress.
 */
import { type BulkJob, bulkApi } from '@parapet/contract/bulk.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call, isAbort } from './call.ts';

const askEveryMs = 400;
/** Maximum number of failed polls in a row. */
const maxFailures = 5;

export const isOver = ({ state }: BulkJob): boolean => state === 'done' || state === 'failed' || state === 'undone';

interface Deps {
  get: (id: number, signal: AbortSignal) => Promise<BulkJob>;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Follows a job to its end and reports every step. */
export async function followJob(
  first: BulkJob,
  onProgress: (job: BulkJob) => void,
  signal: AbortSignal,
  deps: Deps,
): Promise<BulkJob> {
  let job = first;
  let failures = 0;
  onProgress(job);
  while (!isOver(job)) {
    await deps.wait(askEveryMs, signal);
    try {
      job = await deps.get(job.id, signal);
      failures = 0;
      onProgress(job);
    } catch (error) {
      if (isAbort(error) || signal.aborted || ++failures >= maxFailures) throw error;
    }
  }
  return job;
}

const deps: Deps = {
  get: (id, signal) => call(bulkApi.get, { params: { id } }, { signal }),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new DOMException('Left', 'AbortError'));
      });
    }),
};

export interface Bulk {
  /** The job’s name for users: "Marking alerts as seen". */
  text: string;
  job: BulkJob | undefined;
}

interface Ends {
  /** Called after rows changed, by the job or its undo. */
  onChanged: () => void;
  onFailed: (error: Error) => void;
  onDone: (job: BulkJob) => void;
  onUndone: (job: BulkJob) => void;
}

/** Runs one job of a page at a time. */
export function useBulk({ onChanged, onFailed, onDone, onUndone }: Ends) {
  const [bulk, setBulk] = useState<Bulk>();
  const running = useRef<AbortController>(undefined);
  const ends = useRef({ onChanged, onFailed, onDone, onUndone });
  useEffect(() => {
    ends.current = { onChanged, onFailed, onDone, onUndone };
  });
  useEffect(() => () => running.current?.abort(), []);

  const follow = useCallback(async (text: string, begin: () => Promise<BulkJob>) => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setBulk({ text, job: undefined });
    try {
      const job = await followJob(await begin(), (job) => !own.signal.aborted && setBulk({ text, job }), own.signal, deps);
      ends.current.onChanged();
      if (job.state === 'undone') ends.current.onUndone(job);
      else if (job.state === 'done') ends.current.onDone(job);
      else ends.current.onFailed(new Error(job.faults[0] ?? 'Couldn’t finish the job.'));
      if (job.state !== 'done') setBulk(undefined);
    } catch (error) {
      if (own.signal.aborted) return;
      setBulk(undefined);
      ends.current.onChanged();
      ends.current.onFailed(error instanceof Error ? error : new Error(String(error)));
    }
  }, []);

  return {
    bulk,
    isRunning: bulk !== undefined && (bulk.job === undefined || !isOver(bulk.job)),
    run: follow,
    undo: () => {
      const id = bulk?.job?.id;
      if (id !== undefined) void follow('Undoing', () => call(bulkApi.undo, { params: { id } }));
    },
    dismiss: useCallback(() => setBulk(undefined), []),
  };
}
