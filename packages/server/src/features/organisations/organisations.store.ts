import type { ClientDetails, ClientOrganization, EmergencyContact } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type Selectable, sql, type Updateable } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';

export type OrganisationRow = Selectable<Tables['organisations']>;

const wire = ['id', 'name', 'is_partner as isPartner', 'parent_id as partnerClientOrgID'] as const;

/** Organisations in the order of the client selector: each partner, then its clients, by id (spec §7.3). */
export async function listOrganisations(
  tx: Tx,
  scope: Scope,
  rows: QueryRows | undefined,
): Promise<{ results: ClientOrganization[]; total: number }> {
  const results = await tx
    .selectFrom('organisations')
    .select(wire)
    .where(within('id', scope))
    .where('deactivated_at', 'is', null)
    .where((eb) => eb.and(isAmong('organisations', rows)))
    .orderBy((eb) => eb.case().when('is_partner', '=', true).then(eb.ref('id')).else(eb.fn.coalesce('parent_id', 'id')).end())
    .orderBy('is_partner', 'desc')
    .orderBy('id')
    .limit(10_000)
    .execute();
  return { results, total: results.length };
}

/** Deactivated organisations of a partner, or of all with undefined, newest first. They are in no tenant’s scope: needs the portal’s own. */
export async function listDeactivated(tx: Tx, partnerId: number | undefined) {
  const rows = await tx
    .selectFrom('organisations')
    .select([...wire, 'deactivated_at', 'erased_at'])
    .where('deactivated_at', 'is not', null)
    .$if(partnerId !== undefined, (query) => query.where('parent_id', '=', partnerId as number))
    .orderBy('deactivated_at', 'desc')
    .orderBy('id')
    .limit(10_000)
    .execute();
  const results = rows.map(({ deactivated_at, erased_at, ...row }) => ({
    ...row,
    deactivatedAt: (deactivated_at as Date).toISOString(),
    erasedAt: erased_at?.toISOString() ?? null,
  }));
  return { results, total: results.length };
}

export const findOrganisation = (tx: Tx, scope: Scope, id: number): Promise<OrganisationRow | undefined> =>
  tx.selectFrom('organisations').selectAll().where(within('id', scope)).where('id', '=', id).executeTakeFirst();

/** Locks organisations in id order until the transaction ends, to serialise their changes without deadlocks. */
export const lockOrganisations = (tx: Tx, scope: Scope, ids: readonly number[]): Promise<OrganisationRow[]> =>
  tx
    .selectFrom('organisations')
    .selectAll()
    .where(within('id', scope))
    .where('id', 'in', [...ids])
    .orderBy('id')
    // The weakest sufficient lock: inserts of events, sign-ins and audit rows need not wait.
    .forNoKeyUpdate()
    .execute();

/** Locks an active organisation. Throws notFound outside the scope and for a deactivated one. */
export async function lockActive(tx: Tx, scope: Scope, id: number): Promise<OrganisationRow> {
  const [row] = await lockOrganisations(tx, scope, [id]);
  if (!row || row.deactivated_at) throw problem.notFound('active organisation', id);
  return row;
}

export async function insertOrganisation(
  tx: Tx,
  organisation: Updateable<Tables['organisations']> & { name: string },
): Promise<number> {
  const { id } = await tx.insertInto('organisations').values(organisation).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function updateOrganisation(
  tx: Tx,
  scope: Scope,
  id: number,
  change: Updateable<Tables['organisations']>,
): Promise<void> {
  await tx.updateTable('organisations').set(change).where(within('id', scope)).where('id', '=', id).execute();
}

/** Needs the portal’s own scope: a client’s partner and a partner’s clients may be outside the caller’s. */
export async function countPeople(tx: Tx, id: number): Promise<{ userCount: number; clientCount: number }> {
  return tx
    .selectNoFrom((eb) => [
      eb
        .selectFrom('users')
        .select((users) => users.cast<number>(users.fn.countAll(), 'integer').as('n'))
        .where('organisation_id', '=', id)
        .where('is_deleted', '=', false)
        .as('userCount'),
      eb
        .selectFrom('organisations')
        .select((clients) => clients.cast<number>(clients.fn.countAll(), 'integer').as('n'))
        .where('parent_id', '=', id)
        .where('is_partner', '=', false)
        .where('deactivated_at', 'is', null)
        .as('clientCount'),
    ])
    .executeTakeFirstOrThrow() as Promise<{ userCount: number; clientCount: number }>;
}

export async function listActiveBelow(tx: Tx, id: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('organisations')
    .select('name')
    .where('parent_id', '=', id)
    .where('deactivated_at', 'is', null)
    .orderBy('name')
    .limit(10_000)
    .execute();
  return rows.map((row) => row.name);
}

export const listContacts = (tx: Tx, scope: Scope, id: number): Promise<EmergencyContact[]> =>
  tx
    .selectFrom('emergency_contacts')
    .select(['name', 'title', 'phone_number as phoneNumber', 'email_address as emailAddress', 'hours'])
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', id)
    .orderBy('position')
    .limit(100)
    .execute();

export async function replaceContacts(tx: Tx, scope: Scope, id: number, contacts: readonly EmergencyContact[]): Promise<void> {
  await tx.deleteFrom('emergency_contacts').where(within('organisation_id', scope)).where('organisation_id', '=', id).execute();
  if (contacts.length === 0) return;
  await tx
    .insertInto('emergency_contacts')
    .values(
      contacts.map((contact, position) => ({
        organisation_id: id,
        position,
        name: contact.name,
        title: contact.title,
        phone_number: contact.phoneNumber,
        email_address: contact.emailAddress,
        hours: contact.hours,
      })),
    )
    .execute();
}

type Escalation = ClientDetails['escalation']['escalationEmailAddresses'];

export const listEscalation = (tx: Tx, scope: Scope, id: number): Promise<Escalation> =>
  tx
    .selectFrom('escalation_addresses')
    .select(['id', 'email_type as emailType', 'email_address as emailAddress'])
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', id)
    .orderBy('id')
    .limit(100)
    .execute();

/** Replaces all addresses, keeping known ids. A full rewrite lets two addresses be swapped without violating uniqueness. */
export async function replaceEscalation(tx: Tx, scope: Scope, id: number, addresses: Escalation): Promise<void> {
  await tx.deleteFrom('escalation_addresses').where(within('organisation_id', scope)).where('organisation_id', '=', id).execute();
  const rowOf = (address: Escalation[number]) => ({
    organisation_id: id,
    email_type: address.emailType,
    email_address: address.emailAddress,
  });
  const existing = addresses.filter((address) => address.id !== 0).map((address) => ({ id: address.id, ...rowOf(address) }));
  const added = addresses.filter((address) => address.id === 0).map(rowOf);
  for (const rows of [existing, added]) if (rows.length > 0) await tx.insertInto('escalation_addresses').values(rows).execute();
}

export const findIdentityProvider = (tx: Tx, scope: Scope, id: number) =>
  tx
    .selectFrom('identity_providers')
    .selectAll()
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', id)
    .executeTakeFirst();

export async function putIdentityProvider(tx: Tx, row: Tables['identity_providers']): Promise<void> {
  const { organisation_id: _, ...change } = row;
  await tx
    .insertInto('identity_providers')
    .values(row)
    .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet(change))
    .execute();
}

export async function removeIdentityProvider(tx: Tx, scope: Scope, id: number): Promise<void> {
  await tx.deleteFrom('identity_providers').where(within('organisation_id', scope)).where('organisation_id', '=', id).execute();
}

/** Removes an organisation’s identities at an issuer, ignoring a trailing "/"; returns their number. */
export async function removeIdentitiesOf(tx: Tx, organisationId: number, issuer: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('user_identities')
    .where('organisation_id', '=', organisationId)
    .where(sql<string>`rtrim(issuer, '/')`, '=', issuer.replace(/\/+$/, ''))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Revokes one-time links emailed to an organisation’s users. */
export async function removeLinksOf(tx: Tx, organisationId: number): Promise<void> {
  await tx.deleteFrom('one_time_links').where('organisation_id', '=', organisationId).execute();
}

/** Keeps the titles of a former partner’s rules readable where they raised alerts on the client. */
export async function keepRulesOf(tx: Tx, organisationId: number, partnerId: number): Promise<void> {
  await sql`select keep_rules(${organisationId}, ${partnerId})`.execute(tx);
}

/** Revokes all sessions of an organisation’s users. */
export async function revokeSessionsOf(tx: Tx, organisationId: number): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ revoked_at: sql<Date>`now()` })
    .where('organisation_id', '=', organisationId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** True when the organisation and its partner are active, so that its events are accepted. */
export async function isTakingIn(tx: Tx, id: number): Promise<boolean> {
  const row = await tx
    .selectFrom('organisations')
    .leftJoin('organisations as partners', 'partners.id', 'organisations.parent_id')
    .where('organisations.id', '=', id)
    .where('organisations.deactivated_at', 'is', null)
    .where('partners.deactivated_at', 'is', null)
    .select('organisations.id')
    .executeTakeFirst();
  return row !== undefined;
}
