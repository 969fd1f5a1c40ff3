/** Events over time, from the minute counts of blocks: exact without opening more than those at the ends of the range. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { CorruptBlockError } from './block.format.ts';
import { type BlockRow, blockConditions, countsByMinute } from './blockRows.ts';
import { clickHouse } from './clickhouse/connected.ts';
import { countMoved } from './clickhouse/read.ts';
import { hasEventRows } from './eventRows.ts';
import { openBlocks, setAside } from './openBlocks.ts';
import type { EventCounts } from './scanQuery.ts';
import { readSplit } from './split.ts';

export async function countByTime(tx: Tx, scope: Scope, { start, end, bucketMs }: EventCounts): Promise<Map<number, number>> {
  const bars = new Map<number, number>();
  const add = (at: number, count: number) => {
    const bar = Math.floor(at / bucketMs) * bucketMs;
    bars.set(bar, (bars.get(bar) ?? 0) + count);
  };
  const moved = clickHouse();
  const split = await readSplit(tx);
  if (moved && split) for (const [bar, count] of await countMoved(moved, scope, split, { start, end, bucketMs })) add(bar, count);
  const { rows } = await sql<BlockRow & { minutes: Buffer }>`
    select b.id, b.organisation_id as "organisationId", (extract(epoch from b.first_at) * 1000)::float8 as "firstAt",
      (extract(epoch from b.last_at) * 1000)::float8 as "lastAt", b.count, b.minutes
    from event_blocks b where ${blockConditions(scope, { start, end, split })}`.execute(tx);
  for (const row of rows) {
    if (row.firstAt >= start && row.lastAt < end) for (const [at, count] of countsByMinute(row)) add(at, count);
    else for (const at of await timesIn(tx, scope, row)) if (at >= start && at < end) add(at, 1);
  }
  if (await hasEventRows(tx)) {
    const { rows: old } = await sql<{ bar: number; count: number }>`
      select floor(extract(epoch from at) * 1000 / ${bucketMs})::float8 as bar, count(*)::integer as count from event_rows
      where ${within('organisation_id', scope)} and at >= ${new Date(start)} and at < ${new Date(end)} group by 1`.execute(tx);
    for (const { bar, count } of old) add(bar * bucketMs, count);
  }
  return bars;
}

async function timesIn(tx: Tx, scope: Scope, row: BlockRow): Promise<Float64Array> {
  const [open] = await openBlocks(tx, scope, [row]);
  try {
    return open ? (await open.block.heads()).at : new Float64Array();
  } catch (error) {
    if (!(error instanceof CorruptBlockError)) throw error;
    setAside(row, error);
    return new Float64Array();
  }
}
