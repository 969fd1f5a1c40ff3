import type { Feature, Platform } from '../../core/feature.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { setupRoutes } from './setup.routes.ts';
import { createSetupService, type SetupDeps, type SetupService } from './setup.service.ts';

export function registerSetup({
  db,
  config,
  outbox,
  checkBackup,
}: Platform & Pick<SetupDeps, 'outbox' | 'checkBackup'> & { outbox: OutboxService }): Feature<SetupService> {
  const service = createSetupService({ db, outbox, checkBackup, publicUrl: config.publicUrl });
  return { service, routes: (serving) => setupRoutes(serving, service) };
}
