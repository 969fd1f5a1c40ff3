import { viewsApi } from '@parapet/contract/views.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { ViewsService } from './views.service.ts';

export function viewsRoutes(serving: Serving, views: ViewsService): void {
  serve(serving, viewsApi.list, ({ actor, params }) => views.list(actor, params.list));
  serve(serving, viewsApi.create, ({ actor, body }) => views.create(actor, body));
  serve(serving, viewsApi.update, ({ actor, params, body }) => views.update(actor, params.id, body));
  serve(serving, viewsApi.remove, async ({ actor, params }) => {
    await views.remove(actor, params.id);
    return {};
  });
}
