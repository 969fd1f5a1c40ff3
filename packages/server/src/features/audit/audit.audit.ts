/** Audit actions of this feature, each with its before and after. */
import type { Added, Change, QueryInput } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'audit.exported': Added<QueryInput>;
    'audit.keyChanged': Change<{ key: string }>;
    'audit.sealBroken': Added<{ expectedPosition: number; foundPosition: number }>;
  }
}
