import { outboxApi } from '@parapet/contract/outbox.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { OutboxService } from './outbox.service.ts';

export function outboxRoutes(serving: Serving, outbox: OutboxService): void {
  serve(serving, outboxApi.list, ({ actor, params, query }) => outbox.list(actor, params.client, query));
  serve(serving, outboxApi.get, ({ actor, params }) => outbox.get(actor, params.id));
}
