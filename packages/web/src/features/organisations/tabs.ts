/** Tabs of client details, by the address’s last segment. */
import type { ClientDetails } from '@parapet/contract/organisations.ts';

export const tabs = [
  { id: 'general', title: 'General' },
  { id: 'contacts', title: 'Contacts' },
  { id: 'escalation', title: 'Escalation' },
  { id: 'playbook', title: 'Playbook' },
  { id: 'branding', title: 'Branding' },
  { id: 'sign-in', title: 'Sign-in' },
  { id: 'retention', title: 'Retention' },
  { id: 'ingest-keys', title: 'Ingest keys' },
  { id: 'setup', title: 'Setup' },
  { id: 'offboarding', title: 'Offboarding' },
] as const;
export type TabId = (typeof tabs)[number]['id'];

export const tabIn = (text: string | undefined): TabId => tabs.find(({ id }) => id === text?.toLowerCase())?.id ?? 'general';

/** Reason why a tab has no content for this organisation or user; undefined when it has. */
export function absence(
  tab: TabId,
  details: Pick<ClientDetails, 'branding' | 'signInPolicy' | 'partnerName' | 'isPartner' | 'can'>,
  mayKeys: boolean,
): string | undefined {
  if (tab === 'branding' && !details.branding)
    return `Brands belong to partners. This organisation shows the brand of ${details.partnerName}.`;
  if (tab === 'sign-in' && !details.signInPolicy) return 'The sign-in policy is for administrators. Your role can’t see it.';
  if (tab === 'ingest-keys' && !mayKeys) return 'Ingest keys are for administrators. Your role can’t see them.';
  if (tab === 'setup' && !mayKeys) return 'The setup checklist is for administrators. Your role can’t see it.';
  if (tab === 'offboarding' && (details.isPartner || !details.can.deactivate))
    return 'Clients are offboarded by administrators of their partner.';
  return undefined;
}
