/** Audit actions of this feature, each with its before and after. */
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import type { Added, Change, NoDetails, Removed } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'webhookSource.created': Added<{ name: string; authentication: string; header: string; mapping: EventMapping }>;
    'webhookSource.mappingSaved': Change<{ version: number; mapping: EventMapping }>;
    'webhookSource.paused': NoDetails;
    'webhookSource.resumed': NoDetails;
    'webhookSource.secretReplaced': NoDetails;
    'webhookSource.removed': Removed<{ name: string }>;
  }
}
