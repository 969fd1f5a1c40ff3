import type { Feature, Platform } from '../../core/feature.ts';
import { bulkRoutes } from './bulk.routes.ts';
import { type BulkService, createBulkService } from './bulk.service.ts';
import { type BulkWorkerDeps, createBulkWorker, startBulkWorker } from './bulk.worker.ts';

export function registerBulk(deps: Platform & BulkWorkerDeps): Feature<BulkService> {
  const service = createBulkService(deps);
  const worker = createBulkWorker(deps);
  return {
    service,
    routes: (serving) => bulkRoutes(serving, service),
    jobs: [
      { name: 'bulk.work', cron: '* * * * *', run: worker.run },
      { name: 'bulk.sweep', cron: '35 * * * *', run: worker.removeOld },
    ],
    workers: [() => startBulkWorker(deps.bus, worker, deps.log)],
  };
}
