/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'erasure.certificateDownloaded': Added<{ format: 'json' | 'pdf' }>;
    'erasure.finished': Added<{ rows: number; sha256: string }>;
  }
}
