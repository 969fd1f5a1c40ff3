/** SQL of tags. Every function takes the scope first; row-level security enforces it again. */
import type { Tag } from '@parapet/contract/tags.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

const columns = ['id', 'name', 'organisation_id as clientOrganizationID', 'is_deleted as isDeleted'] as const;

export async function listTags(tx: Tx, scope: Scope): Promise<{ results: Tag[]; total: number }> {
  const results = await tx
    .selectFrom('tags')
    .select(columns)
    .where(within('organisation_id', scope))
    .where('is_deleted', '=', false)
    .orderBy(sql`lower(name)`)
    .limit(10_000)
    .execute();
  return { results, total: results.length };
}

export async function findTags(tx: Tx, scope: Scope, ids: readonly number[]): Promise<Tag[]> {
  return tx
    .selectFrom('tags')
    .select(columns)
    .where(within('organisation_id', scope))
    .where('id', 'in', [...ids])
    .where('is_deleted', '=', false)
    .execute();
}

/** Inserts a tag and returns its id; undefined when the organisation already has the name. */
export async function insertTag(tx: Tx, organisationId: number, name: string): Promise<number | undefined> {
  const row = await tx
    .insertInto('tags')
    .values({ organisation_id: organisationId, name })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

export async function removeTag(tx: Tx, scope: Scope, id: number): Promise<void> {
  await tx.deleteFrom('device_tags').where(within('organisation_id', scope)).where('tag_id', '=', id).execute();
  await tx.updateTable('tags').set({ is_deleted: true }).where(within('organisation_id', scope)).where('id', '=', id).execute();
}

/** Devices in scope with the given uuids, and their organisations. */
export async function findDevices(
  tx: Tx,
  scope: Scope,
  ids: readonly string[],
): Promise<{ id: string; organisationId: number }[]> {
  return tx
    .selectFrom('devices')
    .select(['id', 'organisation_id as organisationId'])
    .where(within('organisation_id', scope))
    .where('id', 'in', [...ids])
    .execute();
}

export async function putTags(
  tx: Tx,
  organisationId: number,
  deviceIds: readonly string[],
  tagIds: readonly number[],
): Promise<void> {
  if (tagIds.length === 0) return;
  await tx
    .insertInto('device_tags')
    .values(
      deviceIds.flatMap((deviceId) =>
        tagIds.map((tagId) => ({ device_id: deviceId, tag_id: tagId, organisation_id: organisationId })),
      ),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function takeTags(
  tx: Tx,
  organisationId: number,
  deviceIds: readonly string[],
  tagIds: readonly number[],
): Promise<void> {
  if (tagIds.length === 0) return;
  await tx
    .deleteFrom('device_tags')
    .where('organisation_id', '=', organisationId)
    .where('device_id', 'in', [...deviceIds])
    .where('tag_id', 'in', [...tagIds])
    .execute();
}
