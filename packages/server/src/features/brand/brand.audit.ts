/** Audit actions of this feature, each with its before and after. */
import type { Added, NoDetails } from '../../domain/audit.changes.ts';

type MaybeFault = NoDetails | Added<{ error: string }>;

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'organisation.domainFailing': MaybeFault;
    'organisation.domainLapsed': MaybeFault;
    'organisation.domainVerified': MaybeFault;
    'organisation.domainVouchWithdrawn': NoDetails;
    'organisation.domainVouched': NoDetails;
  }
}
