/** Trial of a restored database. */
import pg from 'pg';

/** Reads every row, and with it the checksum of every page. Throws when PostgreSQL finds one that is wrong. */
export async function readEverything(connectionString: string): Promise<{ tables: number; rows: number }> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const found = await client.query<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    let rows = 0;
    for (const { name } of found.rows) {
      const counted = await client.query<{ count: string }>(`select count(t.*) as count from only ${name} t`);
      rows += Number(counted.rows[0]?.count);
    }
    return { tables: found.rows.length, rows };
  } finally {
    await client.end();
  }
}
