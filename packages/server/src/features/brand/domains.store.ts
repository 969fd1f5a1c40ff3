/** SQL of claimed domains. The database column `is_proven` is the only source of proof. */
import { randomBytes } from 'node:crypto';
import type { ClaimedDomain } from '@parapet/contract/domains.ts';
import { sql, type Updateable } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';

/** Select expression of an organisation’s currently usable domains. */
export const provenDomains = (organisation: 'brands.organisation_id' | 'partners.id') =>
  sql<string[]>`array(select d.domain from domains d where d.organisation_id = ${sql.ref(organisation)} and is_proven(d))`;

const isProven = sql<boolean>`is_proven(domains)`;

export interface Claim {
  domain: string;
  uses: ClaimedDomain['uses'];
}

/** Domains in a partner’s brand and address; none for a client. */
export async function claimsOf(tx: Tx, scope: Scope, organisationId: number): Promise<Claim[]> {
  const row = await tx
    .selectFrom('organisations')
    .leftJoin('brands', 'brands.organisation_id', 'organisations.id')
    .select(['self_hosted_domain', 'mail_sender_address', 'email_address'])
    .where(within('organisations.id', scope))
    .where('organisations.id', '=', organisationId)
    .where('is_partner', '=', true)
    .executeTakeFirst();
  if (!row) return [];
  const uses = new Map<string, ClaimedDomain['uses']>();
  const claim = (domain: string | undefined, use: 'links' | 'mail') => {
    if (domain) uses.set(domain.toLowerCase(), [...(uses.get(domain.toLowerCase()) ?? []), use]);
  };
  claim(row.self_hosted_domain ?? '', 'links');
  claim((row.mail_sender_address || row.email_address).split('@')[1], 'mail');
  return [...uses].map(([domain, of]) => ({ domain, uses: of }));
}

/** Aligns claims with brand and address: adds new ones with a token, removes obsolete ones with their proof. */
export async function syncClaims(tx: Tx, scope: Scope, organisationId: number): Promise<Claim[]> {
  const claims = await claimsOf(tx, scope, organisationId);
  await tx
    .deleteFrom('domains')
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', organisationId)
    .$if(claims.length > 0, (query) =>
      query.where(
        'domain',
        'not in',
        claims.map(({ domain }) => domain),
      ),
    )
    .execute();
  if (claims.length > 0)
    await tx
      .insertInto('domains')
      .values(
        claims.map(({ domain }) => ({ organisation_id: organisationId, domain, token: randomBytes(32).toString('base64url') })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return claims;
}

const rows = (tx: Tx, scope: Scope) =>
  tx.selectFrom('domains').selectAll().select(isProven.as('is_proven')).where(within('organisation_id', scope));
export type DomainRow = NonNullable<Awaited<ReturnType<typeof findDomain>>>;

export const listDomains = (tx: Tx, scope: Scope, organisationId: number) =>
  rows(tx, scope).where('organisation_id', '=', organisationId).orderBy('domain').limit(10).execute();

export const findDomain = (tx: Tx, scope: Scope, organisationId: number, domain: string) =>
  rows(tx, scope).where('organisation_id', '=', organisationId).where('domain', '=', domain).executeTakeFirst();

/** Locks a claim until the transaction ends; undefined when it was removed or recreated since it was read. */
export const lockDomain = (tx: Tx, { organisation_id, domain, token }: Pick<DomainRow, 'organisation_id' | 'domain' | 'token'>) =>
  rows(tx, 'system')
    .where('organisation_id', '=', organisation_id)
    .where('domain', '=', domain)
    .where('token', '=', token)
    .forUpdate()
    .executeTakeFirst();

export async function updateDomain(
  tx: Tx,
  { organisation_id, domain }: Pick<DomainRow, 'organisation_id' | 'domain'>,
  change: Updateable<Tables['domains']>,
): Promise<void> {
  await tx
    .updateTable('domains')
    .set(change)
    .where('organisation_id', '=', organisation_id)
    .where('domain', '=', domain)
    .execute();
}

/** True when another organisation has verified the domain. Needs the portal’s own scope. */
export async function isProvenElsewhere(tx: Tx, organisationId: number, domain: string): Promise<boolean> {
  const row = await tx
    .selectFrom('domains')
    .select('domain')
    .where('domain', '=', domain)
    .where('organisation_id', '!=', organisationId)
    .where('verified_at', 'is not', null)
    .where(isProven)
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends other organisations’ notice periods and expired proofs of a domain. */
export async function releaseElsewhere(tx: Tx, organisationId: number, domain: string): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ verified_at: null, vouched_by: null, failing_since: null, accepted_until: null })
    .where('domain', '=', domain)
    .where('organisation_id', '!=', organisationId)
    .where((eb) => eb.or([eb('verified_at', 'is', null), eb.not(isProven)]))
    .execute();
}

/** Claims not checked within a day, oldest first, of active organisations and not vouched for. */
export const listDue = (tx: Tx, limit: number) =>
  rows(tx, 'system')
    .where('vouched_by', 'is', null)
    .where('organisation_id', 'in', (eb) => eb.selectFrom('organisations').select('id').where('deactivated_at', 'is', null))
    .where((eb) => eb.or([eb('checked_at', 'is', null), eb('checked_at', '<', sql<Date>`now() - interval '23 hours'`)]))
    .orderBy('checked_at', (order) => order.asc().nullsFirst())
    .limit(limit)
    .execute();

/** Domains in use that are about to end, without a notice yet. */
export const listUnnoticed = (tx: Tx) =>
  rows(tx, 'system')
    .where(isProven)
    .where('noticed_at', 'is', null)
    .where((eb) =>
      eb.or([eb('failing_since', 'is not', null), eb.and([eb('verified_at', 'is', null), eb('accepted_until', 'is not', null)])]),
    )
    .orderBy('organisation_id')
    .limit(500)
    .forUpdate()
    .skipLocked()
    .execute();
