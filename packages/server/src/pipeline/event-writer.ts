/**
 * Writes a batch in one transaction: events, what rules found in those that are new, the rollups, the dead letters. Only after its commit
 * is the shipper answered, so what was acknowledged is durable; a batch sent again finds its events stored and raises nothing twice.
 */

import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import { dateColumn, integerColumn, textColumn, textColumnBuilder, timeColumn, uuidColumn } from '../core/db/bulk.ts';
import type { Database } from '../core/db/connect.ts';
import { isRetryable, scoped, type Tx } from '../core/db/scope.ts';
import type { Log } from '../core/log.ts';
import { yieldToEventLoop } from '../core/yielding.ts';
import { addTo, copyOf, type Tally } from './counters.ts';
import type { Detector } from './detector.ts';
import type { DeviceRegister } from './devices.ts';
import type { Event } from './event.ts';
import { raise } from './raise.ts';

export interface DeadLetter {
  receivedAt: number;
  step: string;
  reason: string;
  raw: string;
}

export interface Batch {
  organisationId: number;
  events: Event[];
  dead: DeadLetter[];
  /** Drops and dead letters by reason, for the counters that people see; and `received`, all that came in. */
  counts: Tally;
}

export interface Kept {
  /** Ids of events that were new. */
  stored: Set<string>;
  /** Ids of events that PostgreSQL could not store; they are dead letters now. */
  refused: Set<string>;
  alertIds: number[];
}

export interface EventWriter {
  keep(batch: Batch): Promise<Kept>;
}

/** Few enough that sending them holds up nothing else of the process. */
const rowsPerStatement = 500;
/** A dead letter keeps this much of what was sent. */
const deadLetterLength = 64 * 1024;
const maxTries = 4;

export interface EventWriterDeps {
  db: Database;
  clock: Clock;
  detector: Detector;
  devices: DeviceRegister;
  groupingWindowMs: number;
  log: Log;
}

export function createEventWriter(parts: EventWriterDeps): EventWriter {
  const keepOnce = async (batch: Batch): Promise<Kept> => {
    const { kept, remember } = await scoped(parts.db, { organisationIds: [batch.organisationId] }, async (tx) => {
      const stored = await insertEvents(tx, batch.organisationId, batch.events);
      const fresh = batch.events.filter((event) => stored.has(event.id));
      const remember = await parts.devices.note(tx, batch.organisationId, fresh);
      const alertIds = await raise(tx, parts, batch.organisationId, fresh);
      await insertDeadLetters(tx, batch.organisationId, batch.dead);
      for (const event of batch.events) addTo(batch.counts, event.receivedAt, stored.has(event.id) ? 'stored' : 'duplicate');
      await addCounters(tx, batch.organisationId, batch.counts);
      return { kept: { stored, refused: new Set<string>(), alertIds }, remember };
    });
    remember();
    return kept;
  };

  const keepWithRetry = async (batch: Batch): Promise<Kept> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await keepOnce({ ...batch, counts: copyOf(batch.counts) });
      } catch (error) {
        if (attempt >= maxTries || !isRetryable(error)) throw error;
      }
    }
  };

  // A value that PostgreSQL refuses fails its whole statement: halve the batch until it stands alone, and keep that one aside.
  const keep = async (batch: Batch): Promise<Kept> => {
    try {
      return await keepWithRetry(batch);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      const [only] = batch.events;
      if (batch.events.length === 1 && only) {
        parts.log.warn(
          { err: error, organisationId: batch.organisationId },
          'an event could not be stored and became a dead letter',
        );
        const raw = typeof only.arrival.raw === 'string' ? only.arrival.raw : JSON.stringify(only.arrival.raw);
        const letter = { receivedAt: only.receivedAt, step: 'keep', reason: 'not-storable', raw };
        const counts = copyOf(batch.counts);
        addTo(counts, only.receivedAt, 'not-storable');
        const kept = await keepWithRetry({ ...batch, events: [], dead: [...batch.dead, letter], counts });
        return { ...kept, refused: new Set([only.id]) };
      }
      if (batch.events.length === 0) throw error;
      const middle = Math.ceil(batch.events.length / 2);
      const rest = batch.events.slice(middle);
      // Each half is committed with what was received for it: a shipper that sends again after the second failed is counted again.
      const [counts, ofRest]: [Tally, Tally] = [copyOf(batch.counts), new Map()];
      for (const { receivedAt } of rest) {
        addTo(counts, receivedAt, 'received', -1);
        addTo(ofRest, receivedAt, 'received');
      }
      const first = await keep({ ...batch, counts, events: batch.events.slice(0, middle) });
      const second = await keep({ ...batch, events: rest, dead: [], counts: ofRest });
      return {
        stored: new Set([...first.stored, ...second.stored]),
        refused: new Set([...first.refused, ...second.refused]),
        alertIds: [...first.alertIds, ...second.alertIds],
      };
    }
  };

  return { keep };
}

/** Class 22 is bad data, 54 a limit of the server (an index row too long); a RangeError is a time that is none. */
function isDataFault(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^(22|54)/.test(code);
}

/** Answers the ids of those that were not there yet. */
async function insertEvents(tx: Tx, organisationId: number, events: readonly Event[]): Promise<Set<string>> {
  const known = await rememberTimeless(
    tx,
    organisationId,
    events.filter((event) => !event.hasOwnTime),
  );
  const candidates = known.size === 0 ? events : events.filter((event) => !known.has(event.id));
  const stored = new Set<string>();
  // While PostgreSQL writes some rows, the next ones are made.
  let rows = await rowsOf(candidates.slice(0, rowsPerStatement));
  for (let from = rowsPerStatement; rows; from += rowsPerStatement) {
    // Cast row by row: an array of jsonb costs PostgreSQL as much again as its documents.
    const inserting = sql<{ id: string }>`
      insert into events (organisation_id, at, id, received_at, clock_skew, shape, device_name, user_name, text, document)
      select ${organisationId}, e.at, e.id, e.received_at, e.clock_skew, e.shape, e.device_name, e.user_name, e.text, e.document::jsonb
      from ${rows}
      on conflict do nothing
      returning id`.execute(tx);
    const [inserted, next] = await Promise.all([inserting, rowsOf(candidates.slice(from, from + rowsPerStatement))]);
    for (const row of inserted.rows) stored.add(row.id);
    rows = next;
  }
  return stored;
}

/** Events as rows of one statement, made in turns; undefined for none. */
async function rowsOf(events: readonly Event[]): Promise<RawBuilder<unknown> | undefined> {
  if (events.length === 0) return undefined;
  const documents = textColumnBuilder(events.length * 3_000);
  for (const [index, event] of events.entries()) {
    documents.add(JSON.stringify(event.document));
    // Often, because a socket takes the rows before these only a piece at each turn.
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

/** A shipper sends again within minutes; after this long an equal content is a new event. */
const sameContentWindow = "interval '1 hour'";

/** Answers the ids that were seen within the window. */
async function rememberTimeless(tx: Tx, organisationId: number, events: readonly Event[]): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const fresh = await sql<{ id: string }>`
    insert into event_keys (organisation_id, id, seen_at)
    select ${organisationId}, * from unnest(${uuidColumn(events.map((event) => event.id))}, ${timeColumn(events.map((event) => event.receivedAt))})
    on conflict (organisation_id, id) do update set seen_at = excluded.seen_at
      where event_keys.seen_at < excluded.seen_at - ${sql.raw(sameContentWindow)}
    returning id`.execute(tx);
  const freshIds = new Set(fresh.rows.map((row) => row.id));
  return new Set(events.flatMap((event) => (freshIds.has(event.id) ? [] : [event.id])));
}

async function insertDeadLetters(tx: Tx, organisationId: number, letters: readonly DeadLetter[]): Promise<void> {
  if (letters.length === 0) return;
  await sql`
    insert into dead_letters (organisation_id, received_at, step, reason, raw)
    select ${organisationId}, * from unnest(
      ${timeColumn(letters.map((letter) => letter.receivedAt))},
      ${textColumn(letters.map((letter) => letter.step))},
      ${textColumn(letters.map((letter) => letter.reason))},
      ${textColumn(letters.map((letter) => letter.raw.slice(0, deadLetterLength)))})`.execute(tx);
}

async function addCounters(tx: Tx, organisationId: number, counts: Tally): Promise<void> {
  const entries = [...counts]
    .flatMap(([day, outcomes]) => [...outcomes].map(([outcome, count]) => ({ day, outcome, count })))
    .filter(({ count }) => count > 0)
    .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.outcome < b.outcome ? -1 : 1));
  if (entries.length === 0) return;
  await sql`
    insert into ingest_counters (organisation_id, day, reason, count)
    select ${organisationId}, * from unnest(
      ${dateColumn(entries.map(({ day }) => Date.parse(day)))}, ${textColumn(entries.map(({ outcome }) => outcome))},
      ${integerColumn(entries.map(({ count }) => count))})
    on conflict (organisation_id, day, reason) do update set count = ingest_counters.count + excluded.count`.execute(tx);
}
