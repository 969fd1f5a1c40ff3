/** Cached cases: optimistic patches, rows from the server, and invalidation after a change. */
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { QueryClient } from '@tanstack/react-query';
import type { LooseInput } from '../../lib/call.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { type CaseLike, likeOf } from './caseTexts.ts';

/** Editable fields of a case's row. */
export type CasePatch = Partial<Pick<CaseRow, 'status' | 'investigationStatus' | 'analyst' | 'analystUserAccountID'>>;
type List = { results: CaseRow[] };

/** Merges a row into a detail. Fields that only the detail has (SLA timers, timeline) stay until it is fetched again. */
export function withRow(detail: CaseDetail, row: CasePatch & Partial<CaseRow>): CaseDetail {
  const info = detail.caseGeneralInfo;
  const taken = (
    ['status', 'investigationStatus', 'analyst', 'version', 'newAlerts', 'alertCount', 'riskScore', 'closedTime'] as const
  )
    .filter((name) => row[name] !== undefined)
    .map((name) => [name, row[name]]);
  const { analystUserAccountID: id } = row;
  const assigned =
    id === undefined || id === (info.assignedToUserAccount?.id ?? null)
      ? {}
      : { assignedToUserAccount: id === null ? null : { id, displayName: row.analyst ?? '', emailAddress: '' } };
  return { ...detail, caseGeneralInfo: { ...info, ...Object.fromEntries(taken), ...assigned } };
}

export const withCase = <L extends List>(list: L, id: number, patch: CasePatch & Partial<CaseRow>): L =>
  list.results.some((row) => row.id === id)
    ? { ...list, results: list.results.map((row) => (row.id === id ? { ...row, ...patch } : row)) }
    : list;

/** Patches a case in all cached lists and on its page. */
export function patchCase(queries: QueryClient, id: number, patch: CasePatch & Partial<CaseRow>): void {
  queries.setQueriesData<List>({ queryKey: [casesApi.list.id] }, (list) => list && withCase(list, id, patch));
  queries.setQueriesData<CaseDetail>({ queryKey: [casesApi.detail.id] }, (detail) =>
    detail?.caseGeneralInfo.id === id ? withRow(detail, patch) : detail,
  );
}

/** Newest cached version of a case. */
export function knownCase(queries: QueryClient, id: number): (Required<CasePatch> & { version: number }) | undefined {
  const rows = queries
    .getQueriesData<List>({ queryKey: [casesApi.list.id] })
    .flatMap(([, list]) => list?.results.filter((row) => row.id === id) ?? []);
  const details = queries
    .getQueriesData<CaseDetail>({ queryKey: [casesApi.detail.id] })
    .flatMap(([, detail]) => (detail?.caseGeneralInfo.id === id ? [detail.caseGeneralInfo] : []))
    .map(({ assignedToUserAccount, ...info }) => ({ ...info, analystUserAccountID: assignedToUserAccount?.id ?? null }));
  return [...rows, ...details].sort((a, b) => b.version - a.version)[0];
}

/**
 * Current version of a case as it was seen: the portal's own work (alerts joined, verdicts, verified responses) raises the version too. undefined
 * when a person has changed it since, and when it can't be read.
 */
export async function versionAsSeen(queries: QueryClient, seen: CaseLike): Promise<number | undefined> {
  const { queryKey, queryFn } = queryOptionsOf(casesApi.detail, {
    params: { id: seen.id, clientOrgId: seen.clientOrganizationID },
  });
  const detail = await queries.fetchQuery({ queryKey, queryFn, staleTime: 0 }).catch(() => undefined);
  if (!detail) return undefined;
  const now = likeOf(detail);
  const isSame = (['status', 'investigationStatus', 'analystUserAccountID'] as const).every((name) => now[name] === seen[name]);
  return isSame ? detail.caseGeneralInfo.version : undefined;
}

const isCount = ([, input]: readonly unknown[]) =>
  ((input as LooseInput | undefined)?.body as { pageSize?: number } | undefined)?.pageSize === 1;

/** Refetches figures and facets after a change. Lists stay as they are, so that no row moves. */
export function recount(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: [casesApi.filters.id] });
  void queries.invalidateQueries({ queryKey: [casesApi.list.id], predicate: ({ queryKey }) => isCount(queryKey) });
}
export const refreshCase = (queries: QueryClient, id: number): Promise<void> =>
  queries.invalidateQueries({
    queryKey: [casesApi.detail.id],
    predicate: ({ queryKey }) => (queryKey[1] as LooseInput | undefined)?.params?.id === id,
  });
