/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'taxii.read': Added<{ collection: string; resource: 'objects' | 'manifest'; addedAfter: string | null; count: number }>;
  }
}
