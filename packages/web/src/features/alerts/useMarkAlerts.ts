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
const saidOf: Record<Mark, string> = { seen: 'Alert(s) Marked as Seen', unseen: 'Alert(s) Marked as Unseen' };
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
  const latest = useRef<Mark>('seen');
  const bulk = useBulk({
    onChanged: () => void stale(),
    onFailed: failed,
    onDone: () => toast.success(saidOf[latest.current], 'case'),
    onUndone: () => toast.info('The alerts are as they were before', 'case'),
  });
  return {
    ...bulk,
    mark: (mark: Mark) => {
      const body = { which: which(), change: { do: mark } };
      latest.current = mark;
      void bulk.run(`Marking alerts as ${mark}`, () => call(bulkApi.alerts, { body }));
      onBegun();
    },
  };
}
