import { intelligenceApi } from '@parapet/contract/intelligence.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { IntelligenceService } from './intelligence.service.ts';

export function intelligenceRoutes(serving: Serving, intelligence: IntelligenceService): void {
  serve(serving, intelligenceApi.list, () => intelligence.list());
  serve(serving, intelligenceApi.import, ({ actor, params, request }) =>
    intelligence.import(actor, params.name, params.format, request.body as Buffer),
  );
  serve(serving, intelligenceApi.remove, ({ actor, params }) => intelligence.remove(actor, params.id));
}
