import type { Feature, Platform } from '../../core/feature.ts';
import { suppressionsRoutes } from './suppressions.routes.ts';
import { createSuppressionsService, type SuppressionsService } from './suppressions.service.ts';

export type SuppressionsDeps = Platform & Pick<Parameters<typeof createSuppressionsService>[0], 'setExcluded'>;

export function registerSuppressions({ db, clock, setExcluded }: SuppressionsDeps): Feature<SuppressionsService> {
  const service = createSuppressionsService({ db, clock, setExcluded });
  return {
    service,
    routes: (serving) => suppressionsRoutes(serving, service),
    jobs: [{ name: 'suppressions.release', cron: '* * * * *', run: service.releaseCases }],
  };
}
