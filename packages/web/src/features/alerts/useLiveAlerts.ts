/** Follows new and repeated alerts beside a list: repeats update their row, new alerts are counted. */
import { type AlertRow, alertsApi } from '@parapet/contract/alerts.ts';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { ListScope } from '../../lib/useHeldList.ts';
import { useLiveList } from '../../lib/useLiveList.ts';
import type { AlertFilters } from './alertList.ts';
import { staleByNewAlerts } from './alerts.queries.ts';
import { isInList, newIds, withRepeats } from './liveAlerts.ts';

interface Options {
  scope: ListScope;
  filters: AlertFilters;
  /** Key of the list’s query; its rows are updated in place. */
  listKey: QueryKey;
  rows: readonly AlertRow[] | undefined;
}

export function useLiveAlerts({ scope, filters, listKey, rows }: Options) {
  const queries = useQueryClient();
  return useLiveList({
    endpoint: alertsApi.live,
    input: { params: { client: scope.client } },
    listName: JSON.stringify([scope.client, scope.device, scope.start, { ...filters, page: 0, pageSize: 0, sort: 0, order: 0 }]),
    rows,
    batchMs: 400,
    stale: staleByNewAlerts.map(({ id }) => id),
    apply(events, ids) {
      const arrived = new Map(events.map((alert) => [alert.id, alert]));
      queries.setQueryData<{ results: readonly AlertRow[] }>(listKey, (old) => {
        const results = old && withRepeats(old.results, arrived);
        return old && results && results !== old.results ? { ...old, results } : old;
      });
      if (!rows) return [];
      const showsNewest = filters.sort === 'createdTime' && filters.order === 'desc' && filters.page === 1;
      const newest = showsNewest ? Math.max(0, ...rows.map((row) => row.id)) : Number.POSITIVE_INFINITY;
      return newIds(
        [...arrived.values()].filter((alert) => isInList(alert, scope, filters)),
        { ids, newest },
      );
    },
  });
}
