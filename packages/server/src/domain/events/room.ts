/**
 * Room of tables that a job empties again and again, small blocks and copies of alerts' events: returned to the disk by VACUUM, which cuts the empty end of
 * a file, once no transaction is left that began before the rows were deleted. A small block that no merge takes up may lie at the end: it moves.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { Database } from '../../core/db/connect.ts';
import { isStatementTimeout, readScoped, scoped } from '../../core/db/scope.ts';
import { lockBlocks } from './append.ts';

/** Bytes of the rows that are left, outside of their pages. */
const rowsLeft = {
  event_blocks_recent: sql`select sum(pg_column_size(body) + pg_column_size(tokens) + pg_column_size(ids)) from event_blocks where is_recent`,
  alert_events_recent: sql`select sum(pg_column_size(document) + pg_column_size(why)) from alert_events where is_recent`,
};

/** Of a file beyond twice its rows: pages that are partly filled, and maps of free ones. */
const slackBytes = 512 * 1024;
const pauseMs = 3_000;
/** Vacuums that left the room: most others need no more than a second one. */
const movesAfter = 2;
/** More blocks are no rest. */
const maxMoved = 200;

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
  for (let attempt = 1; ; attempt++) {
    await vacuum(db, table);
    if (!(await holdsRoom(db, table))) return true;
    if (attempt === movesAfter && table === 'event_blocks_recent') await moveRest(db);
    if (performance.now() + pauseMs > until || signal.aborted) return false;
    await pause(pauseMs, undefined, { signal }).catch(() => {});
  }
}

async function vacuum({ pool }: Database, table: keyof typeof rowsLeft): Promise<void> {
  // Otherwise dead rows on less than 2% of the pages stay, also on the last page, and the file is not cut.
  await pool.query(`vacuum (index_cleanup on) ${table}`).catch((error: unknown) => {
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

/** Writes the blocks that are left once more, into free room before the end of the file, and removes them where they were. */
async function moveRest(db: Database): Promise<void> {
  const { rows } = await readScoped(db, 'system', (tx) =>
    sql<{ id: string; organisationId: number; firstAt: Date }>`
      select id, organisation_id as "organisationId", first_at as "firstAt" from event_blocks
      where is_recent and archive_file_id is null and move is null order by organisation_id limit ${sql.lit(maxMoved + 1)}`.execute(
      tx,
    ),
  );
  if (rows.length > maxMoved) return;
  for (const { id, organisationId, firstAt } of rows) {
    const moved = randomUUID();
    await scoped(db, 'system', async (tx) => {
      await lockBlocks(tx, organisationId);
      const { numAffectedRows } = await sql`
        insert into event_blocks (id, organisation_id, first_at, last_at, first_received_at, last_received_at, count, minutes, devices, tokens, ids, body, is_recent)
        select ${moved}, organisation_id, first_at, last_at, first_received_at, last_received_at, count, minutes, devices, tokens, ids, body, is_recent
        from event_blocks where organisation_id = ${organisationId} and first_at = ${firstAt} and id = ${id} and is_recent and move is null`.execute(
        tx,
      );
      // A merge was faster.
      if (numAffectedRows !== 1n) return;
      const day = new Date(Math.floor(firstAt.getTime() / dayMs) * dayMs);
      await sql`select remove_merged_blocks(${organisationId}, ${[id]}::uuid[], ${day}, ${moved})`.execute(tx);
    });
  }
}
