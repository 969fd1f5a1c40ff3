import { auditApi } from '@parapet/contract/audit.ts';
import { csvType } from '../../core/csv.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { AuditService } from './audit.service.ts';

export function auditRoutes(serving: Serving, audit: AuditService): void {
  serve(serving, auditApi.list, ({ actor, params, query }) => audit.list(actor, params.client, { ...params, ...query }));
  serve(serving, auditApi.actions, ({ actor, params }) => audit.actions(actor, params.client, params));
  serve(serving, auditApi.seal, ({ actor, params }) => audit.seal(actor, params.client));
  serve(serving, auditApi.exportLines, async ({ actor, params, query }) => ({
    type: 'application/x-ndjson; charset=utf-8',
    bytes: await audit.exportLines(actor, params.client, { ...params, ...query }),
    downloadName: 'audit.jsonl',
  }));
  serve(serving, auditApi.exportList, async ({ actor, params, query }) => ({
    type: csvType,
    bytes: await audit.exportList(actor, params.client, { ...params, ...query }),
    downloadName: 'audit.csv',
  }));
}
