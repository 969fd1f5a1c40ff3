import { reportsApi } from '@parapet/contract/reports.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { ReportJobs } from './reports.jobs.ts';
import type { ReportSchedules } from './reports.schedules.ts';
import type { ReportsService } from './reports.service.ts';

export interface Reporting {
  reports: ReportsService;
  schedules: ReportSchedules;
  jobs: ReportJobs;
}

export function reportsRoutes(serving: Serving, { reports, schedules, jobs }: Reporting): void {
  serve(serving, reportsApi.get, ({ actor, params }) => reports.get(actor, params.client, params));
  serve(serving, reportsApi.pdf, ({ actor, params }) => reports.file(actor, params.client, params, 'pdf'));
  serve(serving, reportsApi.csv, ({ actor, params }) => reports.file(actor, params.client, params, 'csv'));
  serve(serving, reportsApi.xlsx, ({ actor, params }) => reports.file(actor, params.client, params, 'xlsx'));
  serve(serving, reportsApi.listSchedules, ({ actor, params, query }) => schedules.list(actor, params.client, query.query));
  serve(serving, reportsApi.addSchedule, ({ actor, params, body }) => schedules.add(actor, params.client, body));
  serve(serving, reportsApi.removeSchedule, async ({ actor, params }) => {
    await schedules.remove(actor, params.client, params.schedule);
    return {};
  });
  serve(serving, reportsApi.startJob, ({ actor, body }) => jobs.start(actor, body));
  serve(serving, reportsApi.getJob, ({ actor, params }) => jobs.get(actor, params.job));
  serve(serving, reportsApi.jobFile, ({ actor, params }) => jobs.file(actor, params.job));
}
