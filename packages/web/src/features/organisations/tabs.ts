/** The tabs of client details: each an address of its own. */
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
] as const;
export type TabId = (typeof tabs)[number]['id'];

export const tabIn = (text: string | undefined): TabId => tabs.find(({ id }) => id === text?.toLowerCase())?.id ?? 'general';

/** Why a tab has nothing to show for this organisation or this reader; undefined when it has. */
export function absence(
  tab: TabId,
  details: Pick<ClientDetails, 'branding' | 'signInPolicy' | 'partnerName'>,
  mayKeys: boolean,
): string | undefined {
  if (tab === 'branding' && !details.branding)
    return `Brands belong to partners. This organisation shows the brand of ${details.partnerName}.`;
  if (tab === 'sign-in' && !details.signInPolicy) return 'The sign-in policy is for administrators. Your role cannot see it.';
  if (tab === 'ingest-keys' && !mayKeys) return 'Ingest keys are for administrators. Your role cannot see them.';
  return undefined;
}
