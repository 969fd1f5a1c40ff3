import type { Feature, Platform } from '../../core/feature.ts';
import { caseMailsRoutes } from './caseMails.routes.ts';
import type { CaseMailsDeps } from './caseMails.sending.ts';
import { type CaseMailsService, createCaseMailsService } from './caseMails.service.ts';

export type CaseMailsRegisterDeps = Pick<Platform, 'db' | 'clock' | 'config'> &
  Pick<CaseMailsDeps, 'brand' | 'outbox' | 'cases' | 'transitions'>;

export function registerCaseMails({
  config: { socAddress, mailFrom },
  ...deps
}: CaseMailsRegisterDeps): Feature<CaseMailsService> {
  const service = createCaseMailsService({ ...deps, socAddress, mailFrom });
  return {
    service,
    routes: (serving) => caseMailsRoutes(serving, service),
    jobs: [{ name: 'caseMails.dropOldLinks', cron: '55 * * * *', run: service.dropOldLinks }],
  };
}
