/** Stores a batch as one block for each day of its events, without those that are stored already. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { timeColumn, uuidColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import { CorruptBlockError } from './block.format.ts';
import { type BlockEvent, encodeBlock } from './block.write.ts';
import { holdIds, idsOfBlocks, placesOf } from './blockIds.ts';
import { insertBlock, listBlocks } from './blockRows.ts';
import { idBytes } from './eventIds.ts';
import { openBlocks } from './openBlocks.ts';

/** PostgreSQL counts microseconds. */
const storableTime = (at: number): boolean => Number.isSafeInteger((Math.trunc(at) - Date.UTC(2000, 0, 1)) * 1_000);
/** Blocks of fewer events are small: they are merged. */
export const smallCount = 1_000;
/** Events of a block at most: more cost a search that reads few of them. */
export const maxBlockEvents = 4_000;

/** Held until the transaction ends: two writers of an organisation could otherwise store the same event, and a merge hide one. */
export const lockBlocks = async (tx: Tx, organisationId: number): Promise<{ hasRows: boolean }> => {
  const { rows } = await sql<{ hasRows: boolean }>`
    select pg_advisory_xact_lock(7302, ${organisationId}), has_event_rows() as "hasRows"`.execute(tx);
  return { hasRows: rows[0]?.hasRows === true };
};

const keyOf = ({ at, id }: { at: number; id: string }): string => `${at} ${id}`;

/** In the order of a block. */
export const byTime = (a: { at: number; id: string }, b: { at: number; id: string }): number =>
  a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Throws a RangeError for a time or an id that cannot be stored. */
export async function appendEvents(
  tx: Tx,
  organisationId: number,
  given: readonly BlockEvent[],
  archiveFileId: number | null = null,
): Promise<Set<string>> {
  const events = [...new Map(given.map((event) => [keyOf(event), event])).values()].sort(byTime);
  if (events.length === 0) return new Set();
  for (const { at, receivedAt, id } of events) {
    if (!storableTime(at) || !storableTime(receivedAt)) throw new RangeError(`${at} is not a time that can be stored.`);
    idBytes(id);
  }
  const { hasRows } = await lockBlocks(tx, organisationId);
  const stored = await storedOf(tx, organisationId, events, hasRows);
  const fresh = stored.size === 0 ? events : events.filter((event) => !stored.has(keyOf(event)));
  // Encodes the next block while PostgreSQL writes the current one.
  let writing: Promise<unknown> = Promise.resolve();
  for (const part of partsOf(fresh)) {
    const encoded = await encodeBlock(part);
    await writing;
    const isRecent = archiveFileId === null && part.length < smallCount;
    writing = insertBlock(tx, organisationId, part, encoded, { archiveFileId, isRecent }).then(({ id, ids: own }) =>
      holdIds(id, own),
    );
    writing.catch(() => {});
  }
  await writing;
  return new Set(fresh.map(({ id }) => id));
}

/** Ids of those events that are stored at exactly their time. */
export async function findStored(
  tx: Tx,
  organisationId: number,
  given: readonly { id: string; at: number }[],
): Promise<Set<string>> {
  const events = given.filter(({ at }) => storableTime(at)).sort(byTime);
  if (events.length === 0) return new Set();
  const { hasRows } = await lockBlocks(tx, organisationId);
  const stored = await storedOf(tx, organisationId, events, hasRows);
  return new Set(events.flatMap((event) => (stored.has(keyOf(event)) ? [event.id] : [])));
}

/** Parts of one day each. */
export function partsOf<T extends { at: number }>(sorted: readonly T[], most = maxBlockEvents): T[][] {
  const parts: T[][] = [];
  let day = Number.NaN;
  for (const event of sorted) {
    const own = Math.floor(event.at / dayMs);
    const part = parts.at(-1);
    if (part && own === day && part.length < most) part.push(event);
    else parts.push([event]);
    day = own;
  }
  return parts;
}

/** Keys of the events, in ascending order of time, that are stored already. */
async function storedOf(
  tx: Tx,
  organisationId: number,
  events: readonly Pick<BlockEvent, 'id' | 'at'>[],
  hasRows: boolean,
): Promise<Set<string>> {
  const scope = { organisationIds: [organisationId] };
  const stored = new Set<string>();
  const ids = new Map(events.map(({ id }) => [id, idBytes(id)]));
  const blocks = await listBlocks(tx, scope, { start: events[0]!.at, end: events.at(-1)!.at + 1 });
  const times = events.map(({ at }) => at);
  const near = blocks.filter(({ firstAt, lastAt }) => {
    const from = firstFrom(times, firstAt);
    return from < times.length && times[from]! <= lastAt;
  });
  for (const [block, held] of await idsOfBlocks(tx, scope, near)) {
    for (let at = firstFrom(times, block.firstAt); at < events.length && times[at]! <= block.lastAt; at++) {
      const event = events[at]!;
      const places = placesOf(held, ids.get(event.id)!);
      if (places.length === 0) continue;
      const [open] = await openBlocks(tx, scope, [block]);
      // An event of a block that cannot be read is stored again.
      const heads = await open?.block.heads().catch(leaveCorrupt);
      if (places.some((place) => heads?.at[place] === event.at)) stored.add(keyOf(event));
    }
  }
  if (hasRows) {
    const { rows } = await sql<{ at: Date; id: string }>`
      select e.at, e.id from event_rows e join unnest(${timeColumn(times)}, ${uuidColumn(events.map(({ id }) => id))}) as w (at, id)
        on e.at = w.at and e.id = w.id where e.organisation_id = ${organisationId}`.execute(tx);
    for (const { at, id } of rows) stored.add(keyOf({ at: at.getTime(), id }));
  }
  return stored;
}

function leaveCorrupt(error: unknown): undefined {
  if (!(error instanceof CorruptBlockError)) throw error;
}

/** Position of the first time at or after another. */
function firstFrom(times: readonly number[], at: number): number {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (times[middle]! < at) from = middle + 1;
    else to = middle;
  }
  return from;
}
