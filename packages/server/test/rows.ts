import type { InsertObject, Selectable } from 'kysely';
import type { Tx } from '../src/core/db/scope.ts';
import type { Tables } from '../src/core/db/tables.ts';

type TableWithId = { [T in keyof Tables]: 'id' extends keyof Tables[T] ? T : never }[keyof Tables];

/** Inserts a row and returns its id. */
export async function insertRow<T extends TableWithId>(
  tx: Tx,
  table: T,
  row: InsertObject<Tables, T>,
): Promise<Selectable<Tables[T]>['id']> {
  const inserted = await tx
    .insertInto(table)
    .values(row)
    .returning('id' as never)
    .executeTakeFirstOrThrow();
  return (inserted as Selectable<Tables[T]>).id;
}
