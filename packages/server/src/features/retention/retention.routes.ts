import { retentionApi } from '@parapet/contract/retention.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { RetentionClients } from './retention.clients.ts';

export function retentionRoutes(serving: Serving, clients: RetentionClients): void {
  serve(serving, retentionApi.list, ({ actor }) => clients.list(actor));
  serve(serving, retentionApi.get, ({ actor, params }) => clients.get(actor, params.client));
  serve(serving, retentionApi.save, ({ actor, params, body }) => clients.save(actor, params.client, body));
  serve(serving, retentionApi.saveLimits, async ({ actor, body }) => {
    await clients.saveLimits(actor, body);
    return {};
  });
  serve(serving, retentionApi.request, ({ actor, params, body }) => clients.request(actor, params.client, body));
  serve(serving, retentionApi.certificate, ({ actor, params, query }) => clients.certificate(actor, params.client, query.format));
  serve(serving, retentionApi.decide, ({ actor, params, body }) =>
    clients.decide(actor, params.client, params.id, body.isConfirmed),
  );
}
