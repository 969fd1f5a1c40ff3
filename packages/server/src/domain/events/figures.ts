/** Figures of what is stored. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { CorruptBlockError } from './block.format.ts';
import type { BlockRow } from './blockRows.ts';
import { clickHouse } from './clickhouse/connected.ts';
import { firstArrivalMoved, sizesMoved } from './clickhouse/read.ts';
import { hasEventRows } from './eventRows.ts';
import { openBlocks } from './openBlocks.ts';
import { andHere, readSplit } from './split.ts';

export interface HeldEvents {
  count: number;
  oldest: string | null;
}

/** Number of events and time of the oldest, without those brought back from the archive. */
export async function held(tx: Tx, organisationId: number): Promise<HeldEvents> {
  const moved = clickHouse();
  const split = await readSplit(tx);
  const [past] = moved && split ? await sizesMoved(moved, { organisationIds: [organisationId] }, split, 0) : [];
  const { rows } = await sql<{ count: number; oldest: Date | null }>`
    select coalesce(sum(count), 0)::float8 as count, min(oldest) as oldest from (
      select sum(count) as count, min(first_at) as oldest from event_blocks b
        where organisation_id = ${organisationId} and archive_file_id is null${andHere(split)}
      union all select count(*), min(at) from event_rows where organisation_id = ${organisationId}
    ) h`.execute(tx);
  const oldest = Math.min(rows[0]?.oldest?.getTime() ?? Number.POSITIVE_INFINITY, past?.oldest ?? Number.POSITIVE_INFINITY);
  return {
    count: (rows[0]?.count ?? 0) + (past?.events ?? 0),
    oldest: Number.isFinite(oldest) ? new Date(oldest).toISOString() : null,
  };
}

export async function firstArrival(tx: Tx, scope: Scope, organisationId: number, device: string): Promise<number | undefined> {
  const moved = clickHouse();
  const split = await readSplit(tx);
  const { rows } = await sql<BlockRow & { firstReceivedAt: number }>`
    select b.id, b.organisation_id as "organisationId", (extract(epoch from b.first_at) * 1000)::float8 as "firstAt",
      (extract(epoch from b.last_at) * 1000)::float8 as "lastAt", b.count, (extract(epoch from b.first_received_at) * 1000)::float8 as "firstReceivedAt"
    from event_blocks b where ${within('b.organisation_id', scope)} and b.organisation_id = ${organisationId}
      and (b.devices is null or ${device} = any(b.devices))${andHere(split)} order by b.first_received_at`.execute(tx);
  let first =
    (moved && split && (await firstArrivalMoved(moved, scope, split, organisationId, device))) ?? Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.firstReceivedAt >= first) break;
    const [open] = await openBlocks(tx, scope, [row]);
    const heads = await open?.block.heads().catch((error: unknown) => {
      if (!(error instanceof CorruptBlockError)) throw error;
    });
    for (const [place, name] of heads?.deviceName.entries() ?? [])
      if (name === device) first = Math.min(first, heads!.receivedAt[place]!);
  }
  if (await hasEventRows(tx)) {
    const { rows: old } = await sql<{ receivedAt: Date | null }>`select min(received_at) as "receivedAt" from event_rows
      where ${within('organisation_id', scope)} and organisation_id = ${organisationId} and device_name = ${device}`.execute(tx);
    first = Math.min(first, old[0]?.receivedAt?.getTime() ?? first);
  }
  return Number.isFinite(first) ? first : undefined;
}
