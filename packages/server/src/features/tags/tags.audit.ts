/** Audit actions of this feature, each with its before and after. */
import type { Added, Removed } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'devices.tagged': Added<readonly { id: number; isDeleted: boolean }[]>;
    'tag.deleted': Removed<{ name: string }>;
    'tag.saved': Added<{ name: string }>;
  }
}
