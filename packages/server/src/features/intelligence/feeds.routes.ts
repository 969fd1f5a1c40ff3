import { intelligenceFeedsApi } from '@parapet/contract/intelligenceFeeds.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { FeedsService } from './feeds.service.ts';

export function feedsRoutes(serving: Serving, feeds: FeedsService): void {
  serve(serving, intelligenceFeedsApi.list, () => feeds.list());
  serve(serving, intelligenceFeedsApi.test, ({ actor, body }) => feeds.test(actor, body));
  serve(serving, intelligenceFeedsApi.create, ({ actor, body }) => feeds.create(actor, body));
  serve(serving, intelligenceFeedsApi.change, ({ actor, params, body }) => feeds.change(actor, params.id, body));
  serve(serving, intelligenceFeedsApi.pause, ({ actor, params, body }) => feeds.pause(actor, params.id, body.isPaused));
  serve(serving, intelligenceFeedsApi.remove, ({ actor, params }) => feeds.remove(actor, params.id));
}
