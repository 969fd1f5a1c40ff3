/** How organisations come, move, go and come back. Each runs with the portal's own scope, since it touches what no single scope holds. */
import { providerId } from '@parapet/contract/access.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import { scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { type Actor, outsideScope, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { isBelow, listed, requireOneLine, requireProvidersHost } from './organisations.rules.ts';
import type { DetailsOf, OrganisationsDeps } from './organisations.service.ts';
import {
  findIdentityProvider,
  insertOrganisation,
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

export function createLifecycle({ db, branding }: Pick<OrganisationsDeps, 'db' | 'branding'>, details: DetailsOf) {
  const goneText = (id: number) => `Organisation ${id} was deactivated meanwhile. Reload and try again.`;

  return {
    async create(actor: Actor, input: NewOrganisation): Promise<ClientDetails> {
      const { general, isPartner, partnerClientOrgID: partnerId, subDomain } = input;
      scopeFor(actor, partnerId);
      if (isPartner) requireProvidersHost(actor, 'make a new partner');
      requireOneLine('general.name', general.name);
      if (isPartner && partnerId !== providerId)
        throw problem.invalid({ partnerClientOrgID: [`Partners belong to the provider: send ${providerId}.`] });
      if (!isPartner && subDomain !== undefined)
        throw problem.invalid({ subDomain: ['A client is reached at its partner’s sub-domain; only a partner has its own.'] });
      const id = await scoped(db, systemScope, async (tx) => {
        const [partner] = await lockOrganisations(tx, systemScope, [partnerId]);
        if (!partner || partner.deactivated_at) throw problem.conflict(goneText(partnerId));
        if (!partner.is_partner)
          throw problem.invalid({ partnerClientOrgID: [`${partner.name} is a client; only a partner has clients.`] });
        const made = await insertOrganisation(tx, { ...columnsOf(general), is_partner: isPartner, parent_id: partnerId });
        if (isPartner) await branding.make(tx, made, general.name, subDomain);
        await recordAudit(tx, actor, {
          action: 'organisation.created',
          organisationId: made,
          target: general.name,
          after: { isPartner, partnerClientOrgID: partnerId, ...general },
        });
        return made;
      });
      // It is in the caller's scope from the next request on.
      return details({ ...actor, organisationIds: [...actor.organisationIds, id] }, id);
    },

    async move(actor: Actor, id: number, targetId: number): Promise<ClientDetails> {
      requireProvidersHost(actor, 'move a client');
      scopeFor(actor, id);
      scopeFor(actor, targetId);
      await scoped(db, systemScope, async (tx) => {
        const rows = await lockOrganisations(tx, systemScope, [id, targetId]);
        const [client, target] = [id, targetId].map((wanted) => rows.find((row) => row.id === wanted && !row.deactivated_at));
        if (!client) throw problem.conflict(goneText(id));
        if (!target) throw problem.conflict(goneText(targetId));
        if (client.is_partner) throw problem.invalid({ id: [`${client.name} is a partner; only clients are moved.`] });
        if (!target.is_partner) throw problem.invalid({ partnerClientOrgID: [`${target.name} is a client, not a partner.`] });
        if (client.parent_id === targetId) throw problem.conflict(`${client.name} is with ${target.name} already.`);

        await updateOrganisation(tx, systemScope, id, { parent_id: targetId });
        // The old partner's identity provider says nothing about who these people are any more.
        const old = client.parent_id === null ? undefined : await findIdentityProvider(tx, systemScope, client.parent_id);
        const identitiesRemoved = old ? await removeIdentitiesOf(tx, id, old.issuer) : 0;
        // Its administrators could read these in the outbox, and they lead to its host.
        await removeLinksOf(tx, id);

        // Each side reads of its own half: who had the client before, or has it now, is nobody else's business.
        const entry = { action: 'organisation.moved' as const, target: client.name };
        const from = { partnerClientOrgID: client.parent_id };
        const to = { partnerClientOrgID: targetId };
        await recordAudit(tx, actor, { ...entry, organisationId: id, before: from, after: { ...to, identitiesRemoved } });
        if (client.parent_id !== null) await recordAudit(tx, actor, { ...entry, organisationId: client.parent_id, before: from });
        await recordAudit(tx, actor, { ...entry, organisationId: targetId, after: to });
      });
      return details(actor, id);
    },

    async deactivate(actor: Actor, id: number): Promise<void> {
      scopeFor(actor, id);
      if (id === providerId) throw problem.conflict('The provider’s own organisation cannot be deactivated.');
      if (id === actor.organisationId) throw problem.conflict('Your own organisation cannot be deactivated by you.');
      await scoped(db, systemScope, async (tx) => {
        const row = await lockedFor(actor, tx, id);
        if (row.deactivated_at) throw problem.conflict(`${row.name} is deactivated already.`);
        const clients = await listActiveBelow(tx, id);
        if (clients.length > 0)
          throw problem.conflict(`${row.name} still looks after ${listed(clients)}. Move or deactivate them first.`);
        await updateOrganisation(tx, systemScope, id, { deactivated_at: new Date() });
        await revokeSessionsOf(tx, id);
        await recordAudit(tx, actor, { action: 'organisation.deactivated', organisationId: id, target: row.name });
      });
    },

    async reactivate(actor: Actor, id: number): Promise<void> {
      if (id === actor.organisationId) throw problem.conflict('Your own organisation is active.');
      await scoped(db, systemScope, async (tx) => {
        const row = await lockedFor(actor, tx, id);
        if (!row.deactivated_at) throw problem.conflict(`${row.name} is active.`);
        const [partner] = row.parent_id === null ? [] : await lockOrganisations(tx, systemScope, [row.parent_id]);
        if (partner?.deactivated_at)
          throw problem.conflict(`${partner.name}, which looks after ${row.name}, is deactivated itself. Bring it back first.`);
        await updateOrganisation(tx, systemScope, id, { deactivated_at: null });
        await recordAudit(tx, actor, { action: 'organisation.reactivated', organisationId: id, target: row.name });
      });
    },
  };

  async function lockedFor(actor: Actor, tx: Tx, id: number): Promise<OrganisationRow> {
    const [row] = await lockOrganisations(tx, systemScope, [id]);
    if (!row || !isBelow(actor, row)) throw outsideScope(id);
    if (row.is_partner) requireProvidersHost(actor, 'deactivate a partner or bring one back');
    return row;
  }
}
