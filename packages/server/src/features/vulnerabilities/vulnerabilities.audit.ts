/** Audit actions of this feature, each with its before and after. */
import type { Added, Change } from '../../domain/audit.changes.ts';

interface Acceptance {
  acceptedUntil: string | null;
  reason: string | null;
}

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'advisories.imported': Added<{ imported: number; skipped: number }>;
    'finding.accepted': Change<Acceptance>;
    'finding.reopened': Change<Acceptance>;
    'scan.uploaded': Added<{ tool: string; packages: number; skipped: number }>;
  }
}
