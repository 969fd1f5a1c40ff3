import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { SuppressionsService } from './suppressions.service.ts';

export function suppressionsRoutes(serving: Serving, suppressions: SuppressionsService): void {
  serve(serving, suppressionsApi.list, ({ actor, params, query }) => suppressions.list(actor, params.client, query));
  serve(serving, suppressionsApi.create, ({ actor, body }) => suppressions.create(actor, body));
  serve(serving, suppressionsApi.end, ({ actor, params }) => suppressions.end(actor, params.id));
}
