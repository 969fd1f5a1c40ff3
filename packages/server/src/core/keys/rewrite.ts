/** Goes through the values of a sealed column, in transactions of a few rows each: it can be ended at any time and begun again. */
import { sql } from 'kysely';
import type { Database } from '../db/connect.ts';
import { scoped, type Tx } from '../db/scope.ts';
import type { ColumnName, Place, SealedColumn } from './columns.ts';

const batchSize = 200;

interface Row {
  id: number | string | Buffer;
  organisation_id: number | null;
  value: Buffer;
}

/**
 * Stores the result of `rewrite` for each value; undefined leaves it unchanged, and so does a concurrent change by another transaction. `onBatch`
 * receives the number of values read so far.
 */
export async function rewriteColumn(
  db: Database,
  [name, { id, type, organisation }]: [ColumnName, SealedColumn],
  rewrite: (tx: Tx, place: Place, value: Buffer) => Promise<Buffer | undefined>,
  onBatch: (done: number) => void = () => {},
): Promise<void> {
  const [table = '', column = ''] = name.split('.');
  const [from, key, value] = [sql.table(table), sql.ref(id), sql.ref(column)];
  const owner = organisation === null ? sql`null::integer` : sql.ref(organisation);
  let last: Row['id'] | undefined;
  for (let done = 0; ; ) {
    const count = await scoped(db, 'system', async (tx) => {
      const { rows } = await sql<Row>`select ${key} as id, ${owner} as organisation_id, ${value} as value from ${from}
        where ${value} is not null ${last === undefined ? sql`` : sql`and ${key} > ${last}`}
        order by ${key} limit ${batchSize}`.execute(tx);
      const changed: { row: Row; next: Buffer }[] = [];
      for (const row of rows) {
        const next = await rewrite(tx, { organisationId: row.organisation_id, column: name, id: row.id }, row.value);
        if (next) changed.push({ row, next });
        last = row.id;
      }
      if (changed.length > 0)
        await sql`update ${from} set ${value} = v.next
          from unnest(${changed.map(({ row }) => row.id)}::${sql.raw(type)}[], ${changed.map(({ row }) => row.value)}::bytea[],
            ${changed.map(({ next }) => next)}::bytea[]) v (id, old, next)
          where ${sql.ref(`${table}.${id}`)} = v.id and ${sql.ref(`${table}.${column}`)} = v.old`.execute(tx);
      return rows.length;
    });
    done += count;
    if (count > 0) onBatch(done);
    if (count < batchSize) return;
  }
}
