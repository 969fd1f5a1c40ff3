import { bulkApi } from '@parapet/contract/bulk.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { BulkService } from './bulk.service.ts';

export function bulkRoutes(serving: Serving, bulk: BulkService): void {
  serve(serving, bulkApi.cases, ({ actor, body }) => bulk.cases(actor, body));
  serve(serving, bulkApi.alerts, ({ actor, body }) => bulk.alerts(actor, body));
  serve(serving, bulkApi.get, ({ actor, params }) => bulk.get(actor, params.id));
  serve(serving, bulkApi.undo, ({ actor, params }) => bulk.undo(actor, params.id));
}
