/** Id of a row that is about to be inserted: its secrets are sealed for it. */
import { sql } from 'kysely';
import type { Tx } from './scope.ts';
import type { Tables } from './tables.ts';

export async function nextId(tx: Tx, table: keyof Tables): Promise<number> {
  const { rows } = await sql<{ id: number }>`select nextval(${`${table}_id_seq`}::regclass)::integer as id`.execute(tx);
  return rows[0]!.id;
}
