/** Client selector, client details and the partner’s contact. Changes are in organisations.updates.ts and organisations.lifecycle.ts. */
import { may, providerId } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { organisationsApi, PartnerOrganisation } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Query } from '@parapet/contract/rules/query.ts';
import { readScoped, type Scope, scoped, systemScope } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { queryRows } from '../../domain/query/listed.ts';
import { createBrandUpdates } from './organisations.branding.ts';
import type { DetailsOf, OrganisationsDeps } from './organisations.deps.ts';
import { findHeld } from './organisations.held.ts';
import { createLifecycle } from './organisations.lifecycle.ts';
import { canOf, isBelow } from './organisations.rules.ts';
import {
  countPeople,
  findOrganisation,
  isTakingIn,
  listActiveBelow,
  listDeactivated,
  listOrganisations,
} from './organisations.store.ts';
import { tabsOf } from './organisations.tabs.ts';
import { addPeopleIn, createUpdates } from './organisations.updates.ts';

export type OrganisationsService = ReturnType<typeof createOrganisationsService>;

export function createOrganisationsService(deps: OrganisationsDeps) {
  const { db, clock, brand, branding } = deps;
  const retentionDefaults = { alertRetentionMonths: deps.alertRetentionMonths };

  /** Scope of one organisation; deactivated ones are visible only to those who can reactivate them. */
  const scopeOfOne = async (actor: Actor, id: number): Promise<Scope> => {
    if (!actor.organisationIds.includes(id) && may(actor, 'clients:manage')) {
      const row = await readScoped(db, systemScope, (tx) => findOrganisation(tx, systemScope, id));
      if (row?.deactivated_at && isBelow(actor, row)) return { organisationIds: [id] };
    }
    return scopeFor(actor, id);
  };

  const held = async (actor: Actor, id: number): Promise<AnswerOf<typeof organisationsApi.held>> => {
    const scope = await scopeOfOne(actor, id);
    return readScoped(db, scope, (tx) => findHeld(tx, id));
  };

  const details: DetailsOf = async (actor, id) => {
    const scope = await scopeOfOne(actor, id);
    const own = await readScoped(db, scope, async (tx) => {
      const row = await findOrganisation(tx, scope, id);
      if (!row) throw problem.notFound('organisation', id);
      return { row, ...(await tabsOf(tx, scope, row)), ...(await branding.of(tx, scope, id)) };
    });
    // In the portal’s own scope: the partner’s name and its clients are outside the scope of one organisation.
    const around = await readScoped(db, systemScope, async (tx) => ({
      partner: await brand.partnerOf(tx, id),
      ...(await countPeople(tx, id)),
    }));
    const { row, ...shown } = own;
    const isActive = row.deactivated_at === null;
    return {
      id,
      isPartner: row.is_partner,
      partnerClientOrgID: row.parent_id,
      partnerName: around.partner?.partnerName ?? row.name,
      createdAt: row.created_at.toISOString(),
      deactivatedAt: row.deactivated_at?.toISOString() ?? null,
      userCount: around.userCount,
      clientCount: around.clientCount,
      ...shown,
      signInPolicy: may(actor, 'clientDetails:write') ? shown.signInPolicy : null,
      branding: row.is_partner ? shown.branding : null,
      retentionDefaults,
      can: canOf(actor, { id, isPartner: row.is_partner, isActive }),
    };
  };

  return {
    async getAllClients(actor: Actor, query?: Query) {
      const scope = scopeOf(actor);
      const rows = queryRows(actor, scope, query, clock.now());
      return scoped(db, scope, (tx) => listOrganisations(tx, scope, rows));
    },

    async listDeactivated(actor: Actor) {
      const partnerId = actor.organisationId === providerId ? undefined : actor.organisationId;
      return readScoped(db, systemScope, (tx) => listDeactivated(tx, partnerId));
    },

    async partner(actor: Actor, id: number): Promise<PartnerOrganisation> {
      scopeFor(actor, id);
      const partner = await readScoped(db, systemScope, (tx) => brand.partnerOf(tx, id));
      if (!partner) throw problem.notFound('partner of organisation', id);
      return partner;
    },

    details,
    held,
    scopeOfOne,
    ...createUpdates(deps, details),
    ...createBrandUpdates(deps, details),
    ...createLifecycle(deps, details),

    /** Adds contacts and escalation addresses of a new organisation, with an audit entry of each tab that is not empty. */
    addPeopleIn,

    listNamesBelow: listActiveBelow,

    /** Organisation state for keyless ingest. */
    isTakingIn: (id: number): Promise<boolean> => readScoped(db, systemScope, (tx) => isTakingIn(tx, id)),
  };
}
