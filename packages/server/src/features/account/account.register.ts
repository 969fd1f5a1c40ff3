import type { Feature, Platform } from '../../core/feature.ts';
import { accountRoutes } from './account.routes.ts';
import { type AccountService, type AccountServiceDeps, createAccountService } from './account.service.ts';

export function registerAccount(deps: Platform & AccountServiceDeps): Feature<AccountService> {
  const service = createAccountService(deps);
  return {
    service,
    routes: (serving) => accountRoutes(serving, service),
    jobs: [{ name: 'apiKeys.notify', cron: '5 * * * *', run: service.sendKeyNotices }],
  };
}
