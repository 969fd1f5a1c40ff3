import type { Feature, Platform } from '../../core/feature.ts';
import { recallsRoutes } from './recalls.routes.ts';
import { createRecallsService, type RecallsService } from './recalls.service.ts';

export function registerRecalls(deps: Platform): Feature<RecallsService> {
  const service = createRecallsService(deps);
  return {
    service,
    routes: (serving) => recallsRoutes(serving, service),
    jobs: [{ name: 'recalls.run', cron: '* * * * *', run: service.run }],
  };
}
