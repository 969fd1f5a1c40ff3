import type { Feature, Platform } from '../../core/feature.ts';
import { intelligenceRoutes } from './intelligence.routes.ts';
import { createIntelligenceService, type IntelligenceService } from './intelligence.service.ts';

export function registerIntelligence({ db, clock }: Platform): Feature<IntelligenceService> {
  const service = createIntelligenceService({ db, clock });
  return { service, routes: (serving) => intelligenceRoutes(serving, service) };
}
