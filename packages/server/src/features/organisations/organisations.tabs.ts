/** Stored form of the client-detail tabs. */
import type { alertTypes, ClientDetails } from '@parapet/contract/organisations.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { findIdentityProvider, listContacts, listEscalation, type OrganisationRow } from './organisations.store.ts';

export type Tabs = Pick<ClientDetails, 'general' | 'contacts' | 'escalation' | 'playbook' | 'retention'> & {
  signInPolicy: NonNullable<ClientDetails['signInPolicy']>;
};

/** Stored values of every tab except the brand. */
export async function tabsOf(tx: Tx, scope: Scope, row: OrganisationRow): Promise<Tabs> {
  const provider = await findIdentityProvider(tx, scope, row.id);
  return {
    general: {
      name: row.name,
      phoneNumber: row.phone_number,
      emailAddress: row.email_address,
      websiteURL: row.website_url,
      industry: row.industry,
      addressData: { street: row.street, suite: row.suite, city: row.city, state: row.state, zipCode: row.zip_code },
      subscriptionLevelID: row.subscription_level_id,
    },
    contacts: { emergencyContacts: await listContacts(tx, scope, row.id) },
    escalation: { escalationEmailAddresses: await listEscalation(tx, scope, row.id) },
    playbook: {
      generalAlertNotes: row.general_alert_notes,
      alertPlaybookData: row.alert_playbook,
      alertTypes: row.alert_types as (typeof alertTypes)[number][],
    },
    signInPolicy: {
      isMfaCompulsory: row.is_mfa_compulsory,
      allowsFirstMatchByEmail: row.allows_first_match_by_email,
      singleSignOn: provider ? { issuer: provider.issuer, clientId: provider.client_id, clientSecret: '' } : null,
    },
    retention: { alertRetentionMonths: row.alert_retention_months },
  };
}
