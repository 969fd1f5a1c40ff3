import type { Feature, Platform } from '../../core/feature.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { createReportJobs, type JobsDeps, startReportWorker } from './reports.jobs.ts';
import { type Reporting, reportsRoutes } from './reports.routes.ts';
import { createReportSchedules } from './reports.schedules.ts';
import { createReportsService, type ReportsDeps } from './reports.service.ts';

// For the composition of the application; other features receive them as arguments.
export { jobReportKey } from './reports.jobs.ts';

export interface ReportsRegisterDeps
  extends Pick<Platform, 'db' | 'bus' | 'blobs' | 'clock' | 'log'>,
    Pick<ReportsDeps, 'sources'>,
    Pick<JobsDeps, 'actorNow'> {
  brand: Pick<BrandService, 'ofReports' | 'ofMails'>;
  outbox: Pick<OutboxService, 'queue'>;
}

export function registerReports(deps: ReportsRegisterDeps): Feature<Reporting> {
  const reports = createReportsService({ ...deps, brandOf: deps.brand.ofReports });
  const schedules = createReportSchedules({ ...deps, reports });
  const jobs = createReportJobs({ ...deps, reports });
  const service = { reports, schedules, jobs };
  return {
    service,
    routes: (serving) => reportsRoutes(serving, service),
    jobs: [
      { name: 'reports.send', cron: '20 * * * *', run: schedules.sendDue },
      { name: 'reports.make', cron: '* * * * *', run: jobs.run },
      { name: 'reports.sweep', cron: '40 * * * *', run: jobs.removeOld },
    ],
    workers: [() => startReportWorker(deps.bus, jobs, deps.log)],
  };
}
