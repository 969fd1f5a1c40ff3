import { rulePacksApi } from '@parapet/contract/rulePacks.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { PacksService } from './packs.service.ts';

export function packsRoutes(serving: Serving, packs: PacksService): void {
  serve(serving, rulePacksApi.list, ({ actor }) => packs.list(actor));
  serve(serving, rulePacksApi.upload, ({ actor, query, request }) => packs.upload(actor, query, request.body as Buffer));
  serve(serving, rulePacksApi.fetch, ({ actor, body }) => packs.fetch(actor, body));
  serve(serving, rulePacksApi.getImport, ({ actor, params, query }) => packs.getImport(actor, params.id, query));
  serve(serving, rulePacksApi.getItem, ({ actor, params }) => packs.getItem(actor, params.id, params.ruleID));
  serve(serving, rulePacksApi.decide, ({ actor, params, body }) =>
    packs.decide(actor, { id: params.id, key: params.ruleID }, body),
  );
  serve(serving, rulePacksApi.accept, ({ actor, params, body }) => packs.accept(actor, params.id, body));
  serve(serving, rulePacksApi.discard, ({ actor, params }) => packs.discard(actor, params.id));
  serve(serving, rulePacksApi.changeState, ({ actor, params, body }) => packs.changeState(actor, params.id, body));
  serve(serving, rulePacksApi.download, ({ actor, params }) => packs.download(actor, params.pack));
}
