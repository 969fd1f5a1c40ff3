import type { Feature, Platform } from '../../core/feature.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { outboxRoutes } from './outbox.routes.ts';
import { createOutboxService, type OutboxService, startDeliveryWorker } from './outbox.service.ts';

export function registerOutbox({
  db,
  bus,
  blobs,
  keys,
  config,
  brand,
  log,
}: Platform & { brand: BrandService }): Feature<OutboxService> {
  const service = createOutboxService({ db, brand, blobs, keys, smtpUrl: config.smtpUrl, log });
  return {
    service,
    routes: (serving) => outboxRoutes(serving, service),
    jobs: [{ name: 'mails.deliver', cron: '* * * * *', run: service.deliver }],
    workers: [() => startDeliveryWorker(bus, service, log)],
    closers: [() => service.close()],
  };
}
