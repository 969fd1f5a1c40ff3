import { advisoryFeedsApi } from '@parapet/contract/advisoryFeeds.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { FeedsService } from './feeds.service.ts';

export function feedsRoutes(serving: Serving, feeds: FeedsService): void {
  serve(serving, advisoryFeedsApi.list, () => feeds.list());
  serve(serving, advisoryFeedsApi.test, ({ actor, params, body }) => feeds.test(actor, params.kind, body));
  serve(serving, advisoryFeedsApi.change, ({ actor, params, body }) => feeds.change(actor, params.kind, body));
}
