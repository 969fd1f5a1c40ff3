/** Saves the tabs of client details: one transaction and one audit entry with the changes each. */
import type { ClientDetails, EmergencyContact } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { DetailsOf, OrganisationsDeps } from './organisations.deps.ts';
import { changedFields, issuerFault, requireOneLine } from './organisations.rules.ts';
import {
  findIdentityProvider,
  findOrganisation,
  listEscalation,
  lockActive,
  type OrganisationRow,
  putIdentityProvider,
  removeIdentityProvider,
  replaceContacts,
  replaceEscalation,
  updateOrganisation,
} from './organisations.store.ts';
import { type Tabs, tabsOf } from './organisations.tabs.ts';

export function createUpdates(
  { db, branding, keys, alertRetentionMonths, allowsInsecureIssuers }: OrganisationsDeps,
  details: DetailsOf,
) {
  /** Runs a tab’s change; its return value is added to the audit entry. */
  const save = async (
    actor: Actor,
    id: number,
    tab: keyof Tabs,
    // biome-ignore lint/suspicious/noConfusingVoidType: most changes add nothing
    run: (tx: Tx, scope: Scope, row: OrganisationRow, before: Tabs) => Promise<object | void>,
  ): Promise<ClientDetails> => {
    const scope = scopeFor(actor, id);
    await scoped(db, scope, async (tx) => {
      const row = await lockActive(tx, scope, id);
      const before = await tabsOf(tx, scope, row);
      const more = await run(tx, scope, row, before);
      const after = await tabsOf(tx, scope, (await findOrganisation(tx, scope, id)) ?? row);
      const changed = changedFields<object>(before[tab], after[tab]);
      await recordAudit(tx, actor, {
        action: `organisation.${tab}Updated`,
        organisationId: id,
        target: row.name,
        before: changed.before,
        after: { ...changed.after, ...more },
      });
    });
    return details(actor, id);
  };

  return {
    updateGeneral(actor: Actor, id: number, input: ClientDetails['general']) {
      requireOneLine('name', input.name);
      return save(actor, id, 'general', async (tx, scope) => {
        if (!actor.isPartner) await requireSameLevel(tx, scope, id, input.subscriptionLevelID);
        await updateOrganisation(tx, scope, id, columnsOf(input));
        await branding.addressChanged(tx, scope, id);
      });
    },

    updateContacts: (actor: Actor, id: number, input: { emergencyContacts: EmergencyContact[] }) =>
      save(actor, id, 'contacts', (tx, scope) => replaceContacts(tx, scope, id, input.emergencyContacts)),

    updateEscalation: (actor: Actor, id: number, { escalationEmailAddresses: addresses }: ClientDetails['escalation']) =>
      save(actor, id, 'escalation', async (tx, scope, _row, before) => {
        requireDistinct(before.escalation.escalationEmailAddresses, addresses);
        await replaceEscalation(tx, scope, id, addresses);
      }),

    updatePlaybook: (actor: Actor, id: number, input: ClientDetails['playbook']) =>
      save(actor, id, 'playbook', (tx, scope) =>
        updateOrganisation(tx, scope, id, {
          general_alert_notes: input.generalAlertNotes,
          alert_playbook: input.alertPlaybookData,
          alert_types: [...new Set(input.alertTypes)],
        }),
      ),

    async updateSignInPolicy(actor: Actor, id: number, input: NonNullable<ClientDetails['signInPolicy']>) {
      scopeFor(actor, id);
      const secret = input.singleSignOn?.clientSecret;
      const place = { organisationId: id, column: 'identity_providers.client_secret', id } as const;
      // Data keys are only accessible in the portal’s own scope.
      const sealed = secret ? await scoped(db, 'system', (tx) => keys.seal(tx, place, secret)) : null;
      return save(actor, id, 'signInPolicy', async (tx, scope, row) => {
        await updateOrganisation(tx, scope, id, {
          is_mfa_compulsory: input.isMfaCompulsory,
          allows_first_match_by_email: input.allowsFirstMatchByEmail,
        });
        const requested = input.singleSignOn;
        if (!requested) return removeIdentityProvider(tx, scope, id);
        if (!row.is_partner)
          throw problem.invalid({ singleSignOn: ['A client signs in through the identity provider of its partner.'] });
        const fault = issuerFault(requested.issuer, allowsInsecureIssuers);
        if (fault) throw problem.invalid({ 'singleSignOn.issuer': [fault] });
        return replaceIdentityProvider(tx, scope, id, requested, sealed);
      });
    },

    updateRetention(actor: Actor, id: number, input: ClientDetails['retention']) {
      const faults: Record<string, string[]> = {};
      if ((input.alertRetentionMonths ?? 0) > alertRetentionMonths)
        faults.alertRetentionMonths = [`This portal keeps alerts for ${alertRetentionMonths} months. Enter at most that.`];
      return save(actor, id, 'retention', async (tx, scope) => {
        if (Object.keys(faults).length > 0) throw problem.invalid(faults);
        await updateOrganisation(tx, scope, id, { alert_retention_months: input.alertRetentionMonths });
      });
    },
  };
}

interface NewPeople {
  emergencyContacts: EmergencyContact[];
  /** Distinct. */
  escalationEmailAddresses: readonly string[];
}

/** Runs in the portal’s own scope. */
export async function addPeopleIn(
  tx: Tx,
  actor: Actor,
  id: number,
  { emergencyContacts, escalationEmailAddresses: addresses }: NewPeople,
): Promise<void> {
  const { name } = (await findOrganisation(tx, 'system', id))!;
  if (emergencyContacts.length > 0) {
    await replaceContacts(tx, 'system', id, emergencyContacts);
    const after = { emergencyContacts };
    await recordAudit(tx, actor, { action: 'organisation.contactsUpdated', organisationId: id, target: name, before: {}, after });
  }
  if (addresses.length === 0) return;
  const added = addresses.map((emailAddress) => ({ id: 0, emailType: 'to' as const, emailAddress }));
  await replaceEscalation(tx, 'system', id, added);
  const after = { escalationEmailAddresses: await listEscalation(tx, 'system', id) };
  await recordAudit(tx, actor, { action: 'organisation.escalationUpdated', organisationId: id, target: name, before: {}, after });
}

type Escalation = ClientDetails['escalation']['escalationEmailAddresses'];

/** Throws notFound for ids that are not stored, invalid for an address listed twice. */
function requireDistinct(before: Escalation, addresses: Escalation): void {
  const known = new Set(before.map((address) => address.id));
  const seen = new Set<string>();
  for (const [at, address] of addresses.entries()) {
    const field = `escalationEmailAddresses.${at}`;
    if (address.id !== 0 && !known.delete(address.id)) throw problem.notFound('escalation address', address.id);
    const key = `${address.emailType} ${address.emailAddress.toLowerCase()}`;
    if (seen.has(key)) throw problem.invalid({ [`${field}.emailAddress`]: [`${address.emailAddress} is listed twice.`] });
    seen.add(key);
  }
}

/** Stores the provider with a new secret, or with the stored one, which is only sent to the issuer that it belongs to. */
async function replaceIdentityProvider(
  tx: Tx,
  scope: Scope,
  id: number,
  { issuer, clientId }: { issuer: string; clientId: string },
  newSecret: Buffer | null,
): Promise<{ isSecretNew: boolean; hasSecret: boolean }> {
  const stored = await findIdentityProvider(tx, scope, id);
  const secret = newSecret ?? (stored?.issuer === issuer ? stored.client_secret : null);
  await putIdentityProvider(tx, { organisation_id: id, issuer, client_id: clientId, client_secret: secret });
  return { isSecretNew: newSecret !== null, hasSecret: secret !== null };
}

/** Changes the service level, which is set by the client’s partner. */
async function requireSameLevel(tx: Tx, scope: Scope, id: number, level: number): Promise<void> {
  const organisation = await findOrganisation(tx, scope, id);
  if (organisation?.subscription_level_id !== level)
    throw problem.forbidden('Your partner sets the service level. Contact them to change it.');
}

export const columnsOf = ({ addressData, ...general }: ClientDetails['general']) => ({
  name: general.name,
  phone_number: general.phoneNumber,
  email_address: general.emailAddress,
  website_url: general.websiteURL,
  industry: general.industry,
  subscription_level_id: general.subscriptionLevelID,
  street: addressData.street,
  suite: addressData.suite,
  city: addressData.city,
  state: addressData.state,
  zip_code: addressData.zipCode,
});
