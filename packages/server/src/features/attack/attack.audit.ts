/** Audit actions of this feature, each with its before and after. */
import type { Added, QueryInput } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'attack.exported': Added<QueryInput>;
  }
}
