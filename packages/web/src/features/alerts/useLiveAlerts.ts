/**
 * Follows the stream of new and repeated alerts beside a list. Arrivals are gathered for a moment, so that a storm of thousands draws the
 * screen a few times a second and not once each. The list itself is never moved: new alerts are only counted until the reader asks for them.
 */
import { type AlertRow, alertsApi } from '@parapet/contract/alerts.ts';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { follow, type StreamState } from '../../lib/stream.ts';
import type { AlertFilters } from './alertList.ts';
import { type AlertScope, staleByNewAlerts } from './alerts.queries.ts';
import { isInList, maxNew, newIds, withRepeats } from './liveAlerts.ts';

const gatherMs = 400;
const none: ReadonlySet<number> = new Set();

interface Following {
  scope: AlertScope;
  filters: AlertFilters;
  /** The list's query, whose rows are updated in place. */
  listKey: QueryKey;
  rows: readonly AlertRow[] | undefined;
}

export function useLiveAlerts(following: Following) {
  const queries = useQueryClient();
  const [fresh, setFresh] = useState(none);
  const [waiting, setWaiting] = useState(none);
  const [state, setState] = useState<StreamState | 'ended'>('connecting');
  const { scope, filters, rows } = following;
  const now = useRef({ ...following, waiting });
  useEffect(() => {
    now.current = { ...following, waiting };
  });

  // Another list, another count.
  const listName = JSON.stringify([
    scope.client,
    scope.device,
    scope.start,
    { ...filters, page: 0, pageSize: 0, sort: 0, order: 0 },
  ]);
  const [counted, setCounted] = useState(listName);
  if (counted !== listName) {
    setCounted(listName);
    setWaiting(none);
    setFresh(none);
  }
  // What came onto the screen by itself is no news any more.
  if (rows && waiting.size > 0 && rows.some((row) => waiting.has(row.id))) {
    const shown = new Set(rows.map((row) => row.id));
    setWaiting(new Set([...waiting].filter((id) => !shown.has(id))));
  }

  useEffect(() => {
    const end = new AbortController();
    let gathered = new Map<number, AlertRow>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      timer = undefined;
      const arrived = gathered;
      gathered = new Map();
      const { scope, filters, listKey, rows, waiting } = now.current;
      queries.setQueryData<{ results: readonly AlertRow[] }>(listKey, (old) => {
        const results = old && withRepeats(old.results, arrived);
        return old && results && results !== old.results ? { ...old, results } : old;
      });
      if (!rows) return;
      const showsNewest = filters.sort === 'createdTime' && filters.order === 'desc' && filters.page === 1;
      const ids = newIds(
        [...arrived.values()].filter((alert) => isInList(alert, scope, filters)),
        {
          ids: new Set([...waiting, ...rows.map((row) => row.id)]),
          newest: showsNewest ? Math.max(0, ...rows.map((row) => row.id)) : Number.POSITIVE_INFINITY,
        },
      );
      if (ids.length > 0) setWaiting((before) => (before.size > maxNew ? before : new Set([...before, ...ids])));
    };
    follow(
      alertsApi.live,
      { params: { client: scope.client } },
      {
        signal: end.signal,
        onState: setState,
        onEvent: (alert) => {
          gathered.set(alert.id, alert);
          timer ??= setTimeout(settle, gatherMs);
        },
      },
    ).then(
      () => setState('ended'),
      () => setState('ended'),
    );
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [scope.client, queries]);

  /** Forgets the count; what was counted is marked when it comes onto the screen. */
  const show = useCallback(() => {
    setFresh(now.current.waiting);
    setWaiting(none);
    for (const id of staleByNewAlerts) void queries.invalidateQueries({ queryKey: [id] });
  }, [queries]);

  return { newCount: waiting.size, fresh, state, show };
}
