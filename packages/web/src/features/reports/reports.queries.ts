/** Queries and writes of reports, report jobs and schedules, and the reconciliation query. */
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { balanceApi } from '@parapet/contract/reconciliation.ts';
import { type ReportJob, reportsApi } from '@parapet/contract/reports.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export interface Which {
  client: number;
  year: number;
  month: number;
}

/** Without placeholder data: figures must never show under another month’s name. */
export const reportQuery = (which: Which) => ({
  ...queryOptionsOf(reportsApi.get, { params: which }),
  placeholderData: undefined,
});
export const balanceQuery = (client: number, { start, end }: Range) => ({
  ...queryOptionsOf(balanceApi.get, { params: { client, start, end } }),
  placeholderData: undefined,
});

export const schedulesQuery = (client: number, query?: string | undefined) =>
  queryOptionsOf(reportsApi.listSchedules, { params: { client }, query: { query } });
/** Possible recipients of a client’s reports: its users, and its escalation addresses. */
export const usersOfQuery = (client: number) =>
  queryOptionsOf(usersApi.list, { params: { client }, query: { role: [], state: ['active', 'invited'], pageSize: 200 } });
export const escalationQuery = (client: number) => queryOptionsOf(organisationsApi.details, { params: { id: client } });

const jobPollMs = 1000;
export const isOver = ({ state }: ReportJob) => state === 'done' || state === 'failed';
/** Polls until the job is done or failed. */
export const jobQuery = (job: number) => ({
  ...queryOptionsOf(reportsApi.getJob, { params: { job } }),
  placeholderData: undefined,
  refetchInterval: ({ state }: { state: { data: ReportJob | undefined } }) =>
    state.data && isOver(state.data) ? (false as const) : jobPollMs,
});

export const useStartJob = () =>
  useApiMutation(reportsApi.startJob, {
    onSuccess: (job, _, queries) => void queries.setQueryData(jobQuery(job.id).queryKey, job),
    failure: 'Couldn’t start the reports.',
    topic: 'case',
  });

export const useAddSchedule = () =>
  useApiMutation(reportsApi.addSchedule, {
    invalidates: [reportsApi.listSchedules],
    success: 'Schedule added',
    failure: false,
    topic: 'case',
  });

export const useRemoveSchedule = () =>
  useApiMutation(reportsApi.removeSchedule, {
    invalidates: [reportsApi.listSchedules],
    success: 'Schedule removed',
    failure: 'Couldn’t remove the schedule.',
    topic: 'case',
  });
