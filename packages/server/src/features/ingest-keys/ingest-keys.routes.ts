import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { IngestKeysService } from './ingest-keys.service.ts';

export function ingestKeysRoutes(serving: Serving, keys: IngestKeysService): void {
  serve(serving, ingestKeysApi.list, ({ actor, params }) => keys.list(actor, params.client));
  serve(serving, ingestKeysApi.create, ({ actor, params, body }) => keys.create(actor, params.client, body.name));
  serve(serving, ingestKeysApi.revoke, async ({ actor, params }) => {
    await keys.revoke(actor, params.client, params.key);
    return {};
  });
}
