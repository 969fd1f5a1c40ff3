import type { Feature, Platform } from '../../core/feature.ts';
import { countDue } from './billing.counts.ts';
import type { BillingDeps } from './billing.deps.ts';
import { billingRoutes } from './billing.routes.ts';
import { type BillingService, createBillingService } from './billing.service.ts';

export function registerBilling(deps: Platform & Pick<BillingDeps, 'deliveries'>): Feature<BillingService> {
  const service = createBillingService(deps);
  return {
    service,
    routes: (serving) => billingRoutes(serving, service),
    jobs: [{ name: 'billing.count', cron: '* * * * *', run: () => countDue(deps) }],
  };
}
