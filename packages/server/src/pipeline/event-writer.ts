/**
 * Writes a batch in one transaction: events, alerts raised by the new ones, rollups and dead letters. Shippers are
 * acknowledged only after the commit, so acknowledged events are durable; a batch sent again finds its events stored and
 * raises nothing twice.
 */

import { sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import { dateColumn, integerColumn, textColumn, timeColumn, uuidColumn } from '../core/db/bulk.ts';
import type { Database } from '../core/db/connect.ts';
import { isRetryable, scoped, type Tx } from '../core/db/scope.ts';
import type { Log } from '../core/log.ts';
import { eventStore } from '../domain/events/eventStore.ts';
import { dateOf } from '../domain/ranges.ts';
import { addToCounter, copyCounters, type IntakeCounters } from './counters.ts';
import type { Detector } from './detector.ts';
import type { DeviceRegister } from './devices.ts';
import type { Event } from './event.ts';
import { raise } from './raise.ts';
import type { OrganisationRules } from './rule-view.ts';
import { countHiddenMatches, countShadowMatches } from './shadow.ts';

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
  /** Drops and dead letters by reason for the intake counters, plus `received` for all that arrived. */
  counts: IntakeCounters;
  /** The rules that judged the events; those in force by default. */
  detector?: OrganisationRules;
  /** Runs in the transaction that stores the last of the batch, with the ids stored by it; throwing rolls it back. */
  alongside?: Alongside;
}

export type Alongside = (tx: Tx, stored: ReadonlySet<string>) => Promise<void>;

export interface WriteResult {
  /** Ids of events that were new. */
  stored: Set<string>;
  /** Ids of events that PostgreSQL could not store; they became dead letters. */
  refused: Set<string>;
  alertIds: number[];
}

export interface EventWriter {
  writeBatch(batch: Batch): Promise<WriteResult>;
}

/** Characters of the original input stored with a dead letter. */
const deadLetterLength = 64 * 1024;
const maxTries = 4;

export interface EventWriterDeps {
  db: Database;
  clock: Clock;
  detector: Pick<Detector, 'of'>;
  devices: DeviceRegister;
  groupingWindowMs: number;
  /** Milliseconds since 1970. Older events are judged and counted, but not stored: for a history that the retention would remove at its end. */
  storedFrom?: number | undefined;
  log: Log;
}

export function createEventWriter(deps: EventWriterDeps): EventWriter {
  const writeOnce = async (batch: Batch): Promise<WriteResult> => {
    const { result, remember } = await scoped(deps.db, { organisationIds: [batch.organisationId] }, async (tx) => {
      const stored = await insertEvents(tx, batch.organisationId, batch.events, deps.storedFrom);
      const fresh = batch.events.filter((event) => stored.has(event.id));
      const remember = await deps.devices.note(tx, batch.organisationId, fresh);
      const detector = batch.detector ?? deps.detector.of(batch.organisationId);
      const alertIds = await raise(tx, { ...deps, detector }, batch.organisationId, fresh);
      await countShadowMatches(tx, batch.organisationId, fresh);
      await countHiddenMatches(tx, batch.organisationId, fresh);
      await insertDeadLetters(tx, batch.organisationId, batch.dead);
      for (const event of batch.events)
        addToCounter(batch.counts, event.receivedAt, stored.has(event.id) ? 'stored' : 'duplicate');
      await addCounters(tx, batch.organisationId, batch.counts);
      await addBytes(tx, batch.organisationId, fresh);
      await batch.alongside?.(tx, stored);
      return { result: { stored, refused: new Set<string>(), alertIds }, remember };
    });
    remember();
    return result;
  };

  const writeWithRetry = async (batch: Batch): Promise<WriteResult> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await writeOnce({ ...batch, counts: copyCounters(batch.counts) });
      } catch (error) {
        if (attempt >= maxTries || !isRetryable(error)) throw error;
      }
    }
  };

  // A value that PostgreSQL rejects fails its whole statement: halve the batch until the value stands alone and becomes a
  // dead letter.
  const writeBatch = async (batch: Batch): Promise<WriteResult> => {
    try {
      return await writeWithRetry(batch);
    } catch (error) {
      if (!isDataError(error)) throw error;
      const [only] = batch.events;
      if (batch.events.length === 1 && only) {
        deps.log.warn(
          { err: error, organisationId: batch.organisationId },
          'an event could not be stored and became a dead letter',
        );
        const raw = typeof only.arrival.raw === 'string' ? only.arrival.raw : JSON.stringify(only.arrival.raw);
        const letter = { receivedAt: only.receivedAt, step: 'keep', reason: 'not-storable', raw };
        const counts = copyCounters(batch.counts);
        addToCounter(counts, only.receivedAt, 'not-storable');
        const result = await writeWithRetry({ ...batch, events: [], dead: [...batch.dead, letter], counts });
        return { ...result, refused: new Set([only.id]) };
      }
      if (batch.events.length === 0) throw error;
      const middle = Math.ceil(batch.events.length / 2);
      const rest = batch.events.slice(middle);
      // Each half commits with the counts of its own input: an event sent again after a failed second half is counted again.
      const [counts, restCounts]: [IntakeCounters, IntakeCounters] = [copyCounters(batch.counts), new Map()];
      for (const { receivedAt } of rest) {
        addToCounter(counts, receivedAt, 'received', -1);
        addToCounter(restCounts, receivedAt, 'received');
      }
      const { alongside: _, ...beginning } = batch;
      const first = await writeBatch({ ...beginning, counts, events: batch.events.slice(0, middle) });
      const second = await writeBatch({ ...batch, events: rest, dead: [], counts: restCounts });
      return {
        stored: new Set([...first.stored, ...second.stored]),
        refused: new Set([...first.refused, ...second.refused]),
        alertIds: [...first.alertIds, ...second.alertIds],
      };
    }
  };

  return { writeBatch };
}

/** SQLSTATE class 22 is bad data, 54 a server limit (an oversized index row); a RangeError is an invalid time. */
function isDataError(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^(22|54)/.test(code);
}

/** Returns the ids of new events, with those before `storedFrom`. */
async function insertEvents(
  tx: Tx,
  organisationId: number,
  events: readonly Event[],
  storedFrom = Number.NEGATIVE_INFINITY,
): Promise<Set<string>> {
  const timeless = events.filter((event) => !event.hasOwnTime);
  const known = await rememberTimeless(tx, organisationId, timeless);
  for (const id of await storedBeforeClockWasSet(tx, organisationId, events)) known.add(id);
  const candidates = known.size === 0 ? events : events.filter((event) => !known.has(event.id));
  const { stored = [], unstored = [] } = Object.groupBy(candidates, ({ at }) => (at < storedFrom ? 'unstored' : 'stored'));
  const added = await eventStore.append(tx, organisationId, stored);
  for (const { id } of unstored) added.add(id);
  return added;
}

/** Shippers retry within minutes, and a clock may be set by an hour between; afterwards equal content is a new event. */
const sameContentWindow = "interval '75 minutes'";

/** Returns the ids that were already seen within the window. */
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

/**
 * Returns the ids of events that are stored under their arrival where they have a time now, or the reverse: a batch sent again after the clock was
 * set, or an event of a vendor whose clock is ahead, read again hours later. Ids are known for a day.
 */
async function storedBeforeClockWasSet(tx: Tx, organisationId: number, events: readonly Event[]): Promise<Set<string>> {
  const ahead = events.flatMap(({ id, aheadAt }) => (aheadAt === undefined ? [] : [{ id, at: aheadAt }]));
  const stored = await eventStore.stored(tx, organisationId, ahead);
  const timed = events.filter((event) => event.hasOwnTime);
  if (timed.length === 0) return stored;
  const seen = await sql<{ id: string }>`
    select id from event_keys
    where organisation_id = ${organisationId} and id = any (${uuidColumn(timed.map(({ id }) => id))})`.execute(tx);
  return new Set([...stored, ...seen.rows.map(({ id }) => id)]);
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

async function addCounters(tx: Tx, organisationId: number, counts: IntakeCounters): Promise<void> {
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

/** Size of an event as it arrived; of one without text of its own as JSON. */
const sizeOf = ({ arrival: { raw } }: Event): number => Buffer.byteLength(typeof raw === 'string' ? raw : JSON.stringify(raw));

async function addBytes(tx: Tx, organisationId: number, stored: readonly Event[]): Promise<void> {
  const days = new Map<string, number>();
  for (const event of stored) {
    const day = dateOf(event.receivedAt);
    days.set(day, (days.get(day) ?? 0) + sizeOf(event));
  }
  if (days.size === 0) return;
  const entries = [...days].sort(([one], [other]) => (one < other ? -1 : 1));
  await sql`
    insert into ingest_bytes (organisation_id, day, bytes)
    select ${organisationId}, * from unnest(${dateColumn(entries.map(([day]) => Date.parse(day)))}, ${entries.map(([, bytes]) => bytes)}::bigint[])
    on conflict (organisation_id, day) do update set bytes = ingest_bytes.bytes + excluded.bytes`.execute(tx);
}
