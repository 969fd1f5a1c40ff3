/** Audit actions of this feature, each with its before and after. */
import type { Added, Removed } from '../../domain/audit.changes.ts';

interface Access {
  client: string;
  redirectHost: string;
  scopes: readonly string[];
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'assistant.allowed': Added<Access>;
    'assistant.revoked': Removed<{ client: string }>;
  }
}
