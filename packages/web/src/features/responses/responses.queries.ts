/** Queries and writes of response requests, approval rules and protected assets. Writes also invalidate cases and devices. */
import { type Response, responseActions, responseStates } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { devicesApi } from '@parapet/contract/devices.ts';
import { type ResponseRow, responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { responsesApi } from '@parapet/contract/responses.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { useQueryClient } from '@tanstack/react-query';
import { visibleText } from '../../kit/visible.ts';
import { answerRows, id, type ListQuery, listSchema, search, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { isPending, responseTexts } from './responseTexts.ts';

/** Poll intervals while an agent executes, and while a person approves or acts. */
const agentPollMs = 5_000;
const personPollMs = 20_000;
export const pollIntervalMs = (rows: readonly ResponseRow[] | undefined): number | false => {
  const moving = rows?.filter(({ state, via }) => isPending(state) || (state === 'acknowledged' && via === 'agent')) ?? [];
  if (moving.length === 0) return false;
  return moving.some(({ state, via }) => via === 'agent' && state !== 'requested') ? agentPollMs : personPollMs;
};

export const responseList = listSchema({
  state: words(responseStates),
  action: words(responseActions),
  case: id(),
  text: search(),
  query: answerRows(),
});
export const responseListQuery = (client: number, { start, end }: Range, list: ListQuery<typeof responseList>) => {
  const { case: caseID, ...query } = list;
  return queryOptionsOf(responseRequestsApi.list, {
    params: { client, start, end },
    query: { ...query, ...(caseID === undefined ? {} : { caseID }) },
  });
};

/** All responses of a case, regardless of the timeframe. */
export const responsesOfCaseQuery = (client: number, caseID: number) =>
  queryOptionsOf(responseRequestsApi.list, {
    params: {
      client,
      start: new Date(0).toISOString(),
      // Whole hours keep the query key stable.
      end: new Date((Math.floor(Date.now() / hourMs) + 2) * hourMs).toISOString(),
    },
    query: { state: [], action: [], caseID, pageSize: 200 },
  });

export const responseQuery = (id: number) => queryOptionsOf(responseRequestsApi.get, { params: { id } });
export const rulesQuery = (client: number) => queryOptionsOf(responseRequestsApi.listRules, { params: { client } });
export const policyQuery = () => queryOptionsOf(responseRequestsApi.getPolicy, {});
export const protectedQuery = (client: number) => queryOptionsOf(responseRequestsApi.listProtected, { params: { client } });

/** Endpoints whose cached data a change of a response makes stale. */
export const staleAfterResponse = [responseRequestsApi.list, responseRequestsApi.get, casesApi.detail, devicesApi.get];

export function useResponsesChanged() {
  const queries = useQueryClient();
  return () => Promise.all(staleAfterResponse.map(({ id }) => queries.invalidateQueries({ queryKey: [id] })));
}

const nameOf = ({ action, target }: Pick<Response, 'action' | 'target'>) =>
  `${responseTexts(action).name}: ${visibleText(target)}`;
const withReason = (text: string, error: Error) => (error.message ? `${text} ${error.message}` : text);

/** Writes report through toasts of cases, and refetch after failures too: another user or the agent may have acted first. */
const responseWrite = {
  invalidates: staleAfterResponse,
  invalidatesOnFailure: true,
  variant: 'info',
  topic: 'case',
} as const;

export const useRequest = () =>
  useApiMutation(responseRequestsApi.request, {
    ...responseWrite,
    invalidatesOnFailure: false,
    success: (row) => `${nameOf(row)} was requested${row.approvalsNeeded > 0 ? ' and waits for approval' : ''}`,
    failure: false,
  });

interface Approval {
  row: ResponseRow;
  isApproved: boolean;
  note: string;
}

/** Refusals show no toast here: `useResponseToasts` reports the failed response. */
export const useApprove = () =>
  useApiMutation(responseRequestsApi.approve, {
    ...responseWrite,
    input: ({ row, isApproved, note }: Approval) => ({ params: { id: row.id }, body: { isApproved, note } }),
    success: (row, { isApproved }) => {
      if (!isApproved) return undefined;
      return row.approvalsNeeded > 0 ? `Approved by you, one more approval needed: ${nameOf(row)}` : `Approved: ${nameOf(row)}`;
    },
    failure: (error, { row }) => withReason(`Couldn’t update ${nameOf(row)}.`, error),
  });

export const useUndo = () =>
  useApiMutation(responseRequestsApi.undo, {
    ...responseWrite,
    input: ({ row, note }: { row: ResponseRow; note: string }) => ({ params: { id: row.id }, body: { note } }),
    success: (now, { row }) => (now.id === row.id ? `Cancelled: ${nameOf(row)}` : `${nameOf(now)} was requested`),
    failure: (error, { row }) => withReason(`Couldn’t update ${nameOf(row)}.`, error),
  });

interface Acknowledgement {
  row: ResponseRow;
  isDone: boolean;
  note: string;
}

/** Records the manual completion or failure of a response; `useResponseToasts` reports it. */
export const useAcknowledge = () =>
  useApiMutation(responsesApi.acknowledge, {
    ...responseWrite,
    /** A note on a completed action states how it was verified. */
    input: ({ row, isDone, note }: Acknowledgement) => ({
      params: { id: row.id },
      body: { isDone, isVerified: isDone && note.trim() !== '', note },
    }),
    failure: (error, { row }) => withReason(responseTexts(row.action).failed, error),
  });

export const useSetPolicy = () =>
  useApiMutation(responseRequestsApi.setPolicy, {
    invalidates: [responseRequestsApi.getPolicy],
    invalidatesOnFailure: true,
    input: (isSingleOperator: boolean) => ({ body: { isSingleOperator } }),
    failure: 'Couldn’t change the setting.',
  });

export const useAddRule = () =>
  useApiMutation(responseRequestsApi.addRule, {
    invalidates: [responseRequestsApi.listRules],
    success: 'Approval rule added',
    failure: false,
  });

export const useRemoveRule = (client: number) =>
  useApiMutation(responseRequestsApi.removeRule, {
    invalidates: [responseRequestsApi.listRules],
    invalidatesOnFailure: true,
    input: (rule: number) => ({ params: { client, rule } }),
    failure: 'Couldn’t remove the rule.',
  });

export const useAddProtected = () =>
  useApiMutation(responseRequestsApi.addProtected, {
    invalidates: [responseRequestsApi.listProtected],
    success: 'Protected asset added',
    failure: false,
  });

export const useRemoveProtected = (client: number) =>
  useApiMutation(responseRequestsApi.removeProtected, {
    invalidates: [responseRequestsApi.listProtected],
    invalidatesOnFailure: true,
    input: (asset: number) => ({ params: { client, asset } }),
    failure: 'Couldn’t remove the protection.',
  });
