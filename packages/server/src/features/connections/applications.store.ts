/** SQL of the applications for consent. Runs in the portal's own scope: a partner's application serves its clients, the provider's those of all others. */
import { providerId } from '@parapet/contract/access.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';

/** Application for a client: of its partner, otherwise of the provider. @param isLocked until the transaction ends, against changes */
export const findApplication = (tx: Tx, client: number, isLocked = false) =>
  tx
    .selectFrom('vendor_applications as a')
    .innerJoin('organisations as c', (join) => join.on('c.id', '=', client))
    .select(['a.organisation_id as organisationId', 'a.client_id as clientId', 'a.client_secret as sealedSecret', 'a.login'])
    .where((eb) =>
      eb.or([
        eb('a.organisation_id', '=', providerId),
        eb('a.organisation_id', '=', eb.ref('c.parent_id')),
        eb('a.organisation_id', '=', client),
      ]),
    )
    .orderBy(sql`a.organisation_id = ${providerId}`)
    .limit(1)
    .$if(isLocked, (query) => query.forShare('a'))
    .executeTakeFirst();

/** The provider and its active partners, each with its application. */
export const listOwners = (tx: Tx) =>
  tx
    .selectFrom('organisations as o')
    .leftJoin('vendor_applications as a', 'a.organisation_id', 'o.id')
    .select((eb) => [
      'o.id',
      'o.name',
      'a.client_id as clientId',
      'a.login',
      'a.updated_at as updatedAt',
      eb
        .selectFrom('connections as n')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('n.consented_by', 'is not', null)
        .where(sql<string>`n.settings ->> 'client'`, '=', eb.ref('a.client_id'))
        .as('connections'),
    ])
    .where((eb) => eb.or([eb('o.id', '=', providerId), eb('o.is_partner', '=', true)]))
    .where('o.deactivated_at', 'is', null)
    .orderBy(sql`o.id <> ${providerId}`)
    .orderBy('o.name')
    .limit(1_000)
    .execute();

/** Locks the row until the transaction ends. */
export const lockApplication = (tx: Tx, organisationId: number) =>
  tx
    .selectFrom('vendor_applications')
    .select(['client_id as clientID', 'login'])
    .where('organisation_id', '=', organisationId)
    .forUpdate()
    .executeTakeFirst();

export async function saveApplication(
  tx: Tx,
  organisationId: number,
  { clientID, login, secret, now }: { clientID: string; login: string; secret: Buffer; now: Date },
): Promise<void> {
  const values = { client_id: clientID, client_secret: secret, login, updated_at: now };
  await tx
    .insertInto('vendor_applications')
    .values({ organisation_id: organisationId, ...values })
    .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet(values))
    .execute();
}

export async function removeApplication(tx: Tx, organisationId: number): Promise<void> {
  await tx.deleteFrom('vendor_applications').where('organisation_id', '=', organisationId).execute();
}

/** Connections by a consent to an application of this ID and sign-in. */
export const listConsented = (tx: Tx, clientId: string, login: string) =>
  tx
    .selectFrom('connections')
    .select(['id', 'organisation_id as organisationId'])
    .where('consented_by', 'is not', null)
    .where(sql<string>`settings ->> 'client'`, '=', clientId)
    .where(sql<string>`settings ->> 'login'`, '=', login)
    .orderBy('id')
    .execute();

/** Replaces the sealed secret of a consented connection. A paused one stays paused; a stopped one is tried again. */
export async function replaceCopy(
  tx: Tx,
  { organisationId, id }: { organisationId: number; id: number },
  secrets: Buffer,
): Promise<void> {
  await tx
    .updateTable('connections')
    .set({
      secrets,
      state: sql<'active'>`case when state = 'stopped' then 'active' else state end`,
      version: sql<number>`version + 1`,
      leased_until: null,
      next_at: sql<Date>`now()`,
    })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .execute();
}
