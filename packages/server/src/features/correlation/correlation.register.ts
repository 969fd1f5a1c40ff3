import type { Feature, Platform } from '../../core/feature.ts';
import { createIdentitiesService } from './correlation.identities.service.ts';
import { runOnAlerts } from './correlation.listen.ts';
import { identitiesRoutes } from './correlation.routes.ts';
import { type CorrelationService, createCorrelationService } from './correlation.service.ts';

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
  const correlateAndJudge = async () => {
    if (isReplaying()) return;
    await service.run();
    await judge();
  };
  return {
    service,
    routes: (serving) => identitiesRoutes(serving, identities),
    jobs: [
      { name: 'cases.make', cron: '* * * * *', run: correlateAndJudge },
      { name: 'identities.refresh', cron: '* * * * *', run: service.refreshNames },
    ],
    workers: [() => runOnAlerts(bus, () => metrics.timed('cases.onAlerts', correlateAndJudge), log)],
  };
}
