/** Creation, move, deactivation and reactivation of organisations. Runs in the portal’s own scope, as each crosses tenants. */
import { providerId } from '@parapet/contract/access.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import { scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { type Actor, outsideScope, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { DetailsOf, OrganisationsDeps } from './organisations.deps.ts';
import { isBelow, listed, requireOneLine, requireProvidersHost } from './organisations.rules.ts';
import {
  findIdentityProvider,
  insertOrganisation,
  keepRulesOf,
  listActiveBelow,
  lockOrganisations,
  type OrganisationRow,
  removeIdentitiesOf,
  removeLinksOf,
  revokeSessionsOf,
  updateOrganisation,
} from './organisations.store.ts';
import { columnsOf } from './organisations.updates.ts';

type NewOrganisation = InputOf<typeof organisationsApi.create>['body'];

const goneText = (id: number) => `Organisation ${id} has been deactivated. Reload and try again.`;

export function createLifecycle(
  { db, branding, clock }: Pick<OrganisationsDeps, 'db' | 'branding' | 'clock'>,
  details: DetailsOf,
) {
  /** Creates an organisation in the caller’s transaction, which needs the portal’s own scope; returns its id. */
  const createIn = async (tx: Tx, actor: Actor, input: NewOrganisation): Promise<number> => {
    const { general, isPartner, partnerClientOrgID: partnerId, subDomain } = input;
    scopeFor(actor, partnerId);
    if (isPartner) requireProvidersHost(actor, 'create a partner');
    requireOneLine('general.name', general.name);
    if (isPartner && partnerId !== providerId)
      throw problem.invalid({ partnerClientOrgID: [`Partners belong to the provider: use ${providerId}.`] });
    if (!isPartner && subDomain !== undefined) throw problem.invalid({ subDomain: ['Clients use their partner’s sub-domain.'] });
    const [partner] = await lockOrganisations(tx, systemScope, [partnerId]);
    if (!partner || partner.deactivated_at) throw problem.conflict(goneText(partnerId));
    if (!partner.is_partner)
      throw problem.invalid({ partnerClientOrgID: [`${partner.name} is a client. Only partners can have clients.`] });
    const newId = await insertOrganisation(tx, { ...columnsOf(general), is_partner: isPartner, parent_id: partnerId });
    if (isPartner) await branding.make(tx, newId, general.name, subDomain);
    await recordAudit(tx, actor, {
      action: 'organisation.created',
      organisationId: newId,
      target: general.name,
      after: { isPartner, partnerClientOrgID: partnerId, ...general },
    });
    return newId;
  };

  /** Ends sign-ins and intake, in the caller’s transaction, which needs the portal’s own scope. */
  const deactivateIn = async (tx: Tx, actor: Actor, id: number): Promise<void> => {
    scopeFor(actor, id);
    if (id === providerId) throw problem.conflict('The provider’s own organisation can’t be deactivated.');
    if (id === actor.organisationId) throw problem.conflict('You can’t deactivate your own organisation.');
    const row = await lockedFor(actor, tx, id);
    if (row.deactivated_at) throw problem.conflict(`${row.name} is already deactivated.`);
    const clients = await listActiveBelow(tx, id);
    if (clients.length > 0)
      throw problem.conflict(`${row.name} still has active clients: ${listed(clients)}. Move or deactivate them first.`);
    await updateOrganisation(tx, systemScope, id, { deactivated_at: new Date(clock.now()) });
    await revokeSessionsOf(tx, id);
    await recordAudit(tx, actor, { action: 'organisation.deactivated', organisationId: id, target: row.name });
  };

  return {
    async create(actor: Actor, input: NewOrganisation): Promise<ClientDetails> {
      const id = await scoped(db, systemScope, (tx) => createIn(tx, actor, input));
      // The new organisation enters the caller’s scope with the next request.
      return details({ ...actor, organisationIds: [...actor.organisationIds, id] }, id);
    },

    createIn,

    async move(actor: Actor, id: number, targetId: number): Promise<ClientDetails> {
      requireProvidersHost(actor, 'move a client');
      scopeFor(actor, id);
      scopeFor(actor, targetId);
      await scoped(db, systemScope, (tx) => moveClient(tx, actor, id, targetId));
      return details(actor, id);
    },

    deactivate: (actor: Actor, id: number): Promise<void> => scoped(db, systemScope, (tx) => deactivateIn(tx, actor, id)),

    deactivateIn,

    async reactivate(actor: Actor, id: number): Promise<void> {
      if (id === actor.organisationId) throw problem.conflict('Your own organisation is active.');
      await scoped(db, systemScope, async (tx) => {
        const row = await lockedFor(actor, tx, id);
        if (!row.deactivated_at) throw problem.conflict(`${row.name} is active.`);
        if (row.erased_at) throw problem.conflict(`The data of ${row.name} is erased, so that it can’t be reactivated.`);
        const [partner] = row.parent_id === null ? [] : await lockOrganisations(tx, systemScope, [row.parent_id]);
        if (partner?.deactivated_at)
          throw problem.conflict(`${partner.name}, the partner of ${row.name}, is deactivated. Reactivate it first.`);
        await updateOrganisation(tx, systemScope, id, { deactivated_at: null });
        await recordAudit(tx, actor, { action: 'organisation.reactivated', organisationId: id, target: row.name });
      });
    },
  };
}

async function lockedFor(actor: Actor, tx: Tx, id: number): Promise<OrganisationRow> {
  const [row] = await lockOrganisations(tx, systemScope, [id]);
  if (!row || !isBelow(actor, row)) throw outsideScope(id);
  if (row.is_partner) requireProvidersHost(actor, 'deactivate or reactivate a partner');
  return row;
}

/** Moves a client to another partner; the old one’s sign-ins and links end. */
async function moveClient(tx: Tx, actor: Actor, id: number, targetId: number): Promise<void> {
  const rows = await lockOrganisations(tx, systemScope, [id, targetId]);
  const [client, target] = [id, targetId].map((rowId) => rows.find((row) => row.id === rowId && !row.deactivated_at));
  if (!client) throw problem.conflict(goneText(id));
  if (!target) throw problem.conflict(goneText(targetId));
  if (client.is_partner) throw problem.invalid({ id: [`${client.name} is a partner. Only clients can be moved.`] });
  if (!target.is_partner) throw problem.invalid({ partnerClientOrgID: [`${target.name} is a client, not a partner.`] });
  if (client.parent_id === targetId) throw problem.conflict(`${client.name} already belongs to ${target.name}.`);

  await updateOrganisation(tx, systemScope, id, { parent_id: targetId });
  // The old partner’s identity provider is no longer trusted for these users.
  const old = client.parent_id === null ? undefined : await findIdentityProvider(tx, systemScope, client.parent_id);
  const identitiesRemoved = old ? await removeIdentitiesOf(tx, id, old.issuer) : 0;
  // The old partner’s administrators could read these links, which lead to its host.
  await removeLinksOf(tx, id);
  if (client.parent_id !== null) await keepRulesOf(tx, id, client.parent_id);

  // One entry per side: neither partner learns of the other.
  const entry = { action: 'organisation.moved' as const, target: client.name };
  const from = { partnerClientOrgID: client.parent_id };
  const to = { partnerClientOrgID: targetId };
  await recordAudit(tx, actor, { ...entry, organisationId: id, before: from, after: { ...to, identitiesRemoved } });
  if (client.parent_id !== null) await recordAudit(tx, actor, { ...entry, organisationId: client.parent_id, before: from });
  await recordAudit(tx, actor, { ...entry, organisationId: targetId, after: to });
}
