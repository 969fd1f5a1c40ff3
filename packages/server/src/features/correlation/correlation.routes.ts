import { identitiesApi } from '@parapet/contract/identities.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { IdentitiesService } from './correlation.identities.service.ts';

export function identitiesRoutes(serving: Serving, identities: IdentitiesService): void {
  serve(serving, identitiesApi.list, ({ actor, params, query }) => identities.list(actor, params.client, query));
  serve(serving, identitiesApi.merge, async ({ actor, body }) => {
    await identities.merge(actor, body);
    return {};
  });
  serve(serving, identitiesApi.switchRule, async ({ actor, body }) => {
    await identities.switchRule(actor, body);
    return {};
  });
}
