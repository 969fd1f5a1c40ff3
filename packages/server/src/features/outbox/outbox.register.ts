import type { Feature, Platform } from '../../core/feature.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { outboxRoutes } from './outbox.routes.ts';
import { createOutboxService, type OutboxService, startDeliveryWorker } from './outbox.service.ts';

// For the composition of the application; other features receive them as arguments.
export { createOutboxService } from './outbox.service.ts';

export function registerOutbox(deps: Platform & { brand: BrandService }): Feature<OutboxService> {
  const service = createOutboxService({ ...deps, smtpUrl: deps.config.smtpUrl });
  return {
    service,
    routes: (serving) => outboxRoutes(serving, service),
    jobs: [{ name: 'mails.deliver', cron: '* * * * *', run: service.deliver }],
    workers: [() => startDeliveryWorker(deps.bus, service, deps.log)],
    closers: [() => service.close()],
  };
}
