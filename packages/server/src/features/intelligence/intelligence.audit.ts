/** Audit actions of this feature, each with its before and after. */
import type { Added, Removed } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'intelligence.imported': Added<{ name: string; format: string; count: number; skipped: number }>;
    'intelligence.removed': Removed<{ name: string; format: string; count: number }>;
  }
}
