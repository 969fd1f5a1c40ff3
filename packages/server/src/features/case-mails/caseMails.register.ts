import type { Feature, Platform } from '../../core/feature.ts';
import { caseMailsRoutes } from './caseMails.routes.ts';
import { type CaseMailsService, createCaseMailsService } from './caseMails.service.ts';

export type CaseMailsDeps = Pick<Platform, 'db' | 'clock' | 'config'> &
  Pick<Parameters<typeof createCaseMailsService>[0], 'brand' | 'outbox' | 'cases' | 'transitions'>;

export function registerCaseMails({
  db,
  clock,
  config: { socAddress, mailFrom },
  brand,
  outbox,
  cases,
  transitions,
}: CaseMailsDeps): Feature<CaseMailsService> {
  const service = createCaseMailsService({ db, clock, brand, outbox, cases, transitions, socAddress, mailFrom });
  return {
    service,
    routes: (serving) => caseMailsRoutes(serving, service),
    jobs: [{ name: 'caseMails.dropOldLinks', cron: '55 * * * *', run: service.dropOldLinks }],
  };
}
