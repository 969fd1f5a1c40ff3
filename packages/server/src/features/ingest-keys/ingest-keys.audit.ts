/** Audit actions of this feature, each with its before and after. */
import type { Added, NoDetails, Removed } from '../../domain/audit.changes.ts';

/** With the id of the API key that created it, where revoking that key revoked this one. */
type WithKey = NoDetails | Removed<{ createdByApiKey: number }>;

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'ingestKey.created': Added<{ name: string }>;
    'ingestKey.revoked': WithKey;
  }
}
