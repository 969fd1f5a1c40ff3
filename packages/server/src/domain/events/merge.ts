/**
 * Small blocks become larger ones, which cost less room and less of a search: those of an hour while it lasts, of a day when it is over. Rows of the
 * table before become blocks. Both are encoded outside of the transaction that writes, deletes and checks the numbers.
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { timeColumn, uuidColumn } from '../../core/db/bulk.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { yieldToEventLoop } from '../../core/yielding.ts';
import { byTime, lockBlocks, maxBlockEvents, partsOf, smallCount } from './append.ts';
import { CorruptBlockError } from './block.format.ts';
import { type BlockEvent, encodeBlock } from './block.write.ts';
import { type BlockRow, insertBlock } from './blockRows.ts';
import { columnsOfRows, toStored } from './eventRows.ts';
import { openBlocks, setAside } from './openBlocks.ts';
import { EventInBlock } from './storedEvent.ts';

/** Small blocks of the current hour that are worth a merge: each merge writes its events again. */
const manySmall = 16;
const groupsPerRun = 200;
/** Compression of what stays, by measurement: a tenth smaller than level 3; 15 saves 1% more at four times the processor time. */
const level = 11;
const eventsPerTurn = 200;

interface Group {
  organisationId: number;
  blocks: string[];
  from: Date;
}

/** Of a client from which nothing has come for as long, what is no longer small once merged: its last blocks hold back the room that a merge has left. */
const quietMs = 10_000;

/** Merges what is worth it; returns the number of blocks that became fewer. */
export async function mergeBlocks(db: Database, now: number): Promise<number> {
  const groups = await readScoped(db, 'system', async (tx) => {
    const { rows } = await sql<Group>`
      select organisation_id as "organisationId", array_agg(id::text order by first_at, id) as blocks, min(first_at) as from from (
        select id, organisation_id, first_at, count as events, last_received_at, date_trunc('day', first_at, 'UTC') as day,
          case when first_at >= ${new Date(Math.floor(now / dayMs) * dayMs)} then date_trunc('hour', first_at, 'UTC') end as hour
        from event_blocks where count < ${sql.lit(smallCount)} and archive_file_id is null and move is null
      ) b group by organisation_id, day, hour
      having count(*) >= case when hour is not null and hour > ${new Date(now)}::timestamptz - interval '65 minutes' then ${sql.lit(manySmall)} else 2 end
        or count(*) > 1 and sum(events) >= ${sql.lit(smallCount)} and max(last_received_at) < ${new Date(now - quietMs)}
      order by count(*) desc limit ${sql.lit(groupsPerRun)}`.execute(tx);
    return rows;
  });
  let fewer = 0;
  for (const group of groups) fewer += await mergeGroup(db, group);
  return fewer;
}

/** Small blocks need no month of their own. */
async function makeMonth(tx: Tx, at: Date): Promise<void> {
  const day = at.toISOString().slice(0, 10);
  await sql`select make_partitions(${day}::date, ${day}::date)`.execute(tx);
}

/** Blocks that become one each, of about as many events: a small rest would be merged again, and leave its room between others. */
export function evenParts<T extends { count: number }>(rows: readonly T[]): T[][] {
  const all = rows.reduce((sum, { count }) => sum + count, 0);
  const wanted = all / Math.ceil(all / maxBlockEvents);
  const parts: T[][] = [];
  let sum = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    // At the boundary that is nearer.
    if (sum + row.count / 2 > wanted || sum + row.count > maxBlockEvents) {
      parts.push([]);
      sum = 0;
    }
    parts.at(-1)!.push(row);
    sum += row.count;
  }
  return parts;
}

async function mergeGroup(db: Database, { organisationId, blocks }: Group): Promise<number> {
  const scope = { organisationIds: [organisationId] };
  const rows = await readScoped(db, scope, async (tx) => {
    const found = await sql<BlockRow>`
      select id::text, organisation_id as "organisationId", (extract(epoch from first_at) * 1000)::float8 as "firstAt",
        (extract(epoch from last_at) * 1000)::float8 as "lastAt", count
      from event_blocks where organisation_id = ${organisationId} and id = any(${blocks}::uuid[]) order by first_at, id`.execute(
      tx,
    );
    return found.rows;
  });
  let fewer = 0;
  for (const part of evenParts(rows)) {
    if (part.length < 2) continue;
    const read = await readScoped(db, scope, (tx) => eventsOf(part, () => openBlocks(tx, scope, part)));
    if (read.merged.length < 2) continue;
    const encoded = await encodeBlock(read.events, level);
    const since = new Date(Math.floor(read.events[0]!.at / dayMs) * dayMs);
    await scoped(db, 'system', async (tx) => {
      await makeMonth(tx, since);
      await lockBlocks(tx, organisationId);
      const { id: replacement } = await insertBlock(tx, organisationId, read.events, encoded);
      await sql`select remove_merged_blocks(${organisationId}, ${read.merged}::uuid[], ${since}, ${replacement})`.execute(tx);
    });
    fewer += read.merged.length - 1;
  }
  return fewer;
}

export type ReadEvent = BlockEvent & { organisationId: number; json: string };

/** Events of the readable blocks, sorted, and the blocks’ ids. */
export async function eventsOf(rows: readonly BlockRow[], open: () => ReturnType<typeof openBlocks>) {
  const events: ReadEvent[] = [];
  const merged: string[] = [];
  for (const { id, organisationId, ids, block } of await open()) {
    try {
      const [heads, documents] = [await block.heads(), await block.documents()];
      const own: ReadEvent[] = [];
      for (let place = 0; place < block.count; place++) {
        const event = new EventInBlock(organisationId, ids, heads, documents, place);
        const { json } = event;
        // Parsed when it is encoded: four thousand parsed documents take hundreds of megabytes.
        own.push({
          ...event,
          id: event.id,
          json,
          get document() {
            return JSON.parse(json) as Record<string, unknown>;
          },
        });
        if (place % eventsPerTurn === eventsPerTurn - 1) await yieldToEventLoop();
      }
      events.push(...own);
      merged.push(id);
    } catch (error) {
      if (!(error instanceof CorruptBlockError)) throw error;
      const row = rows.find((each) => each.id === id);
      if (row) setAside(row, error);
    }
  }
  return { events: events.sort(byTime), merged };
}

/** Packs rows of the table before until none is left or the time is over; returns how many. */
export async function packRows(db: Database, timeMs: number): Promise<number> {
  const until = performance.now() + timeMs;
  let packed = 0;
  while (performance.now() < until) {
    const rows = await readScoped(db, 'system', async (tx) => {
      const found = await sql<Parameters<typeof toStored>[0]>`
        with first as (select organisation_id from event_rows limit 1)
        select ${columnsOfRows} from event_rows e where e.organisation_id = (select organisation_id from first)
        order by e.at, e.id limit ${sql.lit(maxBlockEvents)}`.execute(tx);
      return found.rows.map(toStored);
    });
    const [first] = rows;
    if (!first) break;
    const [part = []] = partsOf(rows);
    const events: BlockEvent[] = part;
    const encoded = await encodeBlock(events, level);
    const at = [timeColumn(events.map((event) => event.at)), uuidColumn(events.map(({ id }) => id))] as const;
    await scoped(db, 'system', async (tx) => {
      await makeMonth(tx, new Date(first.at));
      await lockBlocks(tx, first.organisationId);
      await insertBlock(tx, first.organisationId, events, encoded);
      const removed = await sql<{
        gone: number;
      }>`select remove_packed_rows(${first.organisationId}, ${at[0]}, ${at[1]}) as gone`.execute(tx);
      if (removed.rows[0]?.gone !== events.length) throw new Error('Rows of events changed while they were packed.');
    });
    packed += events.length;
  }
  return packed;
}
