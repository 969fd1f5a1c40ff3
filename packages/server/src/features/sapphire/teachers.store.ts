/** SQL of the users besides Hosts who may submit knowledge. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { displayNameOf } from '../../domain/userState.ts';

/** Valid only while the user belongs to the organisation that granted it. */
export async function findTeacher(tx: Tx, scope: Scope, userId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('sapphire_teachers')
    .select('user_id')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

export interface Colleague {
  userID: number;
  displayName: string;
  emailAddress: string;
  role: string;
  isPartner: boolean;
  isAllowed: boolean;
}

const peopleOf = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('users as u')
    .innerJoin('organisations as o', 'o.id', 'u.organisation_id')
    .leftJoin('sapphire_teachers as t', (join) =>
      join.onRef('t.user_id', '=', 'u.id').onRef('t.organisation_id', '=', 'u.organisation_id'),
    )
    .where(within('u.organisation_id', scope))
    .where('u.is_deleted', '=', false)
    .where('u.role', '<>', '')
    .select([
      'u.id as userID',
      displayNameOf(sql`u`).as('displayName'),
      'u.email as emailAddress',
      'u.role',
      'o.is_partner as isPartner',
      sql<boolean>`t.user_id is not null`.as('isAllowed'),
    ]);

export const listPeople = (tx: Tx, scope: Scope): Promise<Colleague[]> =>
  peopleOf(tx, scope).orderBy(sql`lower(u.last_name)`).orderBy('u.id').limit(2_000).execute();

export const findPerson = (tx: Tx, scope: Scope, userId: number): Promise<Colleague | undefined> =>
  peopleOf(tx, scope).where('u.id', '=', userId).executeTakeFirst();

export async function setTeacher(
  tx: Tx,
  { userId, organisationId, isTeacher, by }: { userId: number; organisationId: number; isTeacher: boolean; by: number },
): Promise<void> {
  // A user who moved from another organisation needs a new grant.
  await tx.deleteFrom('sapphire_teachers').where('user_id', '=', userId).execute();
  if (isTeacher)
    await tx
      .insertInto('sapphire_teachers')
      .values({ user_id: userId, organisation_id: organisationId, allowed_by: by })
      .execute();
}

/** An organisation and its ancestors, whose knowledge and synonyms apply to it. They are outside its scope: needs the portal’s own. */
export async function organisationsAbove(tx: Tx, organisationId: number): Promise<number[]> {
  const above: number[] = [];
  for (let id: number | null | undefined = organisationId; id && !above.includes(id); ) {
    above.push(id);
    const row = await tx.selectFrom('organisations').select('parent_id').where('id', '=', id).executeTakeFirst();
    id = row?.parent_id;
  }
  return above;
}
