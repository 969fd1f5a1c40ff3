import { scoped } from '../../core/db/scope.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { runQueue, startQueue } from '../../domain/previewQueue.ts';
import { groupingQueue } from './correlation.grouping.previews.store.ts';
import { previewWork } from './correlation.grouping.previews.ts';
import { createIdentitiesService } from './correlation.identities.service.ts';
import { runOnAlerts } from './correlation.listen.ts';
import { groupingRoutes, identitiesRoutes } from './correlation.routes.ts';
import { type CorrelationService, createCorrelationService } from './correlation.service.ts';

// For the composition of the application; other features receive them as arguments.
export { moveAlertManually } from './correlation.manual.ts';

export interface CorrelationDeps extends Platform {
  /** Judges the cases that correlation opened or changed. */
  judge: () => Promise<unknown>;
}

export function registerCorrelation({
  db,
  bus,
  clock,
  isReplaying,
  judge,
  metrics,
  log,
}: CorrelationDeps): Feature<CorrelationService> {
  const service = createCorrelationService({ db, log });
  const identities = createIdentitiesService({ db, clock, correlation: service });
  const previews = previewWork({ db, clock, log });
  const correlateAndJudge = async () => {
    if (isReplaying()) return;
    await service.run();
    await judge();
  };
  return {
    service,
    routes: (serving) => {
      identitiesRoutes(serving, identities);
      groupingRoutes(serving, { db, clock });
    },
    jobs: [
      { name: 'cases.make', cron: '* * * * *', run: correlateAndJudge },
      { name: 'caseGrouping.preview', cron: '* * * * *', run: () => runQueue(previews) },
      {
        name: 'caseGrouping.removeOldPreviews',
        cron: '35 3 * * *',
        run: () => scoped(db, 'system', async (tx) => void (await groupingQueue.removeOld(tx))),
      },
      { name: 'identities.refresh', cron: '* * * * *', run: service.refreshNames },
    ],
    workers: [
      () => runOnAlerts(bus, () => metrics.timed('cases.onAlerts', correlateAndJudge), log),
      () => startQueue(bus, 'groupingPreviews.queued', previews),
    ],
  };
}
