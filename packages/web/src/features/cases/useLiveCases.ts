/**
 * Follows the stream of new and changed cases beside a list. The stream says only which: rows on the screen are asked for again and renewed
 * in place, new ones are counted until the reader asks for them. Gathered for a moment, so that a bulk change is one question.
 */
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../lib/call.ts';
import { follow, type StreamState } from '../../lib/stream.ts';
import { recount } from './caseCache.ts';
import type { CaseFilters } from './caseList.ts';
import { type CaseScope, listBody } from './cases.queries.ts';
import { newInList, renewedRows } from './liveCases.ts';

const gatherMs = 700;
/** Beyond this the bar only says "999+"; ids are not kept without end. */
const maxNew = 999;
/** Rows that left the list by their change are asked for one by one, at most so many. */
const maxSingle = 10;
const none: ReadonlySet<number> = new Set();

interface Following {
  scope: CaseScope;
  filters: CaseFilters;
  /** Until when new cases count; the list itself ends earlier. */
  until: string;
  listKey: QueryKey;
  rows: readonly CaseRow[] | undefined;
}

export function useLiveCases(following: Following) {
  const queries = useQueryClient();
  const [waiting, setWaiting] = useState(none);
  const [fresh, setFresh] = useState(none);
  const [state, setState] = useState<StreamState | 'ended'>('connecting');
  const { scope, filters } = following;
  const now = useRef({ ...following, waiting });
  useEffect(() => {
    now.current = { ...following, waiting };
  });

  // Another list, another count.
  const listName = JSON.stringify([scope, { ...filters, page: 0, pageSize: 0, sort: 0, order: 0 }]);
  const [counted, setCounted] = useState(listName);
  if (counted !== listName) {
    setCounted(listName);
    setWaiting(none);
    setFresh(none);
  }

  useEffect(() => {
    const end = new AbortController();
    let changed = new Set<number>();
    let opened = new Set<number>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { signal } = end;

    const renew = async (ids: ReadonlySet<number>) => {
      const { scope, filters, listKey, rows = [] } = now.current;
      const shown = rows.filter(({ id }) => ids.has(id));
      if (shown.length === 0) return;
      const body = listBody(scope, filters);
      const { results } = await call(casesApi.list, { body }, { signal });
      const gone = shown.filter(({ id }) => results.every((row) => row.id !== id)).slice(0, maxSingle);
      const singles = await Promise.all(
        gone.map((row) =>
          call(casesApi.list, { body: { ...body, filters: { text: String(row.id) }, page: 1, pageSize: 50 } }, { signal }),
        ),
      );
      const renewed = [...results, ...singles.flatMap((answer) => answer.results)];
      queries.setQueryData<{ results: readonly CaseRow[] }>(listKey, (old) => {
        const next = old && renewedRows(old.results, renewed);
        return old && next && next !== old.results ? { ...old, results: next } : old;
      });
    };
    const count = async (ids: ReadonlySet<number>) => {
      const { scope, filters, until, rows = [], waiting } = now.current;
      const body = {
        ...listBody({ ...scope, end: until }, filters),
        sort: 'createdTime',
        order: 'desc',
        page: 1,
        pageSize: 100,
      } as const;
      const { results } = await call(casesApi.list, { body }, { signal });
      const isNew = newInList(ids, results, new Set([...waiting, ...rows.map(({ id }) => id)]));
      if (isNew.length > 0) setWaiting((before) => (before.size > maxNew ? before : new Set([...before, ...isNew])));
    };
    const settle = async () => {
      const [was, came] = [changed, opened];
      changed = new Set();
      opened = new Set();
      try {
        await Promise.all([renew(was), came.size > 0 ? count(came) : undefined]);
        recount(queries);
      } catch (error) {
        // The next change, or the reader, asks again.
        if (!signal.aborted) console.warn('Changed cases could not be read.', error);
      }
      timer = undefined;
      if (!signal.aborted && changed.size + opened.size > 0) timer = setTimeout(() => void settle(), gatherMs);
    };
    follow(
      casesApi.live,
      { params: { client: scope.client } },
      {
        signal,
        onState: setState,
        onEvent: ({ caseID, isNew }) => {
          (isNew ? opened : changed).add(caseID);
          timer ??= setTimeout(() => void settle(), gatherMs);
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
    void queries.invalidateQueries({ queryKey: [casesApi.list.id] });
    void queries.invalidateQueries({ queryKey: [casesApi.filters.id] });
  }, [queries]);

  return { newCount: waiting.size, fresh, state, show };
}
