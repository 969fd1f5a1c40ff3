/** Audit actions of this feature, each with its before and after. */
import type { Added, Change } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'collectorConfig.downloaded': Added<{ version: number; keyName: string }>;
    'collectorConfig.saved': Change<{ version: number }, { version: number; comment: string; added: number; removed: number }>;
  }
}
