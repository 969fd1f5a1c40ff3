/** Deletes moved events of one organisation: past their retention, and at an erasure. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { Tx } from '../../../core/db/scope.ts';
import type { ClickHouse } from './client.ts';
import { deletedFrom, eventsTable } from './schema.ts';

const idOf = (organisationId: number): number => {
  if (!Number.isInteger(organisationId) || organisationId < 1) throw new TypeError(`${organisationId} is no organisation's id.`);
  return organisationId;
};

interface Counted {
  events: number;
  bytes: number;
}

const countWhere = async (clickHouse: ClickHouse, condition: string): Promise<Counted> => {
  const [row] = await clickHouse.query<Counted>(
    `select count() as events, sum(length(document)) as bytes from ${eventsTable} where ${condition}`,
  );
  return row ?? { events: 0, bytes: 0 };
};

/** Whole days before a time, without those that still have blocks to be archived; returns the number of events. */
export async function removeMovedBefore(
  tx: Tx,
  clickHouse: ClickHouse,
  organisationId: number,
  time: number,
  { isArchived }: { isArchived: boolean },
): Promise<number> {
  let before = Math.floor(time / dayMs) * dayMs;
  if (isArchived) {
    const { rows } = await sql<{ first: number | null }>`
      select (extract(epoch from min(first_at)) * 1000)::float8 as first from event_blocks
      where organisation_id = ${organisationId} and archive_file_id is null`.execute(tx);
    before = Math.min(before, Math.floor((rows[0]?.first ?? before) / dayMs) * dayMs);
  }
  const condition = `organisation_id = ${idOf(organisationId)} and at < ${before}`;
  const { events } = await countWhere(clickHouse, condition);
  if (events > 0) await clickHouse.command(`delete from ${deletedFrom(clickHouse.cluster)} where ${condition}`);
  return events;
}

/** True while a move is under way, or one that was given up may have left rows: an erasure waits for it. */
export async function hasOpenMoves(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select exists (select from event_moves) as has`.execute(tx);
  return rows[0]?.has === true;
}

/** All events of an organisation, from the disk too. */
export async function eraseMoved(clickHouse: ClickHouse, organisationId: number): Promise<Counted> {
  const condition = `organisation_id = ${idOf(organisationId)}`;
  const counted = await countWhere(clickHouse, condition);
  if (counted.events > 0)
    await clickHouse.command(
      `alter table ${deletedFrom(clickHouse.cluster)} delete where ${condition} settings mutations_sync = 2`,
    );
  const { events } = await countWhere(clickHouse, condition);
  if (events > 0) throw new Error(`ClickHouse still has ${events} events of organisation ${organisationId}.`);
  return counted;
}
