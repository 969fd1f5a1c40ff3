/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    /** Of each client whose events were read. */
    'pastSearch.searched': Added<{ kind: string; name: string; events: number; hits: number }>;
  }
}
