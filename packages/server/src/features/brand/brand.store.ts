/** SQL of brands. Runs in the portal’s own scope: hosts are resolved before sign-in, and clients see their partner’s brand. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { type Scope, type Tx, writtenOnce } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import { provenDomains } from './domains.store.ts';

/** Brand with its organisation’s contact details. */
export type BrandRow = Selectable<Tables['brands']> & Pick<Selectable<Tables['organisations']>, 'website_url' | 'email_address'>;

const brands = (tx: Tx) =>
  tx
    .selectFrom('brands')
    .innerJoin('organisations', 'organisations.id', 'brands.organisation_id')
    .selectAll('brands')
    .select(['organisations.website_url', 'organisations.email_address']);

/** Site of an active partner; a verified own domain takes precedence over a sub-domain. */
export async function findBrand(
  tx: Tx,
  host: { domain: string | undefined; subDomain: string | undefined },
): Promise<(BrandRow & { proven_domains: string[] }) | undefined> {
  const { domain = null, subDomain = null } = host;
  const proven = provenDomains('brands.organisation_id');
  const isOwn = sql<boolean>`(self_hosted_domain = ${domain} and self_hosted_domain = any (${proven}))`;
  return brands(tx)
    .select(proven.as('proven_domains'))
    .where('organisations.deactivated_at', 'is', null)
    .where((eb) => eb.or([isOwn, eb('sub_domain', '=', subDomain)]))
    .orderBy(isOwn, (order) => order.desc().nullsLast())
    .limit(1)
    .executeTakeFirst();
}

export const findBrandById = (tx: Tx, scope: Scope, organisationId: number): Promise<BrandRow | undefined> =>
  brands(tx)
    .where(within('brands.organisation_id', scope))
    .where('brands.organisation_id', '=', organisationId)
    .executeTakeFirst();

/** Organisation itself when it is a partner, otherwise its partner; with the brand, if any. */
export const findPartnerOf = writtenOnce((tx, organisationId: number) =>
  tx
    .selectFrom('organisations')
    .innerJoin('organisations as partners', (join) =>
      join.on(
        'partners.id',
        '=',
        sql<number>`case when organisations.is_partner then organisations.id else organisations.parent_id end`,
      ),
    )
    .leftJoin('brands', 'brands.organisation_id', 'partners.id')
    .where('organisations.id', '=', organisationId)
    // Columns by name: a prepared `*` fails after a migration adds a column.
    .select((eb) => [
      'partners.id',
      'partners.phone_number',
      'partners.email_address',
      'partners.website_url',
      'partners.street',
      'partners.suite',
      'partners.city',
      'partners.state',
      'partners.zip_code',
      'brands.mail_sender_name',
      'brands.mail_sender_address',
      'brands.mail_footer',
      'brands.pdf_footer',
      'brands.accent_light',
      'brands.sub_domain',
      'brands.self_hosted_domain',
      'brands.logo_light_version',
      'brands.logo_dark_version',
      'brands.favicon_version',
      eb.fn.coalesce('brands.name', 'partners.name').as('brand_name'),
      provenDomains('partners.id').as('proven_domains'),
    ]),
);
export type PartnerRow = NonNullable<Awaited<ReturnType<typeof findPartnerOf>>>;

export async function hasIdentityProvider(tx: Tx, organisationId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('identity_providers')
    .select('organisation_id')
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Inserts a brand; false when the sub-domain is taken. */
export async function insertBrand(tx: Tx, brand: Insertable<Tables['brands']>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('brands')
    .values(brand)
    .onConflict((conflict) => conflict.column('sub_domain').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function updateBrand(tx: Tx, organisationId: number, brand: Updateable<Tables['brands']>): Promise<void> {
  await tx.updateTable('brands').set(brand).where('organisation_id', '=', organisationId).execute();
}

export async function putBrand(
  tx: Tx,
  organisationId: number,
  brand: Omit<Insertable<Tables['brands']>, 'organisation_id'>,
): Promise<void> {
  await tx
    .insertInto('brands')
    .values({ ...brand, organisation_id: organisationId })
    .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet(brand))
    .execute();
}

/** True when another brand has the sub-domain. */
export async function isSubDomainTaken(tx: Tx, organisationId: number, subDomain: string): Promise<boolean> {
  const row = await tx
    .selectFrom('brands')
    .select('organisation_id')
    .where('organisation_id', '!=', organisationId)
    .where('sub_domain', '=', subDomain)
    .executeTakeFirst();
  return row !== undefined;
}
