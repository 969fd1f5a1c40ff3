/** Audit actions of this feature, each with its before and after. */
import type { Added, QueryInput } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'looks.exported': Added<QueryInput>;
    /** `view` is empty for the reason of a shift. */
    'looks.reasonGiven': Added<{ reason: string; text: string; view: string; client: number }>;
  }
}
