/** Audit actions of this feature, each with its before and after. */
import type { Added, NoDetails, Removed } from '../../domain/audit.changes.ts';

interface Described {
  kind: string;
  name: string;
  account: string;
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'connection.created': Added<Described>;
    'connection.removed': Removed<Described>;
    'connection.tested': Added<{ kind: string; account: string }>;
    'connection.paused': NoDetails;
    'connection.resumed': NoDetails;
    'connection.secretsReplaced': NoDetails;
    /** Stopped by the portal, because the vendor refused access. */
    'connection.stopped': Added<{ error: string }>;
  }
}
