/** Audit actions of this feature, each with its before and after. */
import type { Added, Change, Removed } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'intelligence.imported': Added<{ name: string; format: string; count: number; skipped: number }>;
    'intelligence.removed': Removed<{ name: string; format: string; count: number }>;
    'intelligenceFeed.created': Added<{ name: string; kind: string; url: string; collection: string }>;
    'intelligenceFeed.changed': Change<{ url: string; collection: string; user: string; isPaused: boolean }>;
    'intelligenceFeed.tested': Added<{ kind: string; url: string; collection: string }>;
    'intelligenceFeed.removed': Removed<{ name: string; kind: string; url: string; count: number }>;
  }
}
