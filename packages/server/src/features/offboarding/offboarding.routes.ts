import { offboardingApi } from '@parapet/contract/offboarding.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { OffboardingService } from './offboarding.service.ts';

export function offboardingRoutes(serving: Serving, offboarding: OffboardingService): void {
  serve(serving, offboardingApi.get, ({ actor, params }) => offboarding.get(actor, params.client));
  serve(serving, offboardingApi.archive, ({ actor, params }) => offboarding.archive(actor, params.client));
  serve(serving, offboardingApi.dismissAgents, ({ actor, params }) => offboarding.dismissAgents(actor, params.client));
  serve(serving, offboardingApi.end, async ({ actor, params, body }) => {
    await offboarding.end(actor, params.client, body.name);
    return {};
  });
}
