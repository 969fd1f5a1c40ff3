import type { Feature } from '../../core/feature.ts';
import { onboardingRoutes } from './onboarding.routes.ts';
import { createOnboardingService, type OnboardingDeps, type OnboardingService } from './onboarding.service.ts';

export function registerOnboarding(deps: OnboardingDeps): Feature<OnboardingService> {
  const service = createOnboardingService(deps);
  return { service, routes: (serving) => onboardingRoutes(serving, service) };
}
