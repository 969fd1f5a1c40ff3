/** Marks alerts as seen or unseen: one directly, many as a bulk job on the server with progress and undo (spec §4, §8). */
import { type AlertRow, alertsApi } from '@parapet/contract/alerts.ts';
import { bulkApi } from '@parapet/contract/bulk.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { toast } from '../../lib/toast.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { useBulk } from '../../lib/useBulk.ts';
import { staleByNewAlerts } from './alerts.queries.ts';

export type Mark = 'seen' | 'unseen';
const successTexts: Record<Mark | 'suppress', string> = {
  seen: 'Alert(s) Marked as Seen',
  unseen: 'Alert(s) Marked as Unseen',
  suppress: 'Similar alerts are now suppressed',
};
const markFailed = 'Couldn’t mark the alerts.';
const stale = [...staleByNewAlerts, alertsApi.detail, casesApi.list, casesApi.detail, casesApi.alerts];

export function useMarkAlert(id: number) {
  const options = { invalidates: stale, failure: markFailed, topic: 'case' } as const;
  const marks = {
    seen: useApiMutation(casesApi.markSeen, { ...options, success: successTexts.seen }),
    unseen: useApiMutation(casesApi.markUnseen, { ...options, success: successTexts.unseen }),
  };
  return {
    isPending: marks.seen.isPending || marks.unseen.isPending,
    run: (mark: Mark) => marks[mark].mutate({ body: { alertIDs: [id] } }),
  };
}

/** Keys of the alert list: `e` marks the row as seen and moves on, `z` marks the last one as unseen again. */
export function useTriageKeys(mayMark: boolean) {
  const options = { invalidates: stale, failure: markFailed, topic: 'case' } as const;
  const seen = useApiMutation(casesApi.markSeen, { ...options, success: successTexts.seen });
  const unseen = useApiMutation(casesApi.markUnseen, { ...options, success: successTexts.unseen });
  const marked = useRef<number[]>([]);
  const mark = (row: Pick<AlertRow, 'id' | 'status'> | undefined, next: () => void) => {
    if (!mayMark) return toast.info('Your role can’t mark alerts as seen or unseen.', 'case');
    if (!row) return;
    if (row.status === 'new') {
      const { id } = row;
      marked.current.push(id);
      // A refused one has nothing to undo; the hook reports it.
      seen.mutateAsync({ body: { alertIDs: [id] } }).catch(() => {
        marked.current = marked.current.filter((each) => each !== id);
      });
    }
    next();
  };
  const undo = () => {
    const id = marked.current.pop();
    if (id === undefined) toast.info('Nothing to undo', 'case');
    else unseen.mutate({ body: { alertIDs: [id] } });
  };
  return { e: mark, z: undo };
}

export function useMarkAlerts(which: () => InputOf<typeof bulkApi.alerts>['body']['which'], onStarted: () => void) {
  const queries = useQueryClient();
  const start = useApiMutation(bulkApi.alerts, { failure: false });
  const latest = useRef<Mark | 'suppress'>('seen');
  const bulk = useBulk({
    onChanged: () => {
      for (const { id } of stale) void queries.invalidateQueries({ queryKey: [id] });
    },
    onFailed: ({ message }) =>
      toast.error(`${latest.current === 'suppress' ? 'Couldn’t suppress the alerts.' : markFailed} ${message}`, 'case'),
    onDone: (job) =>
      latest.current === 'suppress' && job.changed === 0
        ? toast.info(job.faults[0] ?? 'Already suppressed', 'case')
        : toast.success(successTexts[latest.current], 'case'),
    onUndone: () =>
      toast.info(latest.current === 'suppress' ? 'The suppressions were ended' : 'The alerts were restored', 'case'),
  });
  const run = (text: string, change: InputOf<typeof bulkApi.alerts>['body']['change']) => {
    const body = { which: which(), change };
    latest.current = change.do;
    void bulk.run(text, () => start.mutateAsync({ body }));
    onStarted();
  };
  return {
    ...bulk,
    mark: (mark: Mark) => run(`Marking alerts as ${mark}`, { do: mark }),
    suppress: (suppression: { reason: string; endTime: string }) =>
      run('Suppressing similar alerts', { do: 'suppress', ...suppression }),
  };
}
