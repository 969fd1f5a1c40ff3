/** Audit actions of this feature, each with its before and after. */
import type { KeyScope } from '@parapet/contract/access.ts';
import type { Added, Instant, Removed } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'apiKey.created': Added<{
      name: string;
      scopes: readonly KeyScope[];
      addressRanges: readonly string[];
      expiresAt: Instant | null;
    }>;
    'apiKey.revoked': Removed<{ name: string }>;
    'sessions.ended': Added<{ ended: number }>;
  }
}
