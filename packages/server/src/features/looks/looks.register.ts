import type { Feature, Platform } from '../../core/feature.ts';
import { looksRoutes } from './looks.routes.ts';
import { createLooksService, type LooksService } from './looks.service.ts';

export function registerLooks({ db, clock, log }: Platform): Feature<LooksService> {
  const service = createLooksService({ db, clock, log });
  return {
    service,
    routes: (serving) => looksRoutes(serving, service),
    jobs: [
      { name: 'looks.seal', cron: '*/10 * * * *', run: service.seal },
      { name: 'looks.drop', cron: '50 3 * * *', run: service.dropOld },
    ],
    closers: [service.close],
  };
}
