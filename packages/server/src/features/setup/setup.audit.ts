/** Audit actions of this feature, each with its before and after. */
import type { Added } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'setup.confirmed': Added<{ step: 'backup' | 'hidden'; isConfirmed: boolean }>;
  }
}
