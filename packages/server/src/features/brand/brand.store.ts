/** SQL of brands. Runs with the portal's own scope: a host is known before anybody has signed in. */
import { type Selectable, sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';

export type BrandRow = Selectable<Tables['brands']>;

const active = (tx: Tx) =>
  tx
    .selectFrom('brands')
    .innerJoin('organisations', 'organisations.id', 'brands.organisation_id')
    .where('organisations.deactivated_at', 'is', null)
    .selectAll('brands');

export async function findBrand(
  tx: Tx,
  host: { domain: string | undefined; subDomain: string | undefined },
): Promise<BrandRow | undefined> {
  const { domain = null, subDomain = null } = host;
  return active(tx)
    .where((eb) => eb.or([eb('self_hosted_domain', '=', domain), eb('sub_domain', '=', subDomain)]))
    .orderBy(sql`self_hosted_domain = ${domain}`, (order) => order.desc().nullsLast())
    .limit(1)
    .executeTakeFirst();
}

/** A partner's own; a client's is that of its partner. */
export const findBrandOfOrganisation = (tx: Tx, organisationId: number): Promise<BrandRow | undefined> =>
  tx
    .selectFrom('organisations')
    .innerJoin('brands', (join) =>
      join.on(
        'brands.organisation_id',
        '=',
        sql<number>`case when organisations.is_partner then organisations.id else organisations.parent_id end`,
      ),
    )
    .where('organisations.id', '=', organisationId)
    .selectAll('brands')
    .executeTakeFirst();

export async function hasIdentityProvider(tx: Tx, organisationId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('identity_providers')
    .select('organisation_id')
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  return row !== undefined;
}
