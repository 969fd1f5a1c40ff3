/** Port to stored events: whatever writes, reads or counts them goes through it. */
import { type RawBuilder, sql } from 'kysely';
import { integerColumn, textColumn, textColumnBuilder, timeColumn, uuidColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { yieldToEventLoop } from '../../core/yielding.ts';

/** An event to be stored. */
export interface NewEvent {
  id: string;
  /** Milliseconds since 1970, as all times here. */
  at: number;
  receivedAt: number;
  clockSkew: number;
  shape: string;
  deviceName?: string | undefined;
  userName?: string | undefined;
  text: string;
  document: Record<string, unknown>;
}

/** Time and id name an event within its organisation. */
export interface EventKey {
  id: string;
  at: number;
}

export interface EventQuery {
  /** Inclusive; `end` exclusive. */
  start: number;
  end: number;
  /** Exact names; undefined for any. */
  devices?: readonly string[];
}

export interface HeldEvents {
  count: number;
  oldest: string | null;
}

export interface EventStore {
  /** Stores what is new of an organisation, within the caller’s transaction; returns the ids of new events. */
  append(tx: Tx, organisationId: number, events: readonly NewEvent[]): Promise<Set<string>>;
  /** Texts and documents by id; events past retention are missing. */
  find(tx: Tx, organisationId: number, keys: readonly EventKey[]): Promise<Map<string, Pick<NewEvent, 'text' | 'document'>>>;
  /** A derived table of events for SQL of the same transaction: organisation_id, at, id, received_at, device_name, user_name, document. */
  table(tx: Tx, scope: Scope, ask: EventQuery): Promise<RawBuilder<unknown>>;
  /** Arrival of the first event of a device, in milliseconds since 1970. */
  firstArrival(tx: Tx, scope: Scope, organisationId: number, device: string): Promise<number | undefined>;
  held(tx: Tx, organisationId: number): Promise<HeldEvents>;
}

/** Small enough that sending a statement does not block the process. */
const rowsPerStatement = 500;

export const eventStore: EventStore = { append, find, table, firstArrival, held };

async function append(tx: Tx, organisationId: number, events: readonly NewEvent[]): Promise<Set<string>> {
  const stored = new Set<string>();
  // Builds the next rows while PostgreSQL writes the current ones.
  let rows = await rowsOf(events.slice(0, rowsPerStatement));
  for (let from = rowsPerStatement; rows; from += rowsPerStatement) {
    // Cast row by row: an array of jsonb costs PostgreSQL twice as much.
    const inserting = sql<{ id: string }>`
      insert into events (organisation_id, at, id, received_at, clock_skew, shape, device_name, user_name, text, document)
      select ${organisationId}, e.at, e.id, e.received_at, e.clock_skew, e.shape, e.device_name, e.user_name, e.text, e.document::jsonb
      from ${rows}
      on conflict do nothing
      returning id`.execute(tx);
    const [inserted, next] = await Promise.all([inserting, rowsOf(events.slice(from, from + rowsPerStatement))]);
    for (const row of inserted.rows) stored.add(row.id);
    rows = next;
  }
  return stored;
}

/** Builds one statement’s rows, yielding to the event loop; undefined for no events. */
async function rowsOf(events: readonly NewEvent[]): Promise<RawBuilder<unknown> | undefined> {
  if (events.length === 0) return undefined;
  const documents = textColumnBuilder(events.length * 3_000);
  for (const [index, event] of events.entries()) {
    documents.add(JSON.stringify(event.document));
    // Yields often: a socket takes only a piece of the preceding rows per event-loop turn.
    if (index % 32 === 31) await yieldToEventLoop();
  }
  return sql`unnest(
    ${timeColumn(events.map((event) => event.at))},
    ${uuidColumn(events.map((event) => event.id))},
    ${timeColumn(events.map((event) => event.receivedAt))},
    ${integerColumn(events.map((event) => event.clockSkew))},
    ${textColumn(events.map((event) => event.shape))},
    ${textColumn(events.map((event) => event.deviceName))},
    ${textColumn(events.map((event) => event.userName))},
    ${textColumn(events.map((event) => event.text))},
    ${documents.column()}
  ) as e (at, id, received_at, clock_skew, shape, device_name, user_name, text, document)`;
}

async function find(tx: Tx, organisationId: number, keys: readonly EventKey[]) {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ id: string } & Pick<NewEvent, 'text' | 'document'>>`
    select e.* from unnest(${timeColumn(keys.map(({ at }) => at))}, ${uuidColumn(keys.map(({ id }) => id))}) as wanted (at, id)
    cross join lateral (
      select id, text, document from events where organisation_id = ${organisationId} and at = wanted.at and id = wanted.id limit 1
    ) e`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

async function table(_tx: Tx, scope: Scope, { start, end, devices }: EventQuery) {
  const named = devices ? sql<boolean>`device_name = any (${textColumn(devices)})` : sql<boolean>`true`;
  return sql`(select * from events where ${within('organisation_id', scope)} and at >= ${new Date(start)} and at < ${new Date(end)} and ${named})`;
}

async function firstArrival(tx: Tx, scope: Scope, organisationId: number, device: string) {
  const { rows } = await sql<{ receivedAt: Date | null }>`select min(received_at) as "receivedAt" from events
    where ${within('organisation_id', scope)} and organisation_id = ${organisationId} and device_name = ${device}`.execute(tx);
  return rows[0]?.receivedAt?.getTime();
}

async function held(tx: Tx, organisationId: number): Promise<HeldEvents> {
  const { rows } = await sql<{ count: number; oldest: Date | null }>`
    select count(*)::float8 as count, min(at) as oldest from events where organisation_id = ${organisationId}`.execute(tx);
  return { count: rows[0]?.count ?? 0, oldest: rows[0]?.oldest?.toISOString() ?? null };
}
