/** SQL of data keys. */
import { sql } from 'kysely';
import type { Tx } from '../db/scope.ts';

export interface DataKeyRow {
  id: number;
  organisation_id: number | null;
  wrapped: Buffer;
  master: string;
}

const lockName = 'data keys';
/** Locks the wrapping of keys until the transaction ends; with `isShared`, for creating one. */
export const lockKeys = (tx: Tx, { isShared = false } = {}) =>
  (isShared
    ? sql`select pg_advisory_xact_lock_shared(hashtextextended(${lockName}, 0))`
    : sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`
  ).execute(tx);

const columns = ['id', 'organisation_id', 'wrapped', 'master'] as const;

export const listDataKeys = (tx: Tx): Promise<DataKeyRow[]> => tx.selectFrom('data_keys').select(columns).orderBy('id').execute();

export const findDataKey = (tx: Tx, id: number): Promise<DataKeyRow | undefined> =>
  tx.selectFrom('data_keys').select(columns).where('id', '=', id).executeTakeFirst();

/** The key that values of the organisation are sealed with: its newest. `isUncommitted`: made by this very transaction. */
export const findCurrentKey = (tx: Tx, organisationId: number | null) =>
  tx
    .selectFrom('data_keys')
    .select([...columns, sql<boolean>`coalesce(xmin = pg_current_xact_id_if_assigned()::xid, false)`.as('isUncommitted')])
    .where(sql<boolean>`organisation_id is not distinct from ${organisationId}::integer`)
    .where('retired_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Id of the master key that wraps the data keys. */
export const findMasterInUse = async (tx: Tx): Promise<string | undefined> =>
  (
    await tx
      .selectFrom('data_keys')
      .select('master')
      .where('organisation_id', 'is', null)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.master;

export const insertDataKey = (tx: Tx, key: Omit<DataKeyRow, 'id'>): Promise<{ id: number }> =>
  tx.insertInto('data_keys').values(key).returning('id').executeTakeFirstOrThrow();

export async function updateWrapped(tx: Tx, id: number, wrapped: Buffer, master: string): Promise<void> {
  await tx.updateTable('data_keys').set({ wrapped, master }).where('id', '=', id).execute();
}

export async function retireDataKeys(tx: Tx): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('data_keys')
    .set({ retired_at: sql<Date>`now()` })
    .where('retired_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export const hasRetiredKeys = async (tx: Tx): Promise<boolean> =>
  (await tx.selectFrom('data_keys').select('id').where('retired_at', 'is not', null).limit(1).executeTakeFirst()) !== undefined;

/** Removes keys without sealed values. The hour exceeds every transaction, and the time for which other processes still use a retired key. */
export async function removeRetiredKeys(tx: Tx, used: readonly number[]): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('data_keys')
    .where('retired_at', '<', sql<Date>`now() - interval '1 hour'`)
    .where(sql<boolean>`id <> all(${[...used]}::integer[])`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Rows of `secrets`, by their names. */
export const findSecret = async (tx: Tx, name: string): Promise<Buffer | undefined> =>
  (await tx.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst())?.value;

/** Leaves the row alone where there is one. */
export async function insertSecret(tx: Tx, name: string, value: Buffer): Promise<void> {
  await tx
    .insertInto('secrets')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function updateSecret(tx: Tx, name: string, value: Buffer): Promise<void> {
  await tx.updateTable('secrets').set({ value }).where('name', '=', name).execute();
}

export async function removeSecrets(tx: Tx, names: readonly string[]): Promise<void> {
  await tx.deleteFrom('secrets').where('name', 'in', names).execute();
}
