/** Saves a partner’s brand and its logos. */
import type { Branding, ClientDetails, LogoKind } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, requireFresh, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { DetailsOf, OrganisationsDeps } from './organisations.deps.ts';
import { changedFields } from './organisations.rules.ts';
import { lockActive } from './organisations.store.ts';

const clientHasNone = 'Clients use their partner’s brand. Change the partner’s brand instead.';

export function createBrandUpdates({ db, branding }: Pick<OrganisationsDeps, 'db' | 'branding'>, details: DetailsOf) {
  /** Requires a partner with a brand; throws conflict otherwise. */
  const requireBrand = async (actor: Actor, id: number): Promise<Branding> => {
    const { isPartner, branding: brand } = await details(actor, id);
    if (!isPartner) throw problem.invalid({ branding: [clientHasNone] }, clientHasNone);
    if (!brand) throw problem.conflict(`Organisation ${id} has no brand yet. Save its branding first.`);
    return brand;
  };

  const changeLogo = async (
    actor: Actor,
    id: number,
    kind: LogoKind,
    action: 'organisation.logoUploaded' | 'organisation.logoRemoved',
    run: (tx: Tx) => Promise<void>,
  ) => {
    const scope = scopeFor(actor, id);
    await scoped(db, scope, async (tx) => {
      const { name } = await lockActive(tx, scope, id);
      await run(tx);
      await recordAudit(tx, actor, { action, organisationId: id, target: `${name}: ${kind}` });
    });
  };

  return {
    async updateBranding(actor: Actor, id: number, input: Branding): Promise<ClientDetails> {
      const { isPartner } = await details(actor, id);
      if (!isPartner) throw problem.invalid({ branding: [clientHasNone] }, clientHasNone);
      const scope = scopeFor(actor, id);
      await branding.check(id, input);
      await scoped(db, scope, async (tx) => {
        const { name } = await lockActive(tx, scope, id);
        const { branding: before } = await branding.of(tx, scope, id);
        // Required by the contract too: one-time links lead to this host.
        const isElsewhere = before?.subDomain !== input.subDomain || before.selfHostedDomain !== input.selfHostedDomain;
        if (isElsewhere) requireFresh(actor, 'freshSecondFactor');
        await branding.save(tx, scope, id, input);
        const changed = before ? changedFields(before, input) : { before: undefined, after: input };
        await recordAudit(tx, actor, { action: 'organisation.brandingUpdated', organisationId: id, target: name, ...changed });
      });
      return details(actor, id);
    },

    async uploadLogo(actor: Actor, id: number, kind: LogoKind, bytes: Buffer): Promise<ClientDetails> {
      scopeFor(actor, id);
      await requireBrand(actor, id);
      await changeLogo(actor, id, kind, 'organisation.logoUploaded', await branding.putImage(id, kind, bytes));
      return details(actor, id);
    },

    async removeLogo(actor: Actor, id: number, kind: LogoKind): Promise<ClientDetails> {
      scopeFor(actor, id);
      await requireBrand(actor, id);
      await changeLogo(actor, id, kind, 'organisation.logoRemoved', (tx) => branding.forgetImage(tx, id, kind));
      await branding.removeImage(id, kind);
      return details(actor, id);
    },
  };
}
