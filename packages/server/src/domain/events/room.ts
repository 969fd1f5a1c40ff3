/**
 * Room of tables that a job empties again and again, small blocks and copies of alerts' events: returned to the disk by VACUUM, which cuts the empty end of
 * a file, once no transaction is left that began before the rows were deleted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../core/db/connect.ts';
import { isStatementTimeout, readScoped } from '../../core/db/scope.ts';

/** Bytes of the rows that are left, outside of their pages. */
const rowsLeft = {
  event_blocks_recent: sql`select sum(pg_column_size(body) + pg_column_size(tokens) + pg_column_size(ids)) from event_blocks where is_recent`,
  alert_events_recent: sql`select sum(pg_column_size(document) + pg_column_size(why)) from alert_events where is_recent`,
};

/** Of a file beyond twice its rows: pages that are partly filled, and maps of free ones. */
const slackBytes = 512 * 1024;
const pauseMs = 3_000;

/**
 * False when the file holds much more than its rows after `timeMs`, as a long transaction or a row at its end keeps it. Before PostgreSQL 17 the portal's role
 * may not vacuum; autovacuum does it there, later.
 */
export async function returnRoom(
  db: Database,
  table: keyof typeof rowsLeft,
  { timeMs, signal }: { timeMs: number; signal: AbortSignal },
): Promise<boolean> {
  const { rows } = await db.pool.query<{ may: boolean }>(
    "select current_setting('server_version_num')::integer >= 170000 as may",
  );
  if (!rows[0]?.may) return true;
  const until = performance.now() + timeMs;
  for (;;) {
    await vacuum(db, table);
    if (!(await holdsRoom(db, table))) return true;
    if (performance.now() + pauseMs > until || signal.aborted) return false;
    await pause(pauseMs, undefined, { signal }).catch(() => {});
  }
}

async function vacuum({ pool }: Database, table: keyof typeof rowsLeft): Promise<void> {
  await pool.query(`vacuum ${table}`).catch((error: unknown) => {
    if (!isStatementTimeout(error)) throw error;
  });
}

async function holdsRoom(db: Database, table: keyof typeof rowsLeft): Promise<boolean> {
  const { rows } = await readScoped(db, 'system', (tx) =>
    sql<{ holds: boolean }>`
      select pg_table_size(${table}::regclass) > 2 * coalesce((${rowsLeft[table]}), 0) + ${sql.lit(slackBytes)} as holds`.execute(
      tx,
    ),
  );
  return rows[0]?.holds === true;
}
