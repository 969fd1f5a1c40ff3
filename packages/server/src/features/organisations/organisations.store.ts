import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

/** Each partner, then its clients, both by id: the order of the client selector (spec §7.3). */
export async function listOrganisations(tx: Tx, scope: Scope): Promise<{ results: ClientOrganization[]; total: number }> {
  const results = await tx
    .selectFrom('organisations')
    .select(['id', 'name', 'is_partner as isPartner', 'parent_id as partnerClientOrgID'])
    .where(within('id', scope))
    .where('deactivated_at', 'is', null)
    .orderBy((eb) => eb.case().when('is_partner', '=', true).then(eb.ref('id')).else(eb.fn.coalesce('parent_id', 'id')).end())
    .orderBy('is_partner', 'desc')
    .orderBy('id')
    .limit(10_000)
    .execute();
  return { results, total: results.length };
}
