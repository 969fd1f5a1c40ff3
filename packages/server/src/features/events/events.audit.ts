/** Audit actions of this feature, each with its before and after. */
import type { Added, QueryInput } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'events.keptAsideRead': Added<QueryInput>;
    'events.searched': Added<QueryInput>;
  }
}
