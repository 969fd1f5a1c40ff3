import type { Feature, Platform } from '../../core/feature.ts';
import { ingestKeysRoutes } from './ingest-keys.routes.ts';
import { createIngestKeysService, type IngestKeysService } from './ingest-keys.service.ts';

export function registerIngestKeys({ db }: Platform): Feature<IngestKeysService> {
  const service = createIngestKeysService({ db });
  return { service, routes: (serving) => ingestKeysRoutes(serving, service) };
}
