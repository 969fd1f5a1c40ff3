/** Values of the client wizard, and the input of the call that they become. */
import { type NewClient, newClient } from '@parapet/contract/onboarding.ts';
import { subscriptionLevelIds } from '@parapet/contract/rules/values.ts';
import type { Checks } from '../../kit/form.ts';

export const newGeneral = {
  name: '',
  phoneNumber: '',
  emailAddress: '',
  websiteURL: '',
  industry: '',
  subscriptionLevelID: subscriptionLevelIds.monitor as number,
  addressData: { street: '', suite: '', city: '', state: '', zipCode: '' },
};

export interface WizardValues {
  partnerClientOrgID: number;
  general: typeof newGeneral;
  contact: { name: string; title: string; phoneNumber: string; emailAddress: string; hours: string };
  /** Addresses separated by commas, semicolons or spaces. */
  escalationEmailAddresses: string;
  administrator: { firstName: string; lastName: string; emailAddress: string };
}

export const wizardDefaults = (partnerClientOrgID: number): WizardValues => ({
  partnerClientOrgID,
  general: newGeneral,
  contact: { name: '', title: '', phoneNumber: '', emailAddress: '', hours: '' },
  escalationEmailAddresses: '',
  administrator: { firstName: '', lastName: '', emailAddress: '' },
});

const isFilled = (part: object): boolean => Object.values(part).some((text) => String(text).trim() !== '');

/** Parts without any value are left for later. */
export const clientOf = ({ general, contact, escalationEmailAddresses, administrator }: WizardValues): NewClient => ({
  general,
  contact: isFilled(contact) ? contact : null,
  escalationEmailAddresses: escalationEmailAddresses.split(/[\s,;]+/).filter(Boolean),
  administrator: isFilled(administrator) ? administrator : null,
});

/** Checks of some fields of the wizard, or of all. Errors stand at its fields: all escalation addresses are one. */
export const wizardChecks = (fields?: readonly string[]): Checks<NewClient> => ({
  safeParse(values) {
    const client = clientOf(values as WizardValues);
    const parsed = newClient.safeParse(client);
    if (parsed.success) return parsed;
    const issues = parsed.error.issues
      .filter(({ path }) => !fields || fields.includes(String(path[0])))
      .map((issue) => (issue.path[0] === 'escalationEmailAddresses' ? { ...issue, path: ['escalationEmailAddresses'] } : issue));
    return issues.length === 0 ? { success: true, data: client } : { success: false, error: { issues } };
  },
});

/** Field of the wizard for a field of the call. */
export const wizardField = (field: string): string =>
  field.replace(/^(?:body\.)?clients\.0\./, '').replace(/^(escalationEmailAddresses)\..*/, '$1');

/** Effects of the creation, a sentence each. */
export function intentsOf(client: NewClient): string[] {
  const { administrator, contact, escalationEmailAddresses: addresses } = client;
  return [
    administrator
      ? `A welcome email goes to ${administrator.emailAddress} with a link to set a password, valid for 7 days.`
      : 'No invitations yet. Add an administrator later under Users.',
    addresses.length > 0
      ? `Case emails go to ${addresses.join(', ')}.`
      : 'Case emails have no recipient until escalation addresses are added.',
    contact ? `${contact.name} is the emergency contact.` : 'There is no emergency contact yet.',
    'Next, the setup page waits for the first event and offers a harmless test attack.',
  ];
}
