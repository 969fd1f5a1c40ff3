/**
 * Port to stored events: whatever writes, reads or counts them goes through it. They are kept in PostgreSQL as compressed blocks of an organisation
 * and a day (docs/decisions/0044-event-blocks.md).
 */
import { type RawBuilder, sql } from 'kysely';
import { DeferredParameter, type Scope, type Tx } from '../../core/db/scope.ts';
import { appendEvents, findStored } from './append.ts';
import type { BlockEvent } from './block.write.ts';
import { countByTime } from './counts.ts';
import { firstArrival, type HeldEvents, held } from './figures.ts';
import { findEvents } from './find.ts';
import { newestEvents, newestTexts } from './newest.ts';
import { scanEvents } from './scan.ts';
import type { EventCounts, EventQuery, ScanQuery } from './scanQuery.ts';
import { type EventSize, sizesOfEvents } from './sizes.ts';
import type { EventKey, StoredEvent } from './storedEvent.ts';
import { recordsOf, type TableQuery } from './table.ts';

export type { EventQuery, Head, ScanQuery } from './scanQuery.ts';
export type { EventKey, StoredEvent } from './storedEvent.ts';

/** An event to be stored. Times are milliseconds since 1970, as all times here. */
export type NewEvent = BlockEvent;

export interface EventStore {
  /** Stores what is new of an organisation, within the caller’s transaction; returns the ids of new events. Those of a file of the archive are kept apart by its id. */
  append(tx: Tx, organisationId: number, events: readonly NewEvent[], archiveFileId?: number | null): Promise<Set<string>>;
  /** Ids of those events that are stored at exactly their time. */
  stored(tx: Tx, organisationId: number, events: readonly { id: string; at: number }[]): Promise<Set<string>>;
  /** Texts and documents by id; events past retention are missing. */
  find(tx: Tx, organisationId: number, keys: readonly EventKey[]): Promise<Map<string, Pick<StoredEvent, 'text' | 'document'>>>;
  /**
   * Visits matching events newest first, of one time by id, until `visit` returns true. Run it in a repeatable-read transaction. Returns the time to
   * go on from, as `before`, where `stopAt` or the signal ended it.
   */
  scan(tx: Tx, scope: Scope, query: ScanQuery, visit: (event: StoredEvent) => boolean): Promise<number | undefined>;
  /** Events of each ask, newest first; without documents, which are null, if heads suffice. */
  newest(tx: Tx, scope: Scope, queries: readonly EventQuery[], options?: { isOfHeads?: boolean }): Promise<StoredEvent[][]>;
  /** Values of one string field, by its names from the top, in the events of each ask, newest first, without those that lack it. */
  newestTexts(tx: Tx, scope: Scope, queries: readonly EventQuery[], path: readonly string[]): Promise<string[][]>;
  /** Exact number of events by bar of time, of all events of the scope in a range. Bars are of whole minutes. */
  counts(tx: Tx, scope: Scope, query: EventCounts): Promise<Map<number, number>>;
  /**
   * A derived table of events for SQL: organisation_id, at, id, received_at, clock_skew, shape, device_name, user_name, text, document. They are
   * read when the statement runs, in its transaction.
   */
  table(scope: Scope, query: TableQuery): RawBuilder<unknown>;
  /** Arrival of the first event of a device. */
  firstArrival(tx: Tx, scope: Scope, organisationId: number, device: string): Promise<number | undefined>;
  held(tx: Tx, organisationId: number): Promise<HeldEvents>;
  /** Number, age, bytes and growth by organisation; those without events are missing. */
  sizes(tx: Tx, scope: Scope, now: number): Promise<Map<number, EventSize>>;
}

export const eventStore: EventStore = {
  append: appendEvents,
  stored: findStored,
  find: findEvents,
  scan: scanEvents,
  newest: newestEvents,
  newestTexts,
  counts: countByTime,
  table(scope, query) {
    const records = new DeferredParameter((tx) => recordsOf(tx, scope, query));
    return sql`(select * from json_to_recordset(${records}::json) as e (organisation_id integer, at timestamptz, id uuid, received_at timestamptz,
      clock_skew smallint, shape text, device_name text, user_name text, text text, document jsonb))`;
  },
  firstArrival,
  held,
  sizes: sizesOfEvents,
};
