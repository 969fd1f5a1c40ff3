/** Organisations as people see them: the client selector, client details, the partner's contact. Changes are in the two files beside. */
import { may, providerId } from '@parapet/contract/access.ts';
import type { ClientDetails, PartnerOrganisation } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, systemScope } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { BrandingService } from '../brand/branding.service.ts';
import { createLifecycle } from './organisations.lifecycle.ts';
import { canOf, isBelow } from './organisations.rules.ts';
import { countPeople, findOrganisation, isTakingIn, listDeactivated, listOrganisations } from './organisations.store.ts';
import { tabsOf } from './organisations.tabs.ts';
import { createUpdates } from './organisations.updates.ts';

export interface OrganisationsDeps {
  db: Database;
  brand: Pick<BrandService, 'partnerOf'>;
  branding: BrandingService;
  /** Seals the secrets of identity providers. */
  keys: Pick<Keys, 'seal'>;
  /** The portal's own, and the most that an organisation can choose. */
  alertRetentionMonths: number;
  eventRetentionDays: number;
  allowsInsecureIssuers: boolean;
}

export type DetailsOf = (actor: Actor, id: number) => Promise<ClientDetails>;
export type OrganisationsService = ReturnType<typeof createOrganisationsService>;

export function createOrganisationsService(parts: OrganisationsDeps) {
  const { db, brand, branding } = parts;
  const retentionDefaults = {
    alertRetentionMonths: parts.alertRetentionMonths,
    eventRetentionDays: parts.eventRetentionDays,
  };

  /** The scope of one organisation; a deactivated one is nobody's any more, save for those who can bring it back. */
  const scopeOfOne = async (actor: Actor, id: number): Promise<Scope> => {
    if (!actor.organisationIds.includes(id) && may(actor, 'clients:manage')) {
      const row = await scoped(db, systemScope, (tx) => findOrganisation(tx, systemScope, id), { readOnly: true });
      if (row?.deactivated_at && isBelow(actor, row)) return { organisationIds: [id] };
    }
    return scopeFor(actor, id);
  };

  const details: DetailsOf = async (actor, id) => {
    const scope = await scopeOfOne(actor, id);
    const own = await scoped(
      db,
      scope,
      async (tx) => {
        const row = await findOrganisation(tx, scope, id);
        if (!row) throw problem.notFound('organisation', id);
        return { row, ...(await tabsOf(tx, scope, row)), ...(await branding.of(tx, scope, id)) };
      },
      { readOnly: true },
    );
    // The partner's name and the number of its clients: the one is outside a client's sight, the others outside one organisation's.
    const around = await scoped(
      db,
      systemScope,
      async (tx) => ({ partner: await brand.partnerOf(tx, id), ...(await countPeople(tx, id)) }),
      { readOnly: true },
    );
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
    async getAllClients(actor: Actor) {
      const scope = scopeOf(actor);
      return scoped(db, scope, (tx) => listOrganisations(tx, scope));
    },

    async listDeactivated(actor: Actor) {
      const partnerId = actor.organisationId === providerId ? undefined : actor.organisationId;
      return scoped(db, systemScope, (tx) => listDeactivated(tx, partnerId), { readOnly: true });
    },

    async partner(actor: Actor, id: number): Promise<PartnerOrganisation> {
      scopeFor(actor, id);
      const partner = await scoped(db, systemScope, (tx) => brand.partnerOf(tx, id), { readOnly: true });
      if (!partner) throw problem.notFound('partner of organisation', id);
      return partner;
    },

    details,
    ...createUpdates(parts, details),
    ...createLifecycle(parts, details),

    /** For intake that has no key. */
    isTakingIn: (id: number): Promise<boolean> => scoped(db, systemScope, (tx) => isTakingIn(tx, id), { readOnly: true }),
  };
}
