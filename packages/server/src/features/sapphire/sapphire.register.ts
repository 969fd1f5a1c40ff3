import type { Feature, Platform } from '../../core/feature.ts';
import { sapphireRoutes } from './sapphire.routes.ts';
import { createSapphireService, type SapphireDeps, type SapphireService } from './sapphire.service.ts';

export function registerSapphire({
  db,
  clock,
  services,
  takeMessage,
  model,
  log,
}: Platform & Pick<SapphireDeps, 'services' | 'takeMessage' | 'model'>): Feature<SapphireService> {
  const service = createSapphireService({ db, clock, log, services, takeMessage, model });
  return { service, routes: (serving) => sapphireRoutes(serving, service) };
}
