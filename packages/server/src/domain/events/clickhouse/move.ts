/**
 * Moves blocks to ClickHouse, each of one day at a time. Whatever ends a move, its rows count in ClickHouse or its blocks count here, never both: the
 * rows carry the number of the move, and a reader leaves out the moves that did not end (migration 0085). A move that was given up is
 * cleaned away later.
 */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { Database } from '../../../core/db/connect.ts';
import { readScoped, scoped } from '../../../core/db/scope.ts';
import type { BlockRow } from '../blockRows.ts';
import { eventsOf as eventsOfBlocks } from '../merge.ts';
import { openBlocks } from '../openBlocks.ts';
import type { ClickHouse } from './client.ts';
import { deletedFrom, eventsTable } from './schema.ts';

/** Rows of a move, in one insert. */
const maxRows = 20_000;
/** Small blocks wait for others of their day, as long as this. */
const patienceMs = 60_000;
const fewRows = 5_000;
/** Blocks stay so long after their move: the window in which an event that is sent again is recognised. */
export const journalMs = 48 * hourMs;
/** A move that lasts longer was interrupted. */
const moveMs = 5 * 60_000;
/** An insert that was sent may still end after its move was given up. */
const cleaningMs = 15 * 60_000;
const blocksPerRemoval = 200;

/** Moves what is due until nothing is left or the time is over; returns the number of events. */
export async function moveBlocks(db: Database, clickHouse: ClickHouse, now: number, timeMs: number): Promise<number> {
  const until = performance.now() + timeMs;
  const unreadable: string[] = [];
  await scoped(db, 'system', (tx) => sql`select abandon_event_moves(${new Date(now - moveMs)})`.execute(tx));
  let moved = 0;
  while (performance.now() < until) {
    const blocks = await dueBlocks(db, now, unreadable);
    const [first] = blocks;
    if (!first) break;
    moved += await moveSome(db, clickHouse, blocks, now, unreadable);
  }
  return moved;
}

/** Blocks of one day that are worth a move, those that arrived first before others. */
async function dueBlocks(db: Database, now: number, without: readonly string[]): Promise<BlockRow[]> {
  const rows = await readScoped(db, 'system', async (tx) => {
    const found = await sql<BlockRow & { before: number }>`
      with due as (
        select b.id, b.organisation_id, b.first_at, b.last_at, b.count, date_trunc('day', b.first_at, 'UTC') as day, b.last_received_at
        from event_blocks b where b.move is null and b.archive_file_id is null and b.id <> all (${[...without]}::uuid[])
      ), chosen as (
        select day from due group by day
        having sum(count) >= ${sql.lit(fewRows)} or min(last_received_at) < ${new Date(now - patienceMs)}
        order by min(last_received_at) limit 1
      )
      select d.id::text, d.organisation_id as "organisationId", (extract(epoch from d.first_at) * 1000)::float8 as "firstAt",
        (extract(epoch from d.last_at) * 1000)::float8 as "lastAt", d.count,
        (sum(d.count) over (order by d.organisation_id, d.first_at, d.id) - d.count)::float8 as before
      from due d join chosen c on c.day = d.day order by d.organisation_id, d.first_at, d.id limit 2000`.execute(tx);
    return found.rows;
  });
  return rows.filter(({ before }, index) => index === 0 || before < maxRows - (rows[index]?.count ?? 0));
}

async function moveSome(
  db: Database,
  clickHouse: ClickHouse,
  blocks: readonly BlockRow[],
  now: number,
  unreadable: string[],
): Promise<number> {
  const read = await readScoped(db, 'system', (tx) => eventsOfBlocks(blocks, () => openBlocks(tx, 'system', blocks)));
  const readable = new Set(read.merged);
  unreadable.push(...blocks.flatMap(({ id }) => (readable.has(id) ? [] : [id])));
  if (read.merged.length === 0) return 0;
  const since = new Date(Math.floor(blocks[0]!.firstAt / dayMs) * dayMs);
  const move = await scoped(db, 'system', async (tx) => {
    const { rows } = await sql<{
      number: number;
    }>`select begin_event_move(${read.merged}::uuid[], ${since}, ${new Date(now)})::float8 as number`.execute(tx);
    return rows[0]!.number;
  });
  const rows = read.events.map((event) => ({
    organisation_id: event.organisationId,
    at: event.at,
    id: event.id,
    received_at: event.receivedAt,
    clock_skew: event.clockSkew,
    shape: event.shape.toWellFormed(),
    device_name: event.deviceName?.toWellFormed() ?? null,
    user_name: event.userName?.toWellFormed() ?? null,
    text: event.text.toWellFormed(),
    document: event.json,
    move,
  }));
  try {
    await clickHouse.insert(eventsTable, rows);
    await scoped(db, 'system', (tx) => sql`select finish_event_move(${move}::bigint)`.execute(tx));
  } catch (error) {
    // The insert may have been stored all the same, or still be.
    await scoped(db, 'system', (tx) => sql`select abandon_event_moves(${new Date(now + 1)})`.execute(tx));
    throw error;
  }
  return read.events.length;
}

/** Gives up the moves that ClickHouse has and this database does not, since it was restored; returns how many. Call it before the first move. */
export async function adoptMoves(db: Database, clickHouse: ClickHouse, now: number): Promise<number> {
  const [row] = await clickHouse.query<{ newest: string }>(`select toString(max(move)) as newest from ${eventsTable}`);
  const { rows } = await scoped(db, 'system', (tx) =>
    sql<{
      lost: number;
    }>`select adopt_event_moves(${row?.newest ?? '0'}::bigint, ${new Date(now)})::float8 as lost`.execute(tx),
  );
  return rows[0]?.lost ?? 0;
}

/** Deletes what moves that were given up left in ClickHouse; returns their number. */
export async function cleanMoves(db: Database, clickHouse: ClickHouse, now: number): Promise<number> {
  const numbers = await readScoped(db, 'system', async (tx) => {
    const { rows } = await sql<{ number: number }>`
      select number::float8 as number from event_moves where is_abandoned and started_at < ${new Date(now - cleaningMs)}`.execute(
      tx,
    );
    return rows.map(({ number }) => number);
  });
  if (numbers.length === 0) return 0;
  await clickHouse.command(`delete from ${deletedFrom(clickHouse.cluster)} where move in (${numbers.join(',')})`);
  for (const number of numbers) await scoped(db, 'system', (tx) => sql`select forget_event_move(${number}::bigint)`.execute(tx));
  return numbers.length;
}

/** Removes blocks past the journal’s window that ClickHouse has; returns their number. */
export async function trimJournal(db: Database, now: number): Promise<number> {
  for (let total = 0; ; ) {
    const gone = await scoped(db, 'system', async (tx) => {
      const { rows } = await sql<{
        gone: number;
      }>`select remove_moved_blocks(${new Date(now - journalMs)}, ${sql.lit(blocksPerRemoval)}) as gone`.execute(tx);
      return rows[0]?.gone ?? 0;
    });
    total += gone;
    if (gone < blocksPerRemoval) return total;
  }
}

export interface MoveState {
  /** Events that are not in ClickHouse yet. */
  waiting: number;
  /** Arrival of the first of them. */
  since: number | null;
}

export const readMoveState = (db: Database): Promise<MoveState> =>
  readScoped(db, 'system', async (tx) => {
    const { rows } = await sql<{ waiting: number; since: number | null }>`
      select coalesce(sum(count), 0)::float8 as waiting, (extract(epoch from min(last_received_at)) * 1000)::float8 as since
      from event_blocks b where b.archive_file_id is null
        and (b.move is null or exists (select from event_moves m where m.number = b.move))`.execute(tx);
    return rows[0]!;
  });
