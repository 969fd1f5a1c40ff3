/** Audit actions of this feature, each with its before and after. */
import type { Added, QueryInput } from '../../domain/audit.changes.ts';

interface Marked {
  changed: number;
  alertIDs: readonly number[];
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'alerts.exported': Added<QueryInput>;
    'alerts.markedSeen': Added<Marked>;
    'alerts.markedUnseen': Added<Marked>;
  }
}
