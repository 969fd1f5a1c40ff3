/** Audit actions of this feature, each with its before and after. */
import type { bulkApi } from '@parapet/contract/bulk.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { Added, NoDetails } from '../../domain/audit.changes.ts';

type Bulk = Added<{ total: number; change: BulkChange; which: object }>;
type BulkChange = InputOf<typeof bulkApi.cases>['body']['change'] | InputOf<typeof bulkApi.alerts>['body']['change'];

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'bulk.assign': Bulk;
    'bulk.seen': Bulk;
    'bulk.status': Bulk;
    'bulk.suppress': Bulk;
    'bulk.undone': NoDetails;
    'bulk.unseen': Bulk;
  }
}
