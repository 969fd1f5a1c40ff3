import type { Feature, Platform } from '../../core/feature.ts';
import { bulkRoutes } from './bulk.routes.ts';
import { type BulkDeps, type BulkService, createBulkService } from './bulk.service.ts';
import { createBulkWorker, startBulkWorker } from './bulk.worker.ts';

export type BulkRegisterDeps = Platform &
  Pick<BulkDeps, 'cases' | 'alerts' | 'suppressions'> &
  Pick<Parameters<typeof createBulkWorker>[0], 'actorNow' | 'withdrawNotices'>;

export function registerBulk({
  db,
  bus,
  clock,
  cases,
  alerts,
  suppressions,
  actorNow,
  withdrawNotices,
  log,
}: BulkRegisterDeps): Feature<BulkService> {
  const deps = { db, clock, cases, alerts, suppressions };
  const service = createBulkService(deps);
  const worker = createBulkWorker({ ...deps, actorNow, withdrawNotices, log });
  return {
    service,
    routes: (serving) => bulkRoutes(serving, service),
    jobs: [
      { name: 'bulk.work', cron: '* * * * *', run: worker.run },
      { name: 'bulk.sweep', cron: '35 * * * *', run: worker.removeOld },
    ],
    workers: [() => startBulkWorker(bus, worker, log)],
  };
}
