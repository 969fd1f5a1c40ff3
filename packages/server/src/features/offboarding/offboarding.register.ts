import type { Feature } from '../../core/feature.ts';
import { offboardingRoutes } from './offboarding.routes.ts';
import { createOffboardingService, type OffboardingDeps, type OffboardingService } from './offboarding.service.ts';

export function registerOffboarding(deps: OffboardingDeps): Feature<OffboardingService> {
  const service = createOffboardingService(deps);
  return { service, routes: (serving) => offboardingRoutes(serving, service) };
}
