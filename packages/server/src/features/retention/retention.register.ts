import type { Feature, Platform } from '../../core/feature.ts';
import { createRetentionService, type RetentionService } from './retention.service.ts';

export interface RetentionDeps extends Platform {
  /** The longest timeframe that a correlation rule looks back over. */
  longestWindowMs: number;
}

export function registerRetention(deps: RetentionDeps): Feature<RetentionService> {
  const { alertRetentionMonths, eventRetentionDays } = deps.config;
  const service = createRetentionService({ ...deps, alertRetentionMonths, eventRetentionDays });
  return {
    service,
    jobs: [
      { name: 'months.make', cron: '5 * * * *', run: service.makeMonths },
      { name: 'totals.fold', cron: '* * * * *', run: service.rollUpTotals },
      { name: 'retention.drop', cron: '15 3 * * *', run: service.dropOld },
    ],
  };
}
