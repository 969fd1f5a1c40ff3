/** SQL of event blocks: each of one organisation and one day (UTC). */
import { randomUUID } from 'node:crypto';
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import { textColumn, timeColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { BlockEvent, EncodedBlock } from './block.write.ts';
import { Reader, Writer } from './bytes.ts';
import { idsOf } from './eventIds.ts';
import { isHere, type Split } from './split.ts';
import { minTokenLength, positionsPerToken, tokenHashes } from './tokens.ts';

export interface BlockRow {
  id: string;
  organisationId: number;
  firstAt: number;
  lastAt: number;
  count: number;
}

/** Devices that a block names; of more it names none. */
const maxDevices = 200;

/** Events of one organisation and one day, in the order of time and id; with the file of the archive that they were brought back from. */
export async function insertBlock(
  tx: Tx,
  organisationId: number,
  events: readonly BlockEvent[],
  { body, tokens }: EncodedBlock,
  { archiveFileId = null, isRecent = false }: { archiveFileId?: number | null; isRecent?: boolean } = {},
): Promise<{ id: string; ids: Buffer }> {
  const devices = new Set(events.flatMap(({ deviceName }) => deviceName ?? []));
  const received = events.map(({ receivedAt }) => receivedAt);
  const times = timeColumn([events[0]!.at, events.at(-1)!.at, least(received), most(received)]);
  const id = randomUUID();
  const ids = idsOf(events);
  await sql`
    insert into event_blocks (id, organisation_id, first_at, last_at, first_received_at, last_received_at, count, minutes, devices, tokens, ids, body, archive_file_id, is_recent)
    select ${id}, ${organisationId}, t[1], t[2], t[3], t[4], ${events.length}, ${minutesOf(events)},
      ${devices.size > maxDevices ? null : textColumn([...devices])}, ${tokens}, ${ids}, ${body}, ${archiveFileId}::integer, ${isRecent} from (select ${times} as t) t`.execute(
    tx,
  );
  return { id, ids };
}

const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b));
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b));

/** Pairs of the minutes since the last one, of the day first, and their events. */
function minutesOf(events: readonly BlockEvent[]): Buffer {
  const writer = new Writer();
  let last = 0;
  for (let from = 0; from < events.length; ) {
    const minute = minuteOfDay(events[from]!.at);
    let to = from + 1;
    while (to < events.length && minuteOfDay(events[to]!.at) === minute) to++;
    writer.number(minute - last);
    writer.number(to - from);
    last = minute;
    from = to;
  }
  return Buffer.from(writer.bytes());
}

const startOfDay = (at: number): number => Math.floor(at / dayMs) * dayMs;
const minuteOfDay = (at: number): number => Math.floor((at - startOfDay(at)) / minuteMs);

export interface MinuteCounts {
  firstAt: number;
  minutes: Buffer;
}

/** Events by minute, each by its start in milliseconds since 1970. */
export function* countsByMinute({ firstAt, minutes }: MinuteCounts): Generator<[at: number, count: number]> {
  const reader = new Reader(minutes);
  for (let minute = 0; reader.at < minutes.length; ) {
    minute += reader.number();
    yield [startOfDay(firstAt) + minute * minuteMs, reader.number()];
  }
}

/** Conditions on the blocks that may hold events of a search. */
export interface BlockQuery {
  /** Of events; `end` exclusive. */
  start: number;
  end: number;
  /** Of blocks: end of the time of their newest event. */
  lastBefore?: number | undefined;
  /** Of blocks: time of their oldest event, inclusive. */
  firstFrom?: number | undefined;
  /** Order of blocks: by their oldest event, else by their newest, the newest first. */
  isOldestFirst?: boolean | undefined;
  received?: { start: number; end: number } | undefined;
  devices?: readonly string[] | undefined;
  /** Words that every event has, in lower case. */
  tokens?: readonly string[] | undefined;
  /** Without blocks whose events ClickHouse has. */
  split?: Split | undefined;
}

const maxTokens = 8;

export function blockConditions(
  scope: Scope,
  { start, end, lastBefore, firstFrom, received, devices, tokens = [], split }: BlockQuery,
): RawBuilder<boolean> {
  const hashes = [...tokens]
    .filter((token) => token.length >= minTokenLength)
    .sort((a, b) => b.length - a.length)
    .slice(0, maxTokens)
    .map(tokenHashes);
  return sql<boolean>`${sql.join(
    [
      within('b.organisation_id', scope),
      // A block lies within one day, so its partition and its place in the index are known.
      sql`b.first_at >= ${dateOf(startOfDay(start))} and b.first_at < ${dateOf(end)} and b.last_at >= ${dateOf(start)}`,
      ...(split ? [isHere(split)] : []),
      ...(lastBefore === undefined ? [] : [sql`b.last_at < ${dateOf(lastBefore)}`]),
      ...(firstFrom === undefined ? [] : [sql`b.first_at >= ${dateOf(firstFrom)}`]),
      ...(received
        ? [sql`b.last_received_at >= ${dateOf(received.start)} and b.first_received_at < ${dateOf(received.end)}`]
        : []),
      ...(devices ? [sql`(b.devices is null or b.devices && ${textColumn(devices)})`] : []),
      ...(hashes.length > 0
        ? [
            sql`not exists (select from unnest(${hashes.map(([first]) => first)}::bigint[], ${hashes.map(([, second]) => second)}::bigint[]) h (first, second)
              cross join generate_series(0, ${sql.lit(positionsPerToken - 1)}) as n
              where get_bit(b.tokens, (h.first + n * h.second) % (8 * octet_length(b.tokens))) = 0)`,
          ]
        : []),
    ],
    sql` and `,
  )}`;
}

/** Times that PostgreSQL holds: searches may be open on either side. */
const dateOf = (at: number): Date => new Date(Math.min(Math.max(at, Date.UTC(-4000, 0)), Date.UTC(200_000, 0)));

export async function listBlocks(tx: Tx, scope: Scope, query: BlockQuery): Promise<BlockRow[]> {
  const { rows } = await sql<BlockRow>`
    select b.id, b.organisation_id as "organisationId", (extract(epoch from b.first_at) * 1000)::float8 as "firstAt",
      (extract(epoch from b.last_at) * 1000)::float8 as "lastAt", b.count
    from event_blocks b where ${blockConditions(scope, query)} order by ${query.isOldestFirst ? sql`b.first_at` : sql`b.last_at desc`}, b.id`.execute(
    tx,
  );
  return rows;
}

export interface BlockBytes {
  id: string;
  ids: Buffer;
  body: Buffer;
}

/** Bytes of blocks that still exist. */
export const readBlocks = (tx: Tx, scope: Scope, blocks: readonly BlockRow[]) =>
  readColumns<BlockBytes>(tx, scope, blocks, sql`b.ids, b.body`);

export const readIds = (tx: Tx, scope: Scope, blocks: readonly BlockRow[]) =>
  readColumns<Omit<BlockBytes, 'body'>>(tx, scope, blocks, sql`b.ids`);

async function readColumns<T>(tx: Tx, scope: Scope, blocks: readonly BlockRow[], columns: RawBuilder<unknown>): Promise<T[]> {
  if (blocks.length === 0) return [];
  const { rows } = await sql<T>`
    select b.id, ${columns} from event_blocks b where ${within('b.organisation_id', scope)}
      and b.organisation_id = any(${[...new Set(blocks.map(({ organisationId }) => organisationId))]}::integer[])
      and b.first_at = any(${timeColumn(blocks.map(({ firstAt }) => firstAt))}) and b.id = any(${blocks.map(({ id }) => id)}::uuid[])`.execute(
    tx,
  );
  return rows;
}
