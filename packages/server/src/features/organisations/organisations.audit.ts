/** Audit actions of this feature, each with its before and after. */
import type { Branding, ClientDetails } from '@parapet/contract/organisations.ts';
import type { Added, NoDetails, PartialChange } from '../../domain/audit.changes.ts';

declare module '../../domain/audit.ts' {
  interface AuditActions {
    'organisation.brandingUpdated': PartialChange<Branding>;
    'organisation.contactsUpdated': PartialChange<ClientDetails['contacts']>;
    'organisation.created': Added<ClientDetails['general'] & { isPartner: boolean; partnerClientOrgID: number | null }>;
    'organisation.deactivated': NoDetails;
    'organisation.escalationUpdated': PartialChange<ClientDetails['escalation']>;
    'organisation.generalUpdated': PartialChange<ClientDetails['general']>;
    'organisation.logoRemoved': NoDetails;
    'organisation.logoUploaded': NoDetails;
    /** Written once for each of the three organisations, with the part that concerns it. */
    'organisation.moved': {
      before?: { partnerClientOrgID: number | null };
      after?: { partnerClientOrgID: number; identitiesRemoved?: number };
    };
    'organisation.playbookUpdated': PartialChange<ClientDetails['playbook']>;
    'organisation.reactivated': NoDetails;
    'organisation.retentionUpdated': PartialChange<ClientDetails['retention']>;
    'organisation.signInPolicyUpdated': PartialChange<NonNullable<ClientDetails['signInPolicy']>>;
  }
}
