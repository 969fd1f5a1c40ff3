/** SQL of the feeds and of what their objects name. Both belong to the installation: readable and writable in system scope only. */
import type { FeedPosition } from '@parapet/connectors/feeds/feed.ts';
import type { IntelligenceFeedKind } from '@parapet/contract/intelligenceFeeds.ts';
import { sql } from 'kysely';
import { textColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { FeedChange, ReadObjects } from './feeds.objects.ts';
import type { Indicator } from './intelligence.values.ts';

const rowsPerStatement = 10_000;

/** Of a reading under way, and of the one after it. */
export interface StoredPosition extends FeedPosition {
  pages?: number;
}

export interface FeedRow {
  id: number;
  listId: number;
  name: string;
  count: number;
  kind: IntelligenceFeedKind;
  url: string;
  collection: string;
  user: string;
  tags: string;
  isPublishedOnly: boolean;
  secret: Buffer | null;
  isPaused: boolean;
  position: StoredPosition;
  completeAt: Date | null;
  failures: number;
  isRefused: boolean;
  error: string | null;
  errorAt: Date | null;
  readAt: Date | null;
  skipped: number;
  fault: string | null;
  nextAt: Date;
  turn: number;
}

const columns = sql`f.id, f.list_id as "listId", l.name, l.count, f.kind, f.url, f.collection, f.user_name as "user", f.tags,
  f.is_published_only as "isPublishedOnly", f.secret, f.is_paused as "isPaused", f.position, f.complete_at as "completeAt", f.failures,
  f.is_refused as "isRefused", f.error, f.error_at as "errorAt", f.read_at as "readAt", f.skipped, f.fault, f.next_at as "nextAt", f.turn`;

export async function listFeeds(tx: Tx): Promise<FeedRow[]> {
  const { rows } = await sql<FeedRow>`
    select ${columns} from intelligence_feeds f join intelligence_lists l on l.id = f.list_id order by lower(l.name) limit 100`.execute(
    tx,
  );
  return rows;
}

/** Locks the feed; undefined when there is none. */
export async function getForChange(tx: Tx, id: number): Promise<FeedRow | undefined> {
  const { rows } = await sql<FeedRow>`
    select ${columns} from intelligence_feeds f join intelligence_lists l on l.id = f.list_id where f.id = ${id} for update of f`.execute(
    tx,
  );
  return rows[0];
}

export interface NewFeed {
  kind: IntelligenceFeedKind;
  name: string;
  url: string;
  collection: string;
  user: string;
  tags: string;
  isPublishedOnly: boolean;
}

/** Undefined where a list has the name. */
export async function insertFeed(tx: Tx, feed: NewFeed, at: Date): Promise<number | undefined> {
  const list = await tx
    .insertInto('intelligence_lists')
    .values({ name: feed.name, format: feed.kind === 'taxii' ? 'stix' : 'misp', imported_at: at, count: 0 })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!list) return undefined;
  const { rows } = await sql<{ id: number }>`
    insert into intelligence_feeds (list_id, kind, url, collection, user_name, tags, is_published_only, next_at)
    values (${list.id}, ${feed.kind}, ${feed.url}, ${feed.collection}, ${feed.user}, ${feed.tags}, ${feed.isPublishedOnly}, ${at})
    returning id`.execute(tx);
  return rows[0]!.id;
}

export const updateSecret = (tx: Tx, id: number, secret: Buffer | null) =>
  tx.updateTable('intelligence_feeds').set({ secret }).where('id', '=', id).execute();

/** A changed feed is read completely again; what a worker reads now is dropped. */
export async function updateFeed(tx: Tx, id: number, feed: Omit<NewFeed, 'kind' | 'name'>, at: Date): Promise<void> {
  await sql`
    update intelligence_feeds set url = ${feed.url}, collection = ${feed.collection}, user_name = ${feed.user}, tags = ${feed.tags},
      is_published_only = ${feed.isPublishedOnly}, position = '{}', complete_at = null, failures = 0, is_refused = false, error = null,
      error_at = null, next_at = ${at}, leased_until = null, turn = turn + 1
    where id = ${id}`.execute(tx);
}

export async function pauseFeed(tx: Tx, id: number, isPaused: boolean, at: Date): Promise<void> {
  await sql`
    update intelligence_feeds set is_paused = ${isPaused}, failures = 0, is_refused = false, error = null, error_at = null, next_at = ${at},
      leased_until = null, turn = turn + 1
    where id = ${id}`.execute(tx);
}

/** Leases a feed that is due; undefined when none is. */
export async function claimFeed(tx: Tx, now: Date, until: Date): Promise<FeedRow | undefined> {
  const { rows } = await sql<FeedRow>`
    with claimed as (
      update intelligence_feeds set leased_until = ${until}, turn = turn + 1 where id = (
        select id from intelligence_feeds
        where not is_paused and next_at <= ${now} and (leased_until is null or leased_until < ${now}) and not (select is_paused())
        order by next_at limit 1 for update skip locked)
      returning *)
    select ${columns} from claimed f join intelligence_lists l on l.id = f.list_id`.execute(tx);
  return rows[0];
}

type Claim = Pick<FeedRow, 'id' | 'turn'>;

export interface SavedPage {
  read: ReadObjects;
  position: StoredPosition;
  /** Start of the last complete reading. */
  completeAt: Date;
  isFirstOfComplete: boolean;
  at: Date;
  until: Date;
}

/** False where a person changed the feed since it was claimed: nothing is stored. */
export async function savePage(tx: Tx, { id, turn }: Claim, page: SavedPage): Promise<boolean> {
  const { read, position, completeAt, isFirstOfComplete, at, until } = page;
  const { rows } = await sql`
    update intelligence_feeds set position = ${JSON.stringify(position)}::jsonb, complete_at = ${completeAt}, leased_until = ${until},
      skipped = case when ${isFirstOfComplete} then 0 else skipped end + ${read.skipped},
      fault = coalesce(${read.fault ?? null}, case when ${isFirstOfComplete} then null else fault end)
    where id = ${id} and turn = ${turn} returning id`.execute(tx);
  if (rows.length === 0) return false;
  await sql`delete from intelligence_feed_objects where feed_id = ${id}
    and object_id = any(${textColumn(read.changes.map(({ objectId }) => objectId))})`.execute(tx);
  await insertObjects(tx, id, read.changes, at);
  return true;
}

async function insertObjects(tx: Tx, id: number, changes: readonly FeedChange[], at: Date): Promise<void> {
  const named = changes.flatMap(({ objectId, indicators, validUntil }) =>
    indicators.map((each) => ({
      ...each,
      objectId,
      until: validUntil === undefined ? null : new Date(validUntil).toISOString(),
    })),
  );
  for (let from = 0; from < named.length; from += rowsPerStatement) {
    const part = named.slice(from, from + rowsPerStatement);
    await sql`
      insert into intelligence_feed_objects (feed_id, object_id, kind, value, reputation, valid_until, seen_at)
      select ${id}, o.object_id, o.kind, o.value, o.reputation, o.until::timestamptz, ${at}
      from unnest(${textColumn(part.map((each) => each.objectId))}, ${textColumn(part.map((each) => each.kind))},
        ${textColumn(part.map((each) => each.value))}, ${textColumn(part.map((each) => each.reputation))},
        ${textColumn(part.map((each) => each.until))}) as o (object_id, kind, value, reputation, until)
      on conflict do nothing`.execute(tx);
  }
}

export async function countObjects(tx: Tx, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from intelligence_feed_objects where feed_id = ${id}`.execute(tx);
  return rows[0]!.count;
}

/** Removes what a complete reading that began then did not show. */
export const removeUnseen = (tx: Tx, id: number, since: Date) =>
  tx.deleteFrom('intelligence_feed_objects').where('feed_id', '=', id).where('seen_at', '<', since).execute();

/** Removes what is no longer valid. Returns the feeds concerned. */
export async function removeExpired(tx: Tx, at: Date): Promise<{ id: number; listId: number; name: string }[]> {
  const { rows } = await sql<{ id: number; listId: number; name: string }>`
    with gone as (delete from intelligence_feed_objects where valid_until <= ${at} returning feed_id)
    select f.id, f.list_id as "listId", l.name from intelligence_feeds f join intelligence_lists l on l.id = f.list_id
    where f.id in (select feed_id from gone) order by f.id`.execute(tx);
  return rows;
}

const worst = sql`(array['Malicious', 'Suspicious', 'Unknown', 'Benign'])[min(array_position(array['Malicious', 'Suspicious', 'Unknown', 'Benign'], reputation))]`;

/** Values of the feed's objects that its list lacks or has with another reputation, and those only the list has, with null. */
export async function listChanges(
  tx: Tx,
  id: number,
  listId: number,
): Promise<(Pick<Indicator, 'kind' | 'value'> & { reputation: Indicator['reputation'] | null })[]> {
  const { rows } = await sql<Pick<Indicator, 'kind' | 'value'> & { reputation: Indicator['reputation'] | null }>`
    select kind, value, w.reputation
    from (select kind, value, ${worst} as reputation from intelligence_feed_objects where feed_id = ${id} group by kind, value) w
    full join (select kind, value, reputation from indicators where list_id = ${listId}) i using (kind, value)
    where w.reputation is distinct from i.reputation`.execute(tx);
  return rows;
}

/** Brings the list in line with the feed's objects. */
export async function replaceIndicators(tx: Tx, id: number, listId: number): Promise<void> {
  await sql`
    delete from indicators i where list_id = ${listId} and not exists (
      select from intelligence_feed_objects o where o.feed_id = ${id} and o.kind = i.kind and o.value = i.value)`.execute(tx);
  await sql`
    insert into indicators (list_id, kind, value, reputation)
    select ${listId}, kind, value, ${worst} from intelligence_feed_objects where feed_id = ${id} group by kind, value
    on conflict (kind, value, list_id) do update set reputation = excluded.reputation
      where indicators.reputation <> excluded.reputation`.execute(tx);
}

export async function updateList(tx: Tx, listId: number, at: Date | null): Promise<void> {
  await sql`
    update intelligence_lists set imported_at = coalesce(${at}::timestamptz, imported_at),
      count = (select count(*) from indicators where list_id = ${listId})
    where id = ${listId}`.execute(tx);
}

export interface Outcome {
  at: Date;
  nextAt: Date;
  failures: number;
  /** Null after a success. */
  error: string | null;
  isRefused: boolean;
  /** Set to start the reading again. */
  position?: StoredPosition | undefined;
  isComplete: boolean;
}

/** Ends the lease. Does nothing where a person changed the feed since. */
export async function saveOutcome(tx: Tx, { id, turn }: Claim, outcome: Outcome): Promise<void> {
  const { at, nextAt, failures, error, isRefused, position, isComplete } = outcome;
  await sql`
    update intelligence_feeds set next_at = ${nextAt}, leased_until = null, failures = ${failures}, error = ${error}, is_refused = ${isRefused},
      error_at = ${error === null ? null : at}, read_at = case when ${isComplete} then ${at} else read_at end,
      position = coalesce(${position ? JSON.stringify(position) : null}::jsonb, position)
    where id = ${id} and turn = ${turn}`.execute(tx);
}
