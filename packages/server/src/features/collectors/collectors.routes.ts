import { collectorsApi } from '@parapet/contract/collectors.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { CollectorsService } from './collectors.service.ts';

export function collectorsRoutes(serving: Serving, collectors: CollectorsService): void {
  serve(serving, collectorsApi.get, ({ actor, params, query }) =>
    collectors.get(actor, params.client, params.kind, query.version),
  );
  serve(serving, collectorsApi.listVersions, ({ actor, params }) => collectors.listVersions(actor, params.client, params.kind));
  serve(serving, collectorsApi.check, async ({ actor, params, body }) =>
    collectors.check(actor, params.client, params.kind, body.yaml),
  );
  serve(serving, collectorsApi.save, ({ actor, params, body }) => collectors.save(actor, params.client, params.kind, body));
  serve(serving, collectorsApi.download, ({ actor, params, body }) =>
    collectors.download(actor, params.client, params.kind, body.keyName),
  );
}
