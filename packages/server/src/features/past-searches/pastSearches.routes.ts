import { pastSearchesApi } from '@parapet/contract/pastSearches.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { PastSearchesService } from './pastSearches.service.ts';

export function pastSearchesRoutes(serving: Serving, pastSearches: PastSearchesService): void {
  serve(serving, pastSearchesApi.list, ({ actor, params }) => pastSearches.list(actor, params.client));
  serve(serving, pastSearchesApi.get, ({ actor, params }) => pastSearches.get(actor, params.client, params.pastSearch));
}
