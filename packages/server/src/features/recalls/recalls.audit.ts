/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'recall.released': Added<{ recall: number }>;
    'recall.requested': Added<{
      recall: number;
      firstDay: string;
      lastDay: string;
      keepDays: number;
      files: number;
      events: number;
    }>;
  }
}
