/** Audit actions of this feature, each with its before and after. */
import type { Added, NoDetails } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'installation.backupRequested': NoDetails;
    'installation.released': NoDetails;
    'installation.restored': Added<{ restoredTo: string; base: string }>;
  }
}
