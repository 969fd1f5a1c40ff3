import type { Feature } from '../../core/feature.ts';
import { suppressionsRoutes } from './suppressions.routes.ts';
import { createSuppressionsService, type SuppressionsService, type SuppressionsServiceDeps } from './suppressions.service.ts';

export function registerSuppressions(deps: SuppressionsServiceDeps): Feature<SuppressionsService> {
  const service = createSuppressionsService(deps);
  return {
    service,
    routes: (serving) => suppressionsRoutes(serving, service),
    jobs: [{ name: 'suppressions.release', cron: '* * * * *', run: service.releaseCases }],
  };
}
