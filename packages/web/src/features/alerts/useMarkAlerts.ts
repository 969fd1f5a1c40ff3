/** Marks alerts as seen or unseen: one at once, many as work of the server with progress that can be taken back (spec §4, §8). */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { bulkApi } from '@parapet/contract/bulk.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { call } from '../../lib/call.ts';
import { toast } from '../../lib/toast.ts';
import { useBulk } from '../../lib/useBulk.ts';
import { staleByNewAlerts } from './alerts.queries.ts';

export type Mark = 'seen' | 'unseen';
const saidOf: Record<Mark | 'suppress', string> = {
  seen: 'Alert(s) Marked as Seen',
  unseen: 'Alert(s) Marked as Unseen',
  suppress: 'What is like the alerts is suppressed from now on',
};
const failed = (error: Error) => toast.error(`The alert(s) could not be marked. ${error.message}`, 'case');

function useStale() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      [...staleByNewAlerts, alertsApi.detail.id, casesApi.list.id, casesApi.detail.id, casesApi.alerts.id].map((id) =>
        queries.invalidateQueries({ queryKey: [id] }),
      ),
    );
}

export function useMarkAlert(id: number) {
  const stale = useStale();
  return useMutation({
    mutationFn: (mark: Mark) => call(mark === 'seen' ? casesApi.markSeen : casesApi.markUnseen, { body: { alertIDs: [id] } }),
    onSuccess: (_, mark) => {
      toast.success(saidOf[mark], 'case');
      return stale();
    },
    onError: failed,
  });
}

export function useMarkAlerts(which: () => InputOf<typeof bulkApi.alerts>['body']['which'], onBegun: () => void) {
  const stale = useStale();
  const latest = useRef<Mark | 'suppress'>('seen');
  const bulk = useBulk({
    onChanged: () => void stale(),
    onFailed: (error) =>
      latest.current === 'suppress' ? toast.error(`Nothing was suppressed. ${error.message}`, 'case') : failed(error),
    onDone: (job) =>
      latest.current === 'suppress' && job.changed === 0
        ? toast.info(job.faults[0] ?? 'All of it is suppressed already', 'case')
        : toast.success(saidOf[latest.current], 'case'),
    onUndone: () =>
      toast.info(latest.current === 'suppress' ? 'The suppressions are ended' : 'The alerts are as they were before', 'case'),
  });
  const begin = (text: string, change: InputOf<typeof bulkApi.alerts>['body']['change']) => {
    const body = { which: which(), change };
    latest.current = change.do;
    void bulk.run(text, () => call(bulkApi.alerts, { body }));
    onBegun();
  };
  return {
    ...bulk,
    mark: (mark: Mark) => begin(`Marking alerts as ${mark}`, { do: mark }),
    suppress: (because: { reason: string; endTime: string }) =>
      begin('Suppressing what is like the alerts', { do: 'suppress', ...because }),
  };
}
