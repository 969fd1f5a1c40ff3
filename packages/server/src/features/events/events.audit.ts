/** Audit actions of this feature, each with its before and after. */
import type { Added, QueryInput } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'events.exportDownloaded': Added<{ format: string; events: number }>;
    'events.exported': Added<QueryInput>;
    'events.fieldsRead': Added<QueryInput>;
    'events.keptAsideRead': Added<QueryInput>;
    'events.searched': Added<QueryInput>;
  }
}
