import type { InsertObject, Selectable } from 'kysely';
import type { Tx } from './scope.ts';
import type { Tables } from './tables.ts';

type TableWithId = { [T in keyof Tables]: 'id' extends keyof Tables[T] ? T : never }[keyof Tables];
type IdOf<T extends TableWithId> = Selectable<Tables[T]> extends { id: infer Id } ? Id : never;

/** Inserts a row and returns its id. */
export async function insertRow<T extends TableWithId>(tx: Tx, table: T, row: InsertObject<Tables, T>): Promise<IdOf<T>> {
  const inserted: unknown = await tx
    .insertInto(table)
    .values(row)
    .returning('id' as never)
    .executeTakeFirstOrThrow();
  return (inserted as { id: IdOf<T> }).id;
}
