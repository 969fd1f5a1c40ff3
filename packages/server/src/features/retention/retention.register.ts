import type { Feature, Platform } from '../../core/feature.ts';
import { createRetentionClients } from './retention.clients.ts';
import { freeBytesOf } from './retention.disk.ts';
import { retentionRoutes } from './retention.routes.ts';
import { createRetentionService, type RetentionService } from './retention.service.ts';
import type { RetentionStateDeps } from './retention.state.ts';

export interface RetentionDeps extends Platform, Pick<RetentionStateDeps, 'organisations' | 'isProvidersHost' | 'erasure'> {
  /** The longest timeframe that a correlation rule looks back over. */
  longestWindowMs: number;
}

export function registerRetention(deps: RetentionDeps): Feature<RetentionService> {
  const { alertRetentionMonths, eventRetentionDays, databaseUrl, dataDir } = deps.config;
  const service = createRetentionService({ ...deps, alertRetentionMonths, eventRetentionDays });
  const freeBytes = freeBytesOf(databaseUrl === undefined ? dataDir : undefined);
  const clients = createRetentionClients({ ...deps, eventRetentionDays, freeBytes });
  return {
    service,
    routes: (serving) => retentionRoutes(serving, clients),
    jobs: [
      { name: 'months.make', cron: '5 * * * *', run: service.makeMonths },
      { name: 'totals.fold', cron: '* * * * *', run: service.rollUpTotals },
      { name: 'retention.drop', cron: '15 3 * * *', run: service.dropOld },
    ],
  };
}
