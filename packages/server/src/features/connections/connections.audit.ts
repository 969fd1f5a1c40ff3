/** Audit actions of this feature, each with its before and after. */
import type { Added, Change, NoDetails, Removed } from '../../domain/audit.changes.ts';

interface Described {
  kind: string;
  name: string;
  account: string;
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'connection.created': Added<Described & { mayAct: boolean }>;
    'connection.removed': Removed<Described>;
    'connection.tested': Added<{ kind: string; account: string }>;
    'connection.paused': NoDetails;
    'connection.resumed': NoDetails;
    'connection.secretsReplaced': NoDetails;
    'connection.responsesChanged': Change<{ mayAct: boolean }>;
    /** Stopped by the portal, because the vendor refused access. */
    'connection.stopped': Added<{ error: string }>;
  }
}
