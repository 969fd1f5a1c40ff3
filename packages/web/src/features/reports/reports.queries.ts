/** Reports, their schedules and jobs, and the balance sheet, made from the contract. */

import { organisationsApi } from '@parapet/contract/organisations.ts';
import { balanceApi } from '@parapet/contract/reconciliation.ts';
import { type ReportJob, reportsApi } from '@parapet/contract/reports.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';

export interface Which {
  client: number;
  year: number;
  month: number;
}

/** Never another month's while it loads: figures of one month must not stand under the name of another. */
export const reportQuery = (which: Which) => ({
  ...queryOptionsOf(reportsApi.get, { params: which }),
  placeholderData: undefined,
});
export const balanceQuery = (client: number, { start, end }: Range) => ({
  ...queryOptionsOf(balanceApi.get, { params: { client, start, end } }),
  placeholderData: undefined,
});

export const schedulesQuery = (client: number) => queryOptionsOf(reportsApi.listSchedules, { params: { client } });
/** Who can get a report: users of the client, and its escalation addresses. */
export const usersOfQuery = (client: number) =>
  queryOptionsOf(usersApi.list, { params: { client }, query: { role: [], state: ['active', 'invited'], pageSize: 200 } });
export const escalationQuery = (client: number) => queryOptionsOf(organisationsApi.details, { params: { id: client } });

const askEveryMs = 1000;
export const isOver = ({ state }: ReportJob) => state === 'done' || state === 'failed';
/** Asked for again and again until it is over. */
export const jobQuery = (job: number) => ({
  ...queryOptionsOf(reportsApi.getJob, { params: { job } }),
  placeholderData: undefined,
  refetchInterval: ({ state }: { state: { data: ReportJob | undefined } }) =>
    state.data && isOver(state.data) ? (false as const) : askEveryMs,
});

export function useStartJob() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { clientOrganizationID: number; year: number; month: number }) => call(reportsApi.startJob, { body }),
    onSuccess: (job) => queries.setQueryData(jobQuery(job.id).queryKey, job),
    onError: (error) => toast.error(`The reports could not be asked for. ${error.message}`, 'case'),
  });
}

function useSchedulesChanged(client: number) {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: schedulesQuery(client).queryKey });
}

export function useAddSchedule(client: number) {
  const changed = useSchedulesChanged(client);
  return async (body: { dayOfMonth: number; recipients: string[] }) => {
    await call(reportsApi.addSchedule, { params: { client }, body });
    toast.success('The report is sent from now on', 'case');
    await changed();
  };
}

export function useRemoveSchedule(client: number) {
  const changed = useSchedulesChanged(client);
  return useMutation({
    mutationFn: (schedule: number) => call(reportsApi.removeSchedule, { params: { client, schedule } }),
    onSuccess: () => {
      toast.success('The schedule has ended', 'case');
      return changed();
    },
    onError: (error) => toast.error(`The schedule could not be ended. ${error.message}`, 'case'),
  });
}
