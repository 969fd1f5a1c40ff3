/** SQL of saved views. Every function takes the scope first: the owner's organisation. */
import type { SavedView, ViewList } from '@parapet/contract/views.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { displayNameOf } from '../../domain/userState.ts';

export type ViewInput = Pick<SavedView, 'list' | 'name' | 'query' | 'columns' | 'isShared' | 'isSharedBelow'>;

export const maxListed = 500;

const viewsOf = (tx: Tx, scope: Scope, userId: number) =>
  tx
    .selectFrom('saved_views as v')
    .innerJoin('users as owner', 'owner.id', 'v.user_id')
    .where(within('v.organisation_id', scope))
    .where('owner.is_deleted', '=', false)
    .select([
      'v.id',
      'v.list',
      'v.name',
      'v.query',
      'v.columns',
      'v.is_shared as isShared',
      'v.is_shared_below as isSharedBelow',
      sql<boolean>`v.user_id = ${userId}`.as('isMine'),
      displayNameOf(sql`owner`).as('ownerName'),
      'v.organisation_id as clientOrganizationID',
    ]);

/** Own views, then shared ones, each by name. */
export async function listViews(tx: Tx, scope: Scope, userId: number, list: ViewList) {
  const results = await viewsOf(tx, scope, userId)
    .where('v.list', '=', list)
    .where((eb) => eb.or([eb('v.user_id', '=', userId), eb('v.is_shared', '=', true)]))
    .select(sql<number>`(count(*) over ())::integer`.as('total'))
    .orderBy('isMine', 'desc')
    .orderBy(sql`lower(v.name)`)
    .orderBy('v.id')
    .limit(maxListed)
    .execute();
  return { results, total: results[0]?.total ?? 0 };
}

/** Views that the partner or the provider shares with an organisation; their owners stay unnamed. */
export async function listViewsFromAbove(tx: Tx, organisationId: number, list: ViewList): Promise<SavedView[]> {
  const { rows } = await sql<SavedView>`
    select id, list, name, query, columns, is_shared as "isShared", is_shared_below as "isSharedBelow", false as "isMine", '' as "ownerName",
      organisation_id as "clientOrganizationID"
    from views_from_above(${organisationId}, ${list}) order by lower(name), id limit ${maxListed}`.execute(tx);
  return rows;
}

export const findOwnView = (tx: Tx, scope: Scope, userId: number, id: number): Promise<SavedView | undefined> =>
  viewsOf(tx, scope, userId).where('v.user_id', '=', userId).where('v.id', '=', id).executeTakeFirst();

export const findOwnViewByName = (
  tx: Tx,
  scope: Scope,
  userId: number,
  { list, name }: Pick<ViewInput, 'list' | 'name'>,
): Promise<SavedView | undefined> =>
  viewsOf(tx, scope, userId)
    .where('v.user_id', '=', userId)
    .where('v.list', '=', list)
    .where(sql<boolean>`lower(v.name) = lower(${name})`)
    .executeTakeFirst();

export async function countOwnViews(tx: Tx, scope: Scope, userId: number): Promise<number> {
  const { count } = await tx
    .selectFrom('saved_views')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .select(sql<number>`count(*)::integer`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

const columnsOf = ({ isShared, isSharedBelow, ...view }: ViewInput) => ({
  ...view,
  is_shared: isShared,
  is_shared_below: isShared && isSharedBelow,
});

export async function insertView(tx: Tx, owner: { userId: number; organisationId: number }, view: ViewInput): Promise<number> {
  const { id } = await tx
    .insertInto('saved_views')
    .values({ organisation_id: owner.organisationId, user_id: owner.userId, ...columnsOf(view) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateView(tx: Tx, scope: Scope, id: number, view: ViewInput): Promise<void> {
  await tx.updateTable('saved_views').set(columnsOf(view)).where(within('organisation_id', scope)).where('id', '=', id).execute();
}

export async function removeView(tx: Tx, scope: Scope, id: number): Promise<void> {
  await tx.deleteFrom('saved_views').where(within('organisation_id', scope)).where('id', '=', id).execute();
}
