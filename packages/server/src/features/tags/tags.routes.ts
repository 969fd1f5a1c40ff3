import { tagsApi } from '@parapet/contract/tags.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { TagsService } from './tags.service.ts';

export function tagsRoutes(serving: Serving, tags: TagsService): void {
  serve(serving, tagsApi.list, ({ actor, query }) => tags.list(actor, query.selectedClientOrgID));
  serve(serving, tagsApi.saveNew, ({ actor, body }) => tags.saveNew(actor, body));
  serve(serving, tagsApi.remove, async ({ actor, body }) => {
    await tags.remove(actor, body.id);
    return {};
  });
  serve(serving, tagsApi.tagDevices, async ({ actor, body }) => {
    await tags.tagDevices(actor, body);
    return {};
  });
}
