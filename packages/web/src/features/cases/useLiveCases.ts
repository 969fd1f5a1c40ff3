/**
 * Follows new and changed cases beside a list. The stream carries ids only: changed rows on the screen are fetched again and replaced in
 * place, new cases are counted. A bulk change of many cases is one request.
 */
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import type { ListScope } from '../../lib/useHeldList.ts';
import { useLiveList } from '../../lib/useLiveList.ts';
import { recount } from './caseCache.ts';
import type { CaseFilters } from './caseList.ts';
import { listBody } from './cases.queries.ts';
import { newInList, renewedRows } from './liveCases.ts';

/** Maximum number of requests for rows that left the list by their change, one each. */
const maxSingle = 10;

interface Options {
  scope: ListScope;
  filters: CaseFilters;
  /** End of the range in which new cases count; the list’s own range ends earlier. */
  until: string;
  /** Key of the list’s query; its rows are updated in place. */
  listKey: QueryKey;
  rows: readonly CaseRow[] | undefined;
}

export function useLiveCases({ scope, filters, until, listKey, rows = [] }: Options) {
  const queries = useQueryClient();
  const load = async (body: InputOf<typeof casesApi.list>['body'], signal: AbortSignal) =>
    (await call(casesApi.list, { body }, { signal })).results;

  const renew = async (ids: ReadonlySet<number>, signal: AbortSignal) => {
    const shown = rows.filter(({ id }) => ids.has(id));
    if (shown.length === 0) return;
    const body = listBody(scope, filters);
    const results = await load(body, signal);
    const gone = shown.filter(({ id }) => results.every((row) => row.id !== id)).slice(0, maxSingle);
    const singles = await Promise.all(
      gone.map((row) => load({ ...body, filters: { text: String(row.id) }, page: 1, pageSize: 50 }, signal)),
    );
    const renewed = [...results, ...singles.flat()];
    queries.setQueryData<{ results: readonly CaseRow[] }>(listKey, (old) => {
      const next = old && renewedRows(old.results, renewed);
      return old && next && next !== old.results ? { ...old, results: next } : old;
    });
  };
  const newOf = async (ids: ReadonlySet<number>, known: ReadonlySet<number>, signal: AbortSignal) => {
    if (ids.size === 0) return [];
    const body = listBody({ ...scope, end: until }, filters);
    const results = await load({ ...body, sort: 'createdTime', order: 'desc', page: 1, pageSize: 100 }, signal);
    return newInList(ids, results, known);
  };

  return useLiveList({
    endpoint: casesApi.live,
    input: { params: { client: scope.client } },
    listName: JSON.stringify([scope, { ...filters, page: 0, pageSize: 0, sort: 0, order: 0 }]),
    rows,
    batchMs: 700,
    stale: [casesApi.list.id, casesApi.filters.id],
    async apply(events, known, signal) {
      const idsOf = (isNew: boolean) => new Set(events.filter((event) => event.isNew === isNew).map(({ caseID }) => caseID));
      const [, ids] = await Promise.all([renew(idsOf(false), signal), newOf(idsOf(true), known, signal)]);
      recount(queries);
      return ids;
    },
  });
}
