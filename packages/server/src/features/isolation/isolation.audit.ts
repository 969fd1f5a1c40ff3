/** Audit actions of this feature, each with its before and after. */
import type { Added, NoDetails } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'isolation.found': Added<{ organisationId: number; actorOrganisationId: number; how: string }>;
    'isolation.requested': NoDetails;
  }
}
