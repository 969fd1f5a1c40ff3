/** Requests, who approves them and what is protected, made from the contract. Every change makes old what cases show of them too. */
import { type Response, responseActions, responseStates } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { devicesApi } from '@parapet/contract/devices.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { type ResponseRow, responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { responsesApi } from '@parapet/contract/responses.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { visibleText } from '../../kit/visible.ts';
import { call } from '../../lib/call.ts';
import { id, type ListQuery, listSchema, search, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';
import { isPending, responseTexts } from './responseTexts.ts';

/** What an agent or another person is about to change is asked for again meanwhile. */
const soonMs = 5_000;
const laterMs = 20_000;
export const pollIntervalMs = (rows: readonly ResponseRow[] | undefined): number | false => {
  const moving = rows?.filter(({ state, via }) => isPending(state) || (state === 'acknowledged' && via === 'agent')) ?? [];
  if (moving.length === 0) return false;
  return moving.some(({ state, via }) => via === 'agent' && state !== 'requested') ? soonMs : laterMs;
};

export const responseList = listSchema({
  state: words(responseStates),
  action: words(responseActions),
  case: id(),
  text: search(),
});
export const responseListQuery = (client: number, { start, end }: Range, list: ListQuery<typeof responseList>) => {
  const { case: caseID, ...query } = list;
  return queryOptionsOf(responseRequestsApi.list, {
    params: { client, start, end },
    query: { ...query, ...(caseID === undefined ? {} : { caseID }) },
  });
};

/** All of a case's, whenever they were asked for. */
export const responsesOfCaseQuery = (client: number, caseID: number) =>
  queryOptionsOf(responseRequestsApi.list, {
    params: {
      client,
      start: new Date(0).toISOString(),
      // Whole hours, so that the question stays the same for a while.
      end: new Date((Math.floor(Date.now() / 3_600_000) + 2) * 3_600_000).toISOString(),
    },
    query: { state: [], action: [], caseID, pageSize: 200 },
  });

export const responseQuery = (id: number) => queryOptionsOf(responseRequestsApi.get, { params: { id } });
export const rulesQuery = (client: number) => queryOptionsOf(responseRequestsApi.listRules, { params: { client } });
export const policyQuery = () => queryOptionsOf(responseRequestsApi.getPolicy, {});
export const protectedQuery = (client: number) => queryOptionsOf(responseRequestsApi.listProtected, { params: { client } });

export function useResponsesChanged() {
  const queries = useQueryClient();
  const old = [responseRequestsApi.list, responseRequestsApi.get, casesApi.detail, devicesApi.get];
  return () => Promise.all(old.map(({ id }) => queries.invalidateQueries({ queryKey: [id] })));
}

const nameOf = ({ action, target }: Pick<Response, 'action' | 'target'>) =>
  `${responseTexts(action).name}: ${visibleText(target)}`;
const why = (error: Error) => (error.message ? ` ${error.message}` : '');

export function useRequest() {
  const changed = useResponsesChanged();
  return async (body: InputOf<typeof responseRequestsApi.request>['body']): Promise<ResponseRow> => {
    const row = await call(responseRequestsApi.request, { body });
    toast.info(
      row.approvalsNeeded > 0 ? `${nameOf(row)} was requested and waits for approval` : `${nameOf(row)} was requested`,
      'case',
    );
    await changed();
    return row;
  };
}

export function useApprove() {
  const changed = useResponsesChanged();
  return useMutation({
    mutationFn: ({ row, isApproved, note }: { row: ResponseRow; isApproved: boolean; note: string }) =>
      call(responseRequestsApi.approve, { params: { id: row.id }, body: { isApproved, note } }),
    onSuccess: (row, { isApproved }) => {
      // A refusal ends it; that it failed is said where its states are followed.
      if (isApproved)
        toast.info(
          row.approvalsNeeded > 0 ? `Approved by you; somebody else must too: ${nameOf(row)}` : `Approved: ${nameOf(row)}`,
          'case',
        );
      return changed();
    },
    onError: (error, { row }) => {
      toast.error(`${nameOf(row)} is as it was.${why(error)}`, 'case');
      return changed();
    },
  });
}

export function useUndo() {
  const changed = useResponsesChanged();
  return useMutation({
    mutationFn: ({ row, note }: { row: ResponseRow; note: string }) =>
      call(responseRequestsApi.undo, { params: { id: row.id }, body: { note } }),
    onSuccess: (now, { row }) => {
      toast.info(now.id === row.id ? `Taken back: ${nameOf(row)}` : `${nameOf(now)} was requested`, 'case');
      return changed();
    },
    onError: (error, { row }) => {
      toast.error(`${nameOf(row)} is as it was.${why(error)}`, 'case');
      return changed();
    },
  });
}

/** A person says that it was done by hand, or that it failed; what it says then is told where states are followed. */
export function useAcknowledge() {
  const changed = useResponsesChanged();
  return useMutation({
    mutationFn: ({ row, isDone, note }: { row: ResponseRow; isDone: boolean; note: string }) =>
      call(responsesApi.acknowledge, { params: { id: row.id }, body: { isDone, note } }),
    onSuccess: changed,
    onError: (error, { row }) => {
      toast.error(`${responseTexts(row.action).failed}${why(error)}`, 'case');
      return changed();
    },
  });
}

export function useSetPolicy() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (isSingleOperator: boolean) => call(responseRequestsApi.setPolicy, { body: { isSingleOperator } }),
    onError: (error) => toast.error(`Couldn’t change the setting.${why(error)}`),
    onSettled: () => queries.invalidateQueries({ queryKey: [responseRequestsApi.getPolicy.id] }),
  });
}

export function useSettingsOf(client: number) {
  const queries = useQueryClient();
  const { listRules, listProtected } = responseRequestsApi;
  const renew = (id: string) => queries.invalidateQueries({ queryKey: [id] });
  const failed = (error: Error) => {
    toast.error(`It could not be taken away.${why(error)}`);
    void renew(listRules.id);
    void renew(listProtected.id);
  };
  return {
    addRule: async (body: InputOf<typeof responseRequestsApi.addRule>['body']) => {
      await call(responseRequestsApi.addRule, { params: { client }, body });
      toast.success('The rule holds from now on');
      await renew(listRules.id);
    },
    removeRule: useMutation({
      mutationFn: (rule: number) => call(responseRequestsApi.removeRule, { params: { client, rule } }),
      onSuccess: () => renew(listRules.id),
      onError: failed,
    }),
    addProtected: async (body: InputOf<typeof responseRequestsApi.addProtected>['body']) => {
      await call(responseRequestsApi.addProtected, { params: { client }, body });
      toast.success('It is protected from now on');
      await renew(listProtected.id);
    },
    removeProtected: useMutation({
      mutationFn: (asset: number) => call(responseRequestsApi.removeProtected, { params: { client, asset } }),
      onSuccess: () => renew(listProtected.id),
      onError: failed,
    }),
  };
}
