import { webhookSourcesApi } from '@parapet/contract/webhookSources.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { WebhookSourcesService } from './webhook-sources.service.ts';

export function webhookSourcesRoutes(serving: Serving, sources: WebhookSourcesService): void {
  serve(serving, webhookSourcesApi.list, ({ actor, params }) => sources.list(actor, params.client));
  serve(serving, webhookSourcesApi.preview, ({ actor, params, body }) => sources.preview(actor, params.client, body));
  serve(serving, webhookSourcesApi.create, ({ actor, params, body }) => sources.create(actor, params.client, body));
  serve(serving, webhookSourcesApi.saveMapping, ({ actor, params, body }) =>
    sources.saveMapping(actor, params.client, params.source, body),
  );
  serve(serving, webhookSourcesApi.versions, ({ actor, params }) => sources.versions(actor, params.client, params.source));
  serve(serving, webhookSourcesApi.pause, async ({ actor, params, body }) => {
    await sources.pause(actor, params.client, params.source, body.isPaused);
    return {};
  });
  serve(serving, webhookSourcesApi.replaceSecret, ({ actor, params }) =>
    sources.replaceSecret(actor, params.client, params.source),
  );
  serve(serving, webhookSourcesApi.remove, async ({ actor, params }) => {
    await sources.remove(actor, params.client, params.source);
    return {};
  });
}
