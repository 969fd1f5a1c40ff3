import { onboardingApi } from '@parapet/contract/onboarding.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { OnboardingService } from './onboarding.service.ts';

export function onboardingRoutes(serving: Serving, onboarding: OnboardingService): void {
  serve(serving, onboardingApi.preview, ({ actor, body }) => onboarding.preview(actor, body.partnerClientOrgID, body.csv));
  serve(serving, onboardingApi.create, ({ actor, body }) => onboarding.create(actor, body.partnerClientOrgID, body.clients));
}
