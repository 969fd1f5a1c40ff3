import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

const columns = [
  'id',
  'organisation_id as clientOrganizationID',
  'name',
  'prefix',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
  'revoked_at as revokedAt',
] as const;

export const listKeys = (tx: Tx, scope: Scope) =>
  tx.selectFrom('ingest_keys').select(columns).where(within('organisation_id', scope)).orderBy('id').limit(10_000).execute();

export const insertKey = (
  tx: Tx,
  key: { organisationId: number; name: string; prefix: string; hash: Buffer; createdByApiKeyId: number | null },
) =>
  tx
    .insertInto('ingest_keys')
    .values({
      organisation_id: key.organisationId,
      name: key.name,
      prefix: key.prefix,
      hash: key.hash,
      created_by_api_key_id: key.createdByApiKeyId,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();

/** Returns true if a valid key was revoked. */
export async function revokeKey(tx: Tx, scope: Scope, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('ingest_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Organisation of a valid key, by the key’s hash. */
export async function findKey(tx: Tx, hash: Buffer): Promise<{ id: number; organisationId: number } | undefined> {
  const row = await tx
    .selectFrom('ingest_keys')
    .innerJoin('organisations', 'organisations.id', 'ingest_keys.organisation_id')
    .leftJoin('organisations as partners', 'partners.id', 'organisations.parent_id')
    .where('ingest_keys.hash', '=', hash)
    .where('ingest_keys.revoked_at', 'is', null)
    .where('organisations.deactivated_at', 'is', null)
    .where('partners.deactivated_at', 'is', null)
    .select(['ingest_keys.id', 'ingest_keys.organisation_id as organisationId'])
    .select(sql<boolean>`coalesce(ingest_keys.last_used_at < now() - interval '1 minute', true)`.as('isUseStale'))
    .executeTakeFirst();
  if (row?.isUseStale) {
    await tx.updateTable('ingest_keys').set({ last_used_at: sql<Date>`now()` }).where('id', '=', row.id).execute();
  }
  return row;
}
