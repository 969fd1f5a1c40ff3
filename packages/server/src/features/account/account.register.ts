import type { Feature, Platform } from '../../core/feature.ts';
import { accountRoutes } from './account.routes.ts';
import { type AccountService, createAccountService } from './account.service.ts';

export type AccountDeps = Platform & Pick<Parameters<typeof createAccountService>[0], 'idleMinutes' | 'outbox'>;

export function registerAccount({ db, idleMinutes, outbox }: AccountDeps): Feature<AccountService> {
  const service = createAccountService({ db, idleMinutes, outbox });
  return {
    service,
    routes: (serving) => accountRoutes(serving, service),
    jobs: [{ name: 'apiKeys.notify', cron: '5 * * * *', run: service.sendKeyNotices }],
  };
}
