import type { Feature, Platform } from '../../core/feature.ts';
import { caseMailsRoutes } from './caseMails.routes.ts';
import { type CaseMailsService, createCaseMailsService } from './caseMails.service.ts';

export type CaseMailsDeps = Pick<Platform, 'db' | 'clock' | 'config'> &
  Pick<Parameters<typeof createCaseMailsService>[0], 'brand' | 'outbox' | 'transitions'>;

export function registerCaseMails({
  db,
  clock,
  config: { socAddress, mailFrom },
  brand,
  outbox,
  transitions,
}: CaseMailsDeps): Feature<CaseMailsService> {
  const service = createCaseMailsService({ db, clock, brand, outbox, transitions, socAddress, mailFrom });
  return {
    service,
    routes: (serving) => caseMailsRoutes(serving, service),
    jobs: [{ name: 'caseMails.dropOldLinks', cron: '55 * * * *', run: service.dropOldLinks }],
  };
}
