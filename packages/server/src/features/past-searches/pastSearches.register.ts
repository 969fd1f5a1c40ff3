import { publish } from '../../core/bus.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import type { Detector } from '../../pipeline/detector.ts';
import { pastSearchesRoutes } from './pastSearches.routes.ts';
import { createPastSearchesService, type PastSearchesService } from './pastSearches.service.ts';
import { hasOpen, removeOld } from './pastSearches.store.ts';
import { startPastSearchWorker } from './pastSearches.worker.ts';

export function registerPastSearches(platform: Platform & { detector: Detector }): Feature<PastSearchesService> {
  const { db, bus, config } = platform;
  const { groupingWindowMs, eventRetentionDays } = config;
  const service = createPastSearchesService({ db });
  return {
    service,
    routes: (serving) => pastSearchesRoutes(serving, service),
    jobs: [
      {
        // A search whose worker was killed goes on once its lease has ended.
        name: 'pastSearches.resume',
        cron: '* * * * *',
        run: () =>
          scoped(db, 'system', async (tx) => {
            if (await hasOpen(tx)) await publish(tx, 'pastSearches.queued', {});
          }),
      },
      {
        name: 'pastSearches.removeOld',
        cron: '45 3 * * *',
        run: () => scoped(db, 'system', async (tx) => void (await removeOld(tx))),
      },
    ],
    workers: [() => startPastSearchWorker(bus, { ...platform, groupingWindowMs, eventRetentionDays })],
  };
}
