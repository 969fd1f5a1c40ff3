import type { Feature, Platform } from '../../core/feature.ts';
import { balanceRoutes } from './balance.routes.ts';
import { type BalanceService, createBalanceService } from './balance.service.ts';

export interface BalanceDeps extends Platform {
  /** Reasons of dead letters that the pipeline gives. */
  deadReasons: readonly string[];
}

export function registerBalance({ db, clock, deadReasons }: BalanceDeps): Feature<BalanceService> {
  const service = createBalanceService({ db, clock, deadReasons });
  return { service, routes: (serving) => balanceRoutes(serving, service) };
}
