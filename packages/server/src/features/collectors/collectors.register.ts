import { scoped } from '../../core/db/scope.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { IngestKeysService } from '../ingest-keys/ingest-keys.service.ts';
import { collectorsRoutes } from './collectors.routes.ts';
import { type CollectorsService, createCollectorsService } from './collectors.service.ts';

export interface CollectorsRegisterDeps extends Platform {
  ingestKeys: Pick<IngestKeysService, 'create'>;
  brand: Pick<BrandService, 'ofMails'>;
}

export function registerCollectors({ db, clock, ingestKeys, brand }: CollectorsRegisterDeps): Feature<CollectorsService> {
  const service = createCollectorsService({
    db,
    clock,
    makeKey: async (actor, client, name) => (await ingestKeys.create(actor, client, name)).key,
    originOf: async (organisationId) => (await scoped(db, 'system', (tx) => brand.ofMails(tx, organisationId))).origin,
  });
  return { service, routes: (serving) => collectorsRoutes(serving, service) };
}
