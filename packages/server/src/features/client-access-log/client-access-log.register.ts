import type { Feature, Platform } from '../../core/feature.ts';
import { clientAccessLogRoutes } from './client-access-log.routes.ts';
import { type ClientAccessLogService, createClientAccessLogService } from './client-access-log.service.ts';

export function registerClientAccessLog({ db, clock, log }: Platform): Feature<ClientAccessLogService> {
  const service = createClientAccessLogService({ db, clock, log });
  return {
    service,
    routes: (serving) => clientAccessLogRoutes(serving, service),
    jobs: [
      { name: 'looks.seal', cron: '*/10 * * * *', run: service.seal },
      { name: 'looks.drop', cron: '50 3 * * *', run: service.dropOld },
    ],
    closers: [service.close],
  };
}
