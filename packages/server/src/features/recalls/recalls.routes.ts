import { recallsApi } from '@parapet/contract/recalls.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { RecallsService } from './recalls.service.ts';

export function recallsRoutes(serving: Serving, recalls: RecallsService): void {
  serve(serving, recallsApi.list, ({ actor, params }) => recalls.list(actor, params.caseId));
  serve(serving, recallsApi.request, ({ actor, params, body }) => recalls.request(actor, params.caseId, body));
  serve(serving, recallsApi.release, ({ actor, params }) => recalls.release(actor, params.caseId, params.id));
}
